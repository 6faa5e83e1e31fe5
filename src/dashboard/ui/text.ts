import type { AnswerOf } from "../../wire/control/types.ts";
import { isProvider, providerTitle } from "../../wire/providers.ts";
import type { Fields } from "../../wire/search/fields.ts";

/** A recorded reason as people read it, `GitHub reported access_denied.` for `github reported access_denied`. */
export function sentence(reason: string): string {
  const [first = ""] = reason.split(" ", 1);
  // A name of the protocol, such as `redirect_uri`, keeps its spelling.
  const name = first.replace(/:$/, "");
  const start = isProvider(name)
    ? providerTitle(name)
    : /_|:$/.test(first)
      ? name
      : name.slice(0, 1).toUpperCase() + name.slice(1);
  return `${start}${reason.slice(name.length)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

/** `1,000 users`, `1 user`. @param noun in the singular */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** `1,000`, or `1,000+` if there are more. */
export function countText({ count, is_complete }: AnswerOf<"GET /users/count">): string {
  return `${count.toLocaleString("en")}${is_complete ? "" : "+"}`;
}

/** A word without the signs of the search language. Marks and apostrophes belong to names: Zoë, हिन्दी, O’Neill. */
export const WORD = /^[\p{L}\p{N}\p{M}@._+'’-]+$/u;

/** The words of a name, if the text is nothing else: `Ada Lovelace`. A word alone may be the start of a field. */
export function nameIn(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  return words.length > 1 && words.every((word) => WORD.test(word) && !word.includes("@"))
    ? words.join(" ")
    : undefined;
}

/** What a search sends: a query in the search language, or words that the name contains. */
export function searchFor(text: string): { readonly query?: string; readonly name?: string } {
  const name = nameIn(text);
  if (name !== undefined) return { name };
  return text === "" ? {} : { query: text };
}

export interface Suggestion {
  readonly label: string;
  readonly hint: string;
  /** The whole search, with the suggestion inserted. */
  readonly text: string;
  readonly cursor: number;
  /** Whether it is a whole term, and not the start of one. */
  readonly isTerm?: true;
}

const MOST = 8;

/** The completions at the cursor: fields, searches for a word that is not a field, or known values of the field. */
export function complete(
  text: string,
  cursor: number,
  fields: Fields,
  values: Readonly<Record<string, readonly string[]>>,
): Suggestion[] {
  const start = text.lastIndexOf(" ", cursor - 1) + 1;
  const end = text.indexOf(" ", cursor) < 0 ? text.length : text.indexOf(" ", cursor);
  const term = text.slice(start, cursor);
  const put = (replacement: string): Pick<Suggestion, "text" | "cursor"> => ({
    text: text.slice(0, start) + replacement + text.slice(end),
    cursor: start + replacement.length,
  });
  const [, minus = "", name = "", sign, value = ""] = /^(-?)([a-z_]*)(>=|<=|[:<>])?(.*)$/.exec(term) ?? [];
  if (sign === undefined) {
    const named = Object.entries(fields)
      .filter(([field]) => value === "" && field.startsWith(name))
      .slice(0, MOST)
      .map(([field, { type, nullable }]) => ({
        label: `${minus}${field}`,
        hint: hintOf(type, nullable),
        ...put(`${minus}${field}${type === "datetime" && minus === "" ? ">=" : ":"}`),
      }));
    const isAlone = text.trim() === term;
    const found = isAlone && WORD.test(term) ? searchesFor(term) : [];
    return [...named, ...found.map((search) => ({ ...search, ...put(search.label), isTerm: true as const }))];
  }
  const field = fields[name];
  if (!field || sign !== ":") return [];
  return [...(values[name] ?? []), ...(field.nullable ? ["null"] : [])]
    .filter((one) => one.startsWith(value) && one !== value)
    .slice(0, MOST)
    .map((one) => ({ label: one, hint: one === "null" ? "no value" : "", ...put(`${minus}${name}:${one}`) }));
}

/** The searches that are suggested for a single word. Users and sessions have both fields. */
function searchesFor(word: string): Pick<Suggestion, "label" | "hint">[] {
  const email = { label: `email:*${word}*`, hint: "in the e-mail address" };
  return word.includes("@") ? [email] : [{ label: `name:*${word}*`, hint: "in the name" }, email];
}

function hintOf(type: string, nullable: boolean | undefined): string {
  const kind =
    { datetime: "date: >= <= : 2026-01-31", string: "text: * at either end", boolean: "true or false" }[type] ?? type;
  return nullable ? `${kind}, or null` : kind;
}
