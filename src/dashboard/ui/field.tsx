import type { Signal } from "@preact/signals";
import { cloneElement, type ComponentChildren, type InputHTMLAttributes, type VNode } from "preact";
import { useId } from "preact/hooks";

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
  children: VNode<InputHTMLAttributes>;
}): VNode {
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
          class={error ? "field-error" : "field-hint"}
          role={error ? "alert" : undefined}
        >
          {error || hint}
        </span>
      )}
    </div>
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
