import { printTerm, type Term } from "../../wire/search/query.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { quoted } from "../output/format.ts";

/** `email.ends=@acme.test`, `not.provider=github`: a term in characters that no shell has a use for. */
const SHELL_TERM = /^(-|not\.)?([a-z][a-z0-9_]*)(?:\.([a-z]+))?=(.*)$/isu;

/** What each operator is called there. */
const OPERATORS: ReadonlyMap<string, Term["operator"]> = new Map([
  ["eq", "is"],
  ["starts", "starts"],
  ["ends", "ends"],
  ["contains", "contains"],
  ["gt", ">"],
  ["gte", ">="],
  ["lt", "<"],
  ["lte", "<="],
]);

/**
 * A term as it is on the wire; one that is written so already is left as it is.
 * @throws {CliError} for a shell-safe term that nothing on the wire means
 */
export function toWire(text: string): string {
  const parts = SHELL_TERM.exec(text);
  if (!parts) return text;
  const [, not, field = "", name = "eq", value = ""] = parts;
  const operator = OPERATORS.get(name);
  if (!operator)
    throw new CliError(
      EXIT.usage,
      `"${text}": unknown operator ".${name}".`,
      `Operators: ${[...OPERATORS.keys()].join(", ")}, for example ${field}.contains=x.`,
    );
  // An empty variable in a script would otherwise find everything.
  if (value === "") throw new CliError(EXIT.usage, `"${text}" has no value.`, `Write ${text}value.`);
  if ((operator === "starts" && value.startsWith("*")) || (operator === "ends" && value.endsWith("*")))
    throw new CliError(
      EXIT.usage,
      `"${text}": an asterisk at that end is a wildcard.`,
      `Omit it, or write ${field}.contains=${value.replaceAll("*", "")}.`,
    );
  return `${not === undefined ? "" : "-"}${printTerm({ field, operator, value, negated: false } as Term)}`;
}

/** The shell-safe spelling of a term. */
export function toShell({ field, operator, value, negated }: Term): string {
  const name = negated ? `not.${field}` : field;
  if (operator === "is" || operator === "on" || operator === "null") return `${name}=${value}`;
  if (value === "") return `${name}=*`;
  const [called] = [...OPERATORS].find(([, own]) => own === operator)!;
  return `${name}.${called}=${value}`;
}

/** A term as it is typed in a shell: as on the wire if that needs no quotes. */
export function typed(term: Term): string {
  const wire = printTerm(term);
  return quoted(wire) === wire ? wire : quoted(toShell(term));
}
