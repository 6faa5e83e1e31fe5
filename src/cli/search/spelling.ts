import type { Term } from "../../wire/query.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/** `email.ends=@acme.com`, `not.provider=github`: a term in characters that no shell has a use for. */
const SHELL_TERM = /^(-|not\.)?([a-z][a-z0-9_]*)(?:\.([a-z]+))?=(.*)$/su;

const WRITERS: Readonly<Record<string, (field: string, value: string) => string>> = {
  eq: (field, value) => `${field}:${value}`,
  starts: (field, value) => `${field}:${value}*`,
  ends: (field, value) => `${field}:*${value}`,
  contains: (field, value) => `${field}:*${value}*`,
  gt: (field, value) => `${field}>${value}`,
  gte: (field, value) => `${field}>=${value}`,
  lt: (field, value) => `${field}<${value}`,
  lte: (field, value) => `${field}<=${value}`,
};

const OPERATORS: Readonly<Record<Exclude<Term["operator"], "is" | "on" | "null">, string>> = {
  starts: "starts",
  ends: "ends",
  contains: "contains",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
};

/**
 * A term as it is on the wire; one that is written so already is left as it is.
 * @throws {CliError} for a shell-safe term that nothing on the wire means
 */
export function toWire(text: string): string {
  const parts = SHELL_TERM.exec(text);
  if (!parts) return text;
  const [, not, field = "", operator = "eq", value = ""] = parts;
  const write = Object.hasOwn(WRITERS, operator) ? WRITERS[operator] : undefined;
  if (!write)
    throw new CliError(
      EXIT.usage,
      `"${text}": unknown operator ".${operator}".`,
      `Operators: ${Object.keys(WRITERS).join(", ")}, for example ${field}.contains=x.`,
    );
  // An empty variable in a script would otherwise find everything.
  if (value === "") throw new CliError(EXIT.usage, `"${text}" has no value.`, `Write ${text}value.`);
  if ((operator === "starts" && value.startsWith("*")) || (operator === "ends" && value.endsWith("*")))
    throw new CliError(
      EXIT.usage,
      `"${text}": an asterisk at that end is a wildcard.`,
      `Omit it, or write ${field}.contains=${value.replaceAll("*", "")}.`,
    );
  return `${not === undefined ? "" : "-"}${write(field, value)}`;
}

/** The shell-safe spelling of a term. */
export function toShell({ field, operator, value, negated }: Term): string {
  const name = negated ? `not.${field}` : field;
  if (operator === "is" || operator === "on" || operator === "null") return `${name}=${value}`;
  if (value === "") return `${name}=*`;
  return `${name}.${OPERATORS[operator]}=${value}`;
}

/** A word as it is typed in bash, dash, zsh and fish alike. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
