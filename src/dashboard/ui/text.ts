import type { AnswerOf } from "../../wire/control/types.ts";
import { isUuid } from "../../wire/ids.ts";
import { isProvider, providerTitle } from "../../wire/providers.ts";

/** A recorded reason as people read it, `GitHub reported access_denied.` for `github reported access_denied`. */
export function sentence(reason: string): string {
  const [first = ""] = reason.split(" ", 1);
  // A name of the protocol, such as `redirect_uri`, keeps its spelling.
  const name = first.replace(/:$/, "");
  const start = isProvider(name)
    ? providerTitle(name)
    : /_|:$|^svc$/.test(first)
      ? name
      : name.slice(0, 1).toUpperCase() + name.slice(1);
  return `${start}${reason.slice(name.length)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

/** `1,000 users`, `1 user`. @param noun in the singular */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** `1,000`, or `more than 10,000` where counting stopped. */
export function countText({ count, is_complete }: AnswerOf<"GET /users/count">): string {
  return `${is_complete ? "" : "more than "}${count.toLocaleString("en")}`;
}

/** Words of a name, such as `Ada Lovelace` or `हिन्दी`: no sign of the search language is in them. */
const WORDS = /^[\p{L}\p{N}\p{M}._+'’\- ]+$/u;

/**
 * What a search sends: a user's id, words that the name contains, an e-mail address, or a query in the search language.
 * @param idField what the id is the value of
 */
export function searchFor(text: string, idField: string): { readonly query?: string; readonly name?: string } {
  if (text === "") return {};
  if (isUuid(text)) return { query: `${idField}:${text}` };
  if (WORDS.test(text)) return { name: text };
  return { query: /^[^\s:*<>]+@[^\s:*<>]*$/.test(text) ? `email:${text}*` : text };
}
