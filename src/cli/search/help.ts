import { PROVIDERS, SESSION_PROVIDERS } from "../../wire/providers.ts";
import { termsIn, type Query } from "../../wire/search/query.ts";
import type { Searched } from "./flags.ts";
import type { TypedQuery } from "./read.ts";

/** What a person is told of a search without results. */
export function nothingFound({ query }: TypedQuery, searched: Searched): string {
  const hint = query && hintFor(query, searched);
  return `No ${searched.noun} match.${hint === undefined ? "" : ` ${hint}`}`;
}

/** What may be wrong with a search that found nothing. Undefined if nothing looks wrong. */
function hintFor(query: Query, { noun }: Searched): string | undefined {
  const providers: readonly string[] = noun === "users" ? PROVIDERS : SESSION_PROVIDERS;
  for (const { field, operator, value } of termsIn(query)) {
    if (field.endsWith("user_id") && value.includes("@"))
      return `user_id takes an id, and "${value}" is an e-mail address. Use: svc ${noun} search email:${value}`;
    if (field === "provider" && operator === "is" && !providers.includes(value))
      return noun === "users" && value === "password"
        ? "Users who have no provider: provider:null. Sign-ins by password: svc sessions search provider:password"
        : `"${value}" is not a provider. They are ${providers.join(", ")}.`;
    if (operator === "is" && value.slice(1, -1).includes("*"))
      return `"${field}:${value}": * is a wildcard only at the start or the end of a value.`;
    if (field === "email" && operator === "ends" && /^@[^.]+$/.test(value))
      return `"*${value}" matches addresses that end in exactly ${value}. A domain has a dot: *${value}.com`;
    if (field === "email" && operator === "is" && !/.@./.test(value))
      return `"email:${value}" matches the whole address. To find a part of it: email:*${value}*`;
    if (field === "name" && operator === "is")
      return `"name:${value}" matches the whole name. To find a part of it: name:*${value}*`;
  }
  return undefined;
}

/** How terms are written, below a search's flags. */
export const SEARCH_NOTES = ({ fields, noun }: Searched): string => `Fields: ${Object.keys(fields).join(", ")}.

A term is field:value with * at either end, or a date compared with > >= < <=. -term excludes what matches. Quote terms with
* or >, which the shell would interpret, or write email.ends=@acme.test, not.name=Bob, created_at.gte=2026-01-01; the
operators are eq, starts, ends, contains, gt, gte, lt and lte.

To see what a search means:
  svc ${noun} search --explain created_at.gte=2026-01-01`;
