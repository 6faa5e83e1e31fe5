import type { Signal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, VNode } from "preact";

/** A labelled input. The hint is the rule, the error what is wrong. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: ComponentChildren;
}): VNode {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      {children}
      {error ? (
        <span class="field-error" role="alert">
          {error}
        </span>
      ) : (
        hint && <span class="field-hint">{hint}</span>
      )}
    </label>
  );
}

/** A labelled input of one line, for the text of a signal. */
export function TextField({
  label,
  hint,
  error,
  value,
  type = "text",
  ...attributes
}: {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  value: Signal<string>;
  type?: "text" | "email" | "password" | "number" | "datetime-local";
} & Pick<
  InputHTMLAttributes,
  "required" | "maxLength" | "pattern" | "placeholder" | "autocomplete" | "min" | "max" | "step"
>): VNode {
  return (
    <Field label={label} hint={hint} error={error}>
      <input
        {...({ ...attributes, type } as InputHTMLAttributes)}
        value={value.value}
        onInput={(event) => void (value.value = event.currentTarget.value)}
      />
    </Field>
  );
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

export function Select({
  label,
  value,
  choices,
  onChange,
  inline,
}: SelectProps & { value: string; onChange: (value: string) => void }): VNode {
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
export function SelectField<Value extends string>({ value, ...props }: SelectProps & { value: Signal<Value> }): VNode {
  const shown = value.value || (props.choices[0]?.value ?? "");
  return <Select {...props} value={shown} onChange={(chosen) => void (value.value = chosen as Value)} />;
}

export function choicesOf(values: readonly string[], all?: string): Choice[] {
  return [...(all === undefined ? [] : [{ value: "", text: all }]), ...values.map((value) => ({ value, text: value }))];
}
