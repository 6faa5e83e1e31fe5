import type { Query } from "../../wire/search/query.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import type { Given } from "./alternatives.ts";
import { pastedAddress, type Named } from "./flag-values.ts";
import type { Searched, SearchFlag, SearchFlags } from "./flags.ts";

/** The terms that flags stand for. */
export function termsOf(flags: SearchFlags, searched: Searched, now: Date): Given[] {
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

function termOf({ name, argument, term, value, finer }: SearchFlag, given: string, now: Date): string {
  // An empty variable without quotes leaves the next flag as the value.
  if (/^--[a-z]/.test(given))
    throw new UsageError(
      `${name} has no value: "${given}" is a flag.`,
      "Check that the variable is set, and quote it.",
    );
  const text = pastedAddress(given);
  if (text === "") throw new UsageError(`${name} is empty.`, "Check that the variable is set.");
  if (/\s/.test(text) && argument !== "<time>" && (!finer?.isNeeded(text) || text.includes("*")))
    throw new UsageError(
      `${name}: a value cannot contain a space.`,
      `Search for one of the words: ${name} ${text.split(/\s+/).at(-1)}`,
    );
  return term + value!(text, now);
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
      inWords: `${field} ${values.map(finer.inWords).join(" or ")}`,
      keeps: (row: Named): boolean => tests.some((test) => test(row)),
    };
  });
}

function camelCase(flag: string): string {
  return flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
