import type { ComponentChildren, VNode } from "preact";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./parts.tsx";
import { useForm } from "./use-form.ts";

/** A dialog that sends a form: it closes when `onSubmit` resolves, and shows the error when it rejects. */
export function FormDialog({
  title,
  action,
  kind = "primary",
  testId,
  children,
  onSubmit,
  onClose,
}: {
  title: string;
  /** The text of the button: what it does. */
  action: string;
  kind?: "primary" | "danger";
  testId?: string;
  children: ComponentChildren;
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
}): VNode {
  const form = useForm(async () => {
    await onSubmit();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={form.onSubmit}>
        {children}
        <Refusal reason={form.problem} />
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
