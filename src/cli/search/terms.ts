import type { Query, Term } from "../../wire/search/query.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { quoted } from "../output/format.ts";
import type { Named } from "./finer.ts";
import { moment } from "../quantities.ts";
import type { Searched, SearchFlags } from "./flags.ts";

/** The terms that flags stand for, on the wire. @throws {CliError} for a flag without a value, and for one that can match nothing */
export function termsOf(flags: SearchFlags, searched: Searched, now: Date): string[] {
  checkRange(flags, now);
  return searched.flags.flatMap(({ name, argument, write, finer }) => {
    const given = flags[camelCase(name)];
    if (given === undefined) return [];
    if (given === true) return [write("", now)];
    return (given as string[]).map((value) => {
      // An empty variable without quotes leaves the next flag as the value.
      if (/^--[a-z]/.test(value))
        throw new CliError(
          EXIT.usage,
          `${name} has no value: "${value}" is a flag.`,
          "Check that the variable is set, and quote it.",
        );
      if (value.trim() === "") throw new CliError(EXIT.usage, `${name} is empty.`, "Check that the variable is set.");
      if (/\s/.test(value) && argument !== "<time>" && (!finer?.isNeeded(value) || value.includes("*")))
        throw new CliError(
          EXIT.usage,
          `${name}: a value cannot contain a space.`,
          `Search for one of the words: ${name} ${value.trim().split(/\s+/).at(-1)}`,
        );
      return write(value, now);
    });
  });
}

/** What is left out of the rows that a query finds. */
export interface Filter {
  readonly field: string;
  /** The flags that mean it, with their values. */
  readonly flags: readonly string[];
  readonly inWords: string;
  keeps(row: Named): boolean;
}

/**
 * A filter for each flag with values that its terms can't say.
 * @throws {CliError} if other terms of the same field find rows that the filter would leave out
 */
export function filtersOf(flags: SearchFlags, { flags: known }: Searched, query: Query): Filter[] {
  return known.flatMap(({ name, finer }) => {
    const values = (flags[camelCase(name)] ?? []) as readonly string[];
    if (!finer || !values.some(finer.isNeeded)) return [];
    const { field } = finer;
    const tests = values.map(finer.test).filter((test) => test !== undefined);
    const wanted = query.find((clause) => clause.field === field)?.values ?? values;
    if (tests.length < wanted.length)
      throw new CliError(
        EXIT.usage,
        `${name} ${quoted(values.find(finer.isNeeded)!)} goes with no other term of ${field}.`,
        "Search for each by itself.",
      );
    return {
      field,
      flags: values.flatMap((value) => [name, value]),
      inWords: `${field} ${values.map(finer.inWords).join(" or ")}`,
      keeps: (row) => tests.some((test) => test(row)),
    };
  });
}

/**
 * Terms would then find what is outside, but a person who gives both flags means a period.
 * @throws {CliError} for a period that ends before it begins
 */
function checkRange(flags: SearchFlags, now: Date): void {
  const times = (name: "since" | "until"): number[] =>
    ((flags[name] ?? []) as string[]).map((text) => Date.parse(moment(`--${name}`, text, now)));
  const [since, until] = [times("since"), times("until")];
  if (since.length > 0 && until.length > 0 && Math.min(...since) >= Math.max(...until))
    throw new CliError(
      EXIT.usage,
      "--since is not before --until.",
      "To find what happened from 30 to 7 days ago: --since 30d --until 7d",
    );
}

/** The flag that means a term. Undefined if there is none. */
export function flagOf(term: Term, { flags }: Searched): readonly string[] | undefined {
  for (const { name, argument, read } of flags) {
    const value = read(term);
    if (value !== undefined) return argument ? [name, value] : [name];
  }
  return undefined;
}

function camelCase(flag: string): string {
  return flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
