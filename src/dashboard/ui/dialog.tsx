import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { currentAddress } from "../router.ts";
import { Button } from "./button.tsx";
import { FieldError, useForm } from "./field.tsx";
import { Refusal } from "./parts.tsx";
import { sentence } from "./sentence.ts";

/**
 * A modal dialog. Its first field has the focus, without a field its first button. Esc, a click outside and another address
 * close it, and the focus returns to its previous place.
 */
export function Dialog({
  title,
  children,
  onClose,
  wide,
  isHigh,
}: {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  wide?: boolean;
  /** Whether it is at the top of the window, where it stays while its content grows and shrinks. */
  isHigh?: boolean;
}): VNode {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key event, which already belongs to the dialog.
  useLayoutEffect(() => {
    const { current: dialog } = element;
    const root = document.documentElement;
    root.classList.toggle("scrollbar", innerWidth > root.clientWidth);
    dialog?.showModal();
    // The browser would focus Close, where Enter discards what was typed.
    dialog?.querySelector<HTMLElement>(".dialog-body :is(input, select, textarea, button)")?.focus();
    return () => dialog?.close();
  }, []);
  // Going back closes it, too.
  const address = currentAddress.value;
  const opened = useRef(address);
  useLayoutEffect(() => {
    if (address !== opened.current) onClose();
  }, [address]);
  return (
    <dialog
      ref={element}
      class={`${wide ? "wide" : ""} ${isHigh ? "high" : ""}`}
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

/** A dialog that sends a form: it closes when `onSubmit` resolves, and shows the error when it rejects. */
export function FormDialog({
  title,
  action,
  kind = "primary",
  testId,
  fields = [],
  children,
  onSubmit,
  onClose,
}: {
  title: string;
  /** The text of the button: what it does. */
  action: string;
  kind?: "primary" | "danger";
  testId?: string;
  /** The names of its text fields, which show the errors about them. */
  fields?: readonly string[];
  children: ComponentChildren;
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
}): VNode {
  const form = useForm(async () => {
    await onSubmit();
    onClose();
  });
  const refused = aboutField(form.problem, fields);
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={form.onSubmit}>
        <FieldError.Provider value={refused}>{children}</FieldError.Provider>
        <Refusal reason={refused ? undefined : form.problem} />
        <div class="actions end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={kind} type="submit" disabled={form.isBusy} {...(testId !== undefined && { testId })}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The server names the field: `Conflict: users.email: another user has it`. */
function aboutField(problem = "", fields: readonly string[]): { name: string; text: string } | undefined {
  const [, name, text = ""] = new RegExp(`(?:^|[ .])(${fields.join("|")}): (.+)$`).exec(problem) ?? [];
  return name === undefined || name === "" ? undefined : { name, text: sentence(text) };
}

/** Asks for confirmation before something that can't be undone. The focus is on Cancel: Enter does no harm. */
export function Confirm({
  onConfirm,
  ...dialog
}: {
  title: string;
  action: string;
  children: ComponentChildren;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}): VNode {
  return <FormDialog {...dialog} kind="danger" testId="confirm" onSubmit={onConfirm} />;
}
