import { useSignal, type Signal } from "@preact/signals";
import { cloneElement, createContext, type ComponentChildren, type InputHTMLAttributes, type VNode } from "preact";
import { Button } from "./button.tsx";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";

/** What a form was refused for, if it is about one field: the field's name, and the error. */
export const FieldError = createContext<{ readonly name: string; readonly text: string } | undefined>(undefined);

/** A labelled input. The hint is the rule, the error what is wrong. */
export function Field(props: {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: VNode<InputHTMLAttributes>;
}) {
  const { label, hint, error, children } = props;
  const id = useId();
  const isExplained = Boolean(error || hint);
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {cloneElement(children, {
        id,
        ...(isExplained && { "aria-describedby": `${id}-hint` }),
        ...(error && { "aria-invalid": true }),
      })}
      {isExplained && (
        <span
          key={error ? "error" : "hint"}
          id={`${id}-hint`}
          class={error ? "field-hint bad-text" : "field-hint"}
          role={error ? "alert" : undefined}
        >
          {error || hint}
        </span>
      )}
    </div>
  );
}

/**
 * A labelled input of one line, for the text of a signal.
 * @param name of the field in the request: an error about it is shown here, and the focus is set here
 */
export function TextField({
  name,
  label,
  hint,
  error,
  value,
  type = "text",
  ...attributes
}: {
  name?: string;
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  value: Signal<string>;
  type?: "text" | "email" | "password" | "number" | "datetime-local" | "url";
} & Pick<
  InputHTMLAttributes,
  "required" | "maxLength" | "pattern" | "placeholder" | "autocomplete" | "min" | "max" | "step"
>) {
  const input = useRef<HTMLInputElement>(null);
  const refused = useContext(FieldError);
  const reason = refused?.name === name ? refused?.text : undefined;
  useLayoutEffect(() => {
    if (reason !== undefined) input.current?.focus();
  }, [reason]);
  return (
    <Field label={label} hint={hint} error={reason ?? error}>
      <input
        ref={input}
        {...({ ...attributes, type } as InputHTMLAttributes)}
        value={value.value}
        onInput={(event) => void (value.value = event.currentTarget.value)}
      />
    </Field>
  );
}

/** A box to tick. */
export function Check(props: {
  label: string;
  /** What screen readers call it, if not its label. */
  name?: string;
  checked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  const { label, name, checked, onChange } = props;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        aria-label={name}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** The same for a signal. */
export function CheckField({ label, value }: { label: string; value: Signal<boolean> }) {
  return <Check label={label} checked={value.value} onChange={(isChecked) => void (value.value = isChecked)} />;
}

export interface Choice {
  readonly value: string;
  readonly text: string;
}

interface SelectProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** Without a visible label, as in a row of filters. */
  readonly inline?: boolean;
}

export function Select(props: SelectProps & { value: string; onChange: (value: string) => void }) {
  const { label, value, choices, onChange, inline } = props;
  const control = (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} selected={choice.value === value}>
          {choice.text}
        </option>
      ))}
    </select>
  );
  return inline ? control : <Field label={label}>{control}</Field>;
}

/** The same for the text of a signal. An empty text means the first choice. */
export function SelectField<Value extends string>({ value, ...props }: SelectProps & { value: Signal<Value> }) {
  const shown = value.value || (props.choices[0]?.value ?? "");
  return <Select {...props} value={shown} onChange={(chosen) => void (value.value = chosen as Value)} />;
}

/** @param all the text of a first choice that means all of them */
export function choicesOf(values: readonly (string | Choice)[], all?: string): Choice[] {
  return [
    ...(all === undefined ? [] : [{ value: "", text: all }]),
    ...values.map((value) => (typeof value === "string" ? { value, text: value } : value)),
  ];
}

/** Sends a form instead of the browser. An error is shown until the next attempt. */
export function useForm(send: () => Promise<unknown>) {
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    try {
      await send();
    } catch (error) {
      problem.value = (error as Error).message;
    } finally {
      isBusy.value = false;
    }
  };
  return {
    problem: problem.value,
    isBusy: isBusy.value,
    onSubmit(event: Event): void {
      event.preventDefault();
      if (!isBusy.peek()) void submit();
    },
  };
}

export function Refusal({ reason }: { reason: string | undefined }) {
  return reason === undefined ? null : (
    <p class="bad-text" role="alert">
      {reason}
    </p>
  );
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
  const value = useSignal("");
  const form = useForm(async () => {
    await onSubmit(value.peek().trim());
    value.value = "";
  });
  return (
    <form class="row" onSubmit={form.onSubmit}>
      <div class="grow">
        <TextField {...field} required error={form.problem} value={value} />
      </div>
      <Button type="submit" testId={testId}>
        {action}
      </Button>
    </form>
  );
}
