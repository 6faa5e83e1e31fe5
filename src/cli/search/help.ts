import type { Searched } from "./flags.ts";
import { hintFor } from "./hints.ts";
import type { TypedQuery } from "./read.ts";

/** What a person is told of a search without results. */
export function nothingFound({ query }: TypedQuery, searched: Searched): string {
  const hint = query && hintFor(query, searched);
  return `No ${searched.noun} match.${hint === undefined ? "" : ` ${hint}`}`;
}

/** How terms are written, below a search's flags. */
export const SEARCH_NOTES = ({ fields, noun }: Searched): string => `Fields: ${folded(Object.keys(fields))}.
A term is field:value with * at either end, or a date compared with > >= < <=.
-term excludes what matches. Quote terms with * or >, which the shell would
interpret, or write email.ends=@acme.com, not.name=Bob, created_at.gte=2026-01-01;
the operators are eq, starts, ends, contains, gt, gte, lt and lte. To see what a
search means:
  svc query explain${noun === "users" ? "" : ` --resource ${noun}`} created_at.gte=2026-01-01`;

function folded(names: readonly string[]): string {
  const lines = [""];
  for (const [i, name] of names.entries()) {
    const word = i === names.length - 1 ? name : `${name},`;
    if (lines.at(-1)!.length + word.length > 78) lines.push("");
    lines[lines.length - 1] += `${lines.at(-1) === "" ? "" : " "}${word}`;
  }
  return lines.join("\n");
}
