import { type Query, type Term, printTerm } from "../../wire/search/query.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { moment } from "../quantities.ts";
import type { Given } from "./alternatives.ts";
import type { Named } from "./flag-values.ts";
import type { Searched, SearchFlag, SearchFlags } from "./flags.ts";

/** The terms that flags stand for. */
export function termsOf(flags: SearchFlags, searched: Searched, now: Date): Given[] {
  checkRange(flags, now);
  return searched.flags.flatMap((flag) => {
    const given = flags[camelCase(flag.name)];
    if (given === undefined) return [];
    if (given === true) return [{ text: flag.term, flag: flag.name, typed: flag.name }];
    return (given as string[]).map((value) => ({
      text: termOf(flag, value, now),
      flag: flag.name,
      typed: `${flag.name} ${quoted(value)}`,
    }));
  });
}

function termOf({ name, argument, term, value, finer }: SearchFlag, text: string, now: Date): string {
  // An empty variable without quotes leaves the next flag as the value.
  if (/^--[a-z]/.test(text))
    throw new UsageError(`${name} has no value: "${text}" is a flag.`, "Check that the variable is set, and quote it.");
  if (text.trim() === "") throw new UsageError(`${name} is empty.`, "Check that the variable is set.");
  if (/\s/.test(text) && argument !== "<time>" && (!finer?.isNeeded(text) || text.includes("*")))
    throw new UsageError(
      `${name}: a value cannot contain a space.`,
      `Search for one of the words: ${name} ${text.trim().split(/\s+/).at(-1)}`,
    );
  return term + value!(text, now);
}

/** The flag that means a term, with its value. */
export function flagOf(term: Term, { flags }: Searched, now: Date): readonly string[] | undefined {
  const wire = printTerm(term);
  for (const flag of flags) {
    const text = wire.slice(flag.term.length).replace(/^\*|\*$/g, "");
    try {
      if (!flag.argument && wire === flag.term) return [flag.name];
      if (flag.argument && wire === termOf(flag, text, now)) return [flag.name, text];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
  }
  return undefined;
}

/** What is left out of the rows that a query finds. */
export type Filter = ReturnType<typeof filtersOf>[number];

/** A filter for each flag with values that its terms can't say. */
export function filtersOf(flags: SearchFlags, { flags: known }: Searched, query: Query) {
  return known.flatMap(({ name, finer }) => {
    const values = (flags[camelCase(name)] ?? []) as readonly string[];
    if (!finer || !values.some(finer.isNeeded)) return [];
    const { field } = finer;
    const tests = values.map(finer.test).filter((test) => test !== undefined);
    const wanted = query.find((clause) => clause.field === field)?.values ?? values;
    if (tests.length < wanted.length)
      throw new UsageError(
        `${name} ${quoted(values.find(finer.isNeeded)!)} goes with no other term of ${field}.`,
        "Search for each by itself.",
      );
    return {
      field,
      /** The flags that mean it, with their values. */
      flags: values.flatMap((value) => [name, value]),
      inWords: `${field} ${values.map(finer.inWords).join(" or ")}`,
      keeps: (row: Named): boolean => tests.some((test) => test(row)),
    };
  });
}

/** Terms would then find what is outside, but a person who gives both flags means a period. */
function checkRange(flags: SearchFlags, now: Date): void {
  const times = (name: "since" | "until"): number[] =>
    ((flags[name] ?? []) as string[]).map((text) => Date.parse(moment(`--${name}`, text, now)));
  const [since, until] = [times("since"), times("until")];
  if (since.length > 0 && until.length > 0 && Math.min(...since) >= Math.max(...until))
    throw new UsageError(
      "--since is not before --until.",
      "To find what happened from 30 to 7 days ago: --since 30d --until 7d",
    );
}

function camelCase(flag: string): string {
  return flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

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

/** A term as it is on the wire; one that is written so already is left as it is. */
export function toWire(text: string): string {
  const parts = SHELL_TERM.exec(text);
  if (!parts) return text;
  const [, not, field = "", name = "eq", value = ""] = parts;
  const operator = OPERATORS.get(name);
  if (!operator)
    throw new UsageError(
      `"${text}": unknown operator ".${name}".`,
      `Operators: ${[...OPERATORS.keys()].join(", ")}, for example ${field}.contains=x.`,
    );
  // An empty variable in a script would otherwise find everything.
  if (value === "") throw new UsageError(`"${text}" has no value.`, `Write ${text}value.`);
  if ((operator === "starts" && value.startsWith("*")) || (operator === "ends" && value.endsWith("*")))
    throw new UsageError(
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
