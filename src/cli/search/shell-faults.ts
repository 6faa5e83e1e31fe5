import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isUuid } from "../../wire/ids.ts";
import { termHint } from "../../wire/search/query-words.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { quoted } from "../output/format.ts";
import type { Searched } from "./flags.ts";
import { typed } from "./spelling.ts";

/** What is left of a term when the shell took its `>` for a redirection: a file with the rest as its name. */
const REDIRECTED = /^=?\d{4}-\d{2}-\d{2}([T ].*)?$/;
const WORDS = new Set(["AND", "OR", "NOT", "&&", "||"]);

/**
 * Says what is wrong with a word that is not a term, and what the shell may have done to it.
 * @param all the terms as they were given
 */
export function notATerm(word: string, searched: Searched, cwd: string, all: readonly string[]): CliError {
  const { fields, example } = searched;
  const safe = (field: string): string => `${field}.gte=2026-01-01`;
  if (Object.hasOwn(fields, word) && fields[word]!.type === "datetime") {
    return new CliError(
      EXIT.usage,
      `"${word}" has no operator. ${redirected(cwd)}`,
      `Quote the term, '${word}>=2026-01-01', or write ${safe(word)}.`,
    );
  }
  if (Object.hasOwn(fields, word))
    return new CliError(EXIT.usage, `"${word}" has no value.`, `Write ${word}:value, or ${word}.contains=value.`);
  if (word.startsWith("!"))
    return new CliError(
      EXIT.usage,
      `"${word}": ! does not negate a term.`,
      `Write -${word.slice(1)}, or not.${word.slice(1).replace(":", "=")}.`,
    );
  if (WORDS.has(word))
    return new CliError(
      EXIT.usage,
      `"${word}" is not a search term.`,
      "Different fields are combined with AND, values of one field with OR. For NOT, write -term.",
    );
  if (existsSync(join(cwd, word)))
    return new CliError(
      EXIT.usage,
      `"${word}" is a file here, not a term: your shell expanded an asterisk.`,
      `Quote the term: ${example}`,
    );
  return new CliError(
    EXIT.usage,
    `"${word}" is not a search term. Write field:value, such as email:*@acme.test. A value cannot contain a space.`,
    hintFor(word, searched, all),
  );
}

/** What the shell probably did to a term with a comparison. */
export function redirected(cwd: string): string {
  const left = existsSync(cwd) ? readdirSync(cwd).find((name) => REDIRECTED.test(name)) : undefined;
  const file = left === undefined ? "" : `, and created the file "${left}" here: delete it`;
  return `Your shell probably interpreted a > or <${file}.`;
}

/** How to search for words without a field. */
function hintFor(word: string, { fields, noun }: Searched, all: readonly string[]): string {
  const at = all.indexOf(word);
  const [, first] = /^name[:=](.+)$/.exec(all[at - 1] ?? "") ?? [];
  const behind = all.slice(at).findIndex((other) => /[:<>=]/.test(other));
  const words = all.slice(at, behind < 0 ? undefined : at + behind);
  const name = [...(first === undefined ? [] : [first]), ...words].map((text) => text.replace(/^["'*]+|["'*]+$/g, ""));
  if (name.length > 1) return `To find a name of several words: svc ${noun} search --name ${quoted(name.join(" "))}`;
  if (!/^[\w.+-]+$/.test(word) || isUuid(word.toLowerCase())) return termHint(word, fields, typed);
  const within = (field: string): string => typed({ field, operator: "contains", value: word, negated: false });
  return `To find it within an address: ${within("email")}. Within a name: ${within("name")}`;
}

/** Whether the shell may have put a file's name in the place of a pattern. */
export function isFileName(term: string, cwd: string): boolean {
  return term !== "" && existsSync(join(cwd, term));
}
