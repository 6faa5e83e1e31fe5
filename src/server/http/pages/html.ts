/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | false | null | undefined | readonly Value[];

/** HTML from a template. Values are escaped unless they are `Html`; lists are joined; false, null and undefined are omitted. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0]!;
  for (let i = 0; i < values.length; i++) text += toText(values[i]) + strings[i + 1]!;
  return new Html(text);
}

function toText(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(toText).join("");
  return typeof value === "string" || typeof value === "number" ? escapeHtml(String(value)) : "";
}

/** Text as it may stand in an element, or in an attribute between quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
