import { EXIT, type ExitCode } from "../errors.ts";
import type { Searched } from "./flags.ts";

/** What a list or a search can end with; 3 is `--fail-empty`. */
export const LIST_EXITS: readonly ExitCode[] = [
  EXIT.done,
  EXIT.failed,
  EXIT.usage,
  EXIT.notFound,
  EXIT.noKey,
  EXIT.unreachable,
];

/** What there is to know of terms, below a search's flags. */
export const SEARCH_NOTES = ({ fields, noun }: Searched): string => `Fields: ${folded(Object.keys(fields))}.
A term is field:value with * at either end, or a time compared by > >= < <=, and
-term leaves out what matches. Quote terms with * or >: shells have their own use
for them. Or write what no shell touches: email.ends=@acme.com, not.name=Bob or
created_at.gte=2026-01-01, with eq, starts, ends, contains, gt, gte, lt and lte.
See what a query means:
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
