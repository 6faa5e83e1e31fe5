import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button, type ButtonProps } from "./button.tsx";
import { Refused, TextField } from "./field.tsx";
import { sentence } from "./text.ts";

/** The texts of a form's fields, by their names. A box that is not ticked has none. */
export type Values = Readonly<Record<string, string>>;
/** A rejection is shown. */
export type Send = (values: Values, form: HTMLFormElement) => Promise<unknown>;

/**
 * A form. Why it was refused is shown until the next attempt: beside its only field or the one that the server names, else
 * above the buttons.
 */
export function Form(
  props: Pick<ButtonProps, "kind" | "testId"> & {
    children: ComponentChildren;
    /** The text of the button: what it does. */
    action: string;
    /** What stands before and behind the button. */
    before?: ComponentChildren;
    beside?: ComponentChildren;
    /** Whether the button stands beside the only field. */
    isRow?: boolean;
    onSubmit: Send;
  },
) {
  const { children, action, before, beside, isRow, onSubmit, ...button } = props;
  const refused = useSignal<Refused>({});
  const isBusy = useSignal(false);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    isBusy.value = true;
    refused.value = {};
    const values = [...new FormData(form)].map(([name, value]) => [
      name,
      typeof value === "string" ? value.trim() : "",
    ]);
    try {
      await onSubmit(Object.fromEntries(values) as Values, form);
    } catch (error) {
      refused.value = refusedFor((error as Error).message, form);
    } finally {
      isBusy.value = false;
    }
  };
  const { name, text } = refused.value;
  const submitButton = (
    <Button {...button} type="submit" disabled={isBusy.value}>
      {action}
    </Button>
  );
  return (
    <form
      class={isRow ? "row" : "stack"}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy.peek()) void submit(event.currentTarget);
      }}
    >
      <Refused.Provider value={refused.value}>{children}</Refused.Provider>
      {name === undefined && text !== undefined && (
        <p class="bad-text" role="alert">
          {text}
        </p>
      )}
      {isRow ? submitButton : <div class={before ? "actions end" : "actions"}>{[before, submitButton, beside]}</div>}
    </form>
  );
}

/** The server names the field: `Conflict: users.email: another user has it`. */
function refusedFor(problem: string, form: HTMLFormElement): Refused {
  const names = [...form.querySelectorAll<HTMLInputElement>(".field [name]")].map((field) => field.name);
  const [, name, text = ""] = new RegExp(`(?:^|[ .])(${names.join("|")}): (.+)$`).exec(problem) ?? [];
  if (name) return { name, text: sentence(text) };
  if (names.length !== 1) return { name: undefined, text: problem };
  // Of a list that the only field adds to: `Bad request: redirect_uris[1]: …`.
  return { name: names[0], text: sentence(problem.replace(/^Bad request: \w+\[\d+\]: /, "")) };
}

/** A form of one line, which is empty again once it was sent. */
export function TextForm(props: {
  label: string;
  hint: string;
  placeholder: string;
  action: string;
  testId?: string;
  onSubmit: (text: string) => Promise<unknown>;
}) {
  const { action, testId, onSubmit, ...field } = props;
  const send: Send = async ({ text = "" }, form) => {
    await onSubmit(text);
    form.reset();
  };
  return (
    <Form isRow action={action} testId={testId} onSubmit={send}>
      <div class="grow">
        <TextField {...field} name="text" required />
      </div>
    </Form>
  );
}
