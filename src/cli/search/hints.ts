import { termsIn, type Query } from "../../wire/query.ts";
import type { Searched } from "./flags.ts";

/** What may be wrong with a search that found nothing, or undefined where nothing looks odd. */
export function hintFor(query: Query, { noun }: Searched): string | undefined {
  for (const { field, operator, value } of termsIn(query)) {
    if (field.endsWith("user_id") && value.includes("@"))
      return `user_id takes an id, and "${value}" is an e-mail address. Use: svc ${noun} search email:${value}`;
    if (operator === "is" && value.slice(1, -1).includes("*"))
      return `"${field}:${value}": * is a wildcard only at the start or the end of a value.`;
    if (field === "email" && operator === "ends" && /^@[^.]+$/.test(value))
      return `"*${value}" matches addresses that end in exactly ${value}. A domain has a dot: *${value}.com`;
    if (field === "email" && operator === "is" && !value.includes("@"))
      return `"email:${value}" matches the whole address. To find a part of it: email:*${value}*`;
    if (field === "name" && operator === "is")
      return `"name:${value}" matches the whole name. To find a part of it: name:*${value}*`;
  }
  return undefined;
}
