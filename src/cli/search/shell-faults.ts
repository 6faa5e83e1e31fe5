import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { termHint } from "../../wire/search/query-hint.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import type { Searched } from "./flags.ts";
import { typed } from "./spelling.ts";

/** What is left of a term when the shell took its `>` for a redirection: a file with the rest as its name. */
const REDIRECTED = /^=?\d{4}-\d{2}-\d{2}([T ].*)?$/;
const WORDS = new Set(["AND", "OR", "NOT", "&&", "||"]);

/** Says what is wrong with a word that is not a term, and what the shell may have done to it. */
export function notATerm(word: string, { fields, example }: Searched, cwd: string): CliError {
  const safe = (field: string): string => `${field}.gte=2026-01-01`;
  if (Object.hasOwn(fields, word) && fields[word]!.type === "datetime") {
    const left = existsSync(cwd) ? readdirSync(cwd).find((name) => REDIRECTED.test(name)) : undefined;
    return new CliError(
      EXIT.usage,
      `"${word}" has no operator. Your shell probably interpreted a > or <` +
        (left === undefined ? "." : `, and created the file "${left}" here: delete it.`),
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
    termHint(word, fields, typed),
  );
}

/** Whether the shell may have put a file's name in the place of a pattern. */
export function isFileName(term: string, cwd: string): boolean {
  return term !== "" && existsSync(join(cwd, term));
}
