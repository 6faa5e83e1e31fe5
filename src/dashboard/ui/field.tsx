import type { Signal } from "@preact/signals";
import { cloneElement, createContext, type ComponentChildren, type InputHTMLAttributes, type VNode } from "preact";
import { useContext, useId, useLayoutEffect } from "preact/hooks";

/** Why a form was refused, and the name of the field that it is about. */
export interface Refused {
  readonly name?: string | undefined;
  readonly text?: string | undefined;
}

export const Refused = createContext<Refused>({});

/** A labelled input. The hint is the rule. If its form was refused for it, it says why instead, and has the focus. */
export function FormField(props: { label: string; hint?: ComponentChildren; children: VNode<InputHTMLAttributes> }) {
  const { label, hint, children } = props;
  const id = useId();
  const refused = useContext(Refused);
  const { name } = children.props;
  const error = name !== undefined && refused.name === name && refused.text;
  useLayoutEffect(() => {
    if (error) document.getElementById(id)?.focus();
  }, [error]);
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

/** A labelled input of one line, which the form sends by its name. */
export function TextField({
  label,
  hint,
  value,
  ...attributes
}: {
  name: string;
  label: string;
  hint?: ComponentChildren;
  /** What it begins with. */
  value?: string | null | undefined;
  type?: "text" | "email" | "password" | "number" | "datetime-local" | "url";
} & Pick<
  InputHTMLAttributes,
  "required" | "maxLength" | "pattern" | "placeholder" | "autocomplete" | "min" | "max" | "step"
>) {
  return (
    <FormField label={label} hint={hint}>
      <input {...({ type: "text", ...attributes } as InputHTMLAttributes)} defaultValue={value ?? ""} />
    </FormField>
  );
}

/** A box that the form sends by its name. */
export function CheckField({ name, label, checked }: { name: string; label: string; checked: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} defaultChecked={checked} />
      {label}
    </label>
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

/** One of some choices: it calls back, or the form sends it by its name. */
export function Select(props: SelectProps & { name?: string; value?: string; onChange?: (value: string) => void }) {
  const { name, label, value, choices, onChange, inline } = props;
  const control = (
    <select
      name={name}
      aria-label={label}
      {...(onChange && { value, onChange: (event) => onChange(event.currentTarget.value) })}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} selected={choice.value === value}>
          {choice.text}
        </option>
      ))}
    </select>
  );
  return inline ? control : <FormField label={label}>{control}</FormField>;
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
