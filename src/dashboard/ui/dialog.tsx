import { signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { currentAddress } from "../router.ts";
import { Button, changed, type ButtonProps } from "./button.tsx";
import { Form, type Send } from "./form.tsx";

const opened = signal<VNode | undefined>(undefined);

/** Shows a dialog until it is closed or the view is left. */
export function openDialog(dialog: VNode): void {
  opened.value = dialog;
}

export function closeDialog(): void {
  opened.value = undefined;
}

/** The place of the dialog that a view has opened. */
export function OpenedDialog() {
  useEffect(() => closeDialog, []);
  return opened.value ?? null;
}

/**
 * A modal dialog. Its first field has the focus, without a field its first button. Esc, a click outside and another address
 * close it, and the focus returns to its previous place.
 */
function Dialog(props: { title: string; children: ComponentChildren; onClose?: (() => void) | undefined }) {
  const { title, children, onClose = closeDialog } = props;
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key event, which already belongs to the dialog.
  useLayoutEffect(() => {
    const { current: dialog } = element;
    dialog?.showModal();
    // The browser would focus Close, where Enter discards what was typed.
    dialog?.querySelector<HTMLElement>(".dialog-body :is(input, select, textarea, button)")?.focus();
    return () => dialog?.close();
  }, []);
  // Going back closes it, too.
  const address = currentAddress.value;
  const first = useRef(address);
  useLayoutEffect(() => {
    if (address !== first.current) onClose();
  }, [address]);
  return (
    <dialog
      ref={element}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <header class="dialog-header">
        <h2>{title}</h2>
        <Button kind="quiet" icon="cross" label="Close" testId="close-dialog" onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** The text of the button: what it does. */
  readonly action: string;
  readonly kind?: "primary" | "danger";
  readonly testId?: string;
  readonly children: ComponentChildren;
  readonly onSubmit: Send;
  readonly onClose?: (() => void) | undefined;
}

/** A dialog that sends a form: it closes when `onSubmit` resolves, and shows the error when it rejects. */
export function FormDialog(props: FormDialogProps) {
  const { title, onSubmit, onClose = closeDialog, ...form } = props;
  const send: Send = async (...values) => {
    await onSubmit(...values);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form kind="primary" {...form} before={<Button onClick={onClose}>Cancel</Button>} onSubmit={send} />
    </Dialog>
  );
}

interface AskButtonProps extends Pick<ButtonProps, "kind" | "small" | "testId"> {
  readonly button: string;
  /** What the dialog asks. */
  readonly title: string;
  /** What follows from it. */
  readonly children: ComponentChildren;
  readonly more?: VNode;
  /** The text of the button that does it. */
  readonly action: string;
  readonly run: Send;
  /** What to say afterwards, when what is shown of the records is loaded again. */
  readonly done?: string;
}

/** A button for what can't be undone: a dialog asks first. Its focus is on Cancel: Enter does no harm. */
export function AskButton({ button, title, children, more, action, run, done, ...look }: AskButtonProps) {
  const onSubmit: Send = async (...values) => {
    await run(...values);
    if (done !== undefined) changed(done);
  };
  const dialog = (
    <FormDialog title={title} action={action} kind="danger" testId="confirm" onSubmit={onSubmit}>
      <p>{children}</p>
      {more}
    </FormDialog>
  );
  return (
    <Button kind="danger" {...look} onClick={() => openDialog(dialog)}>
      {button}
    </Button>
  );
}
