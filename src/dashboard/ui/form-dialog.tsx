import type { ComponentChildren, VNode } from "preact";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FieldError } from "./field.tsx";
import { Refusal } from "./parts.tsx";
import { sentence } from "./sentence.ts";
import { useForm } from "./use-form.ts";

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
