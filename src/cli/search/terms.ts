import type { User } from "../../wire/resources.ts";
import { parseTerm, printTerm, type Query, type Term } from "../../wire/search/query.ts";
import { inWords } from "../../wire/search/query-words.ts";
import { fold } from "../../wire/text/fold.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { pastedAddress, wordsOf } from "./flag-values.ts";
import type { Searched, SearchFlag, SearchFlags } from "./flags.ts";

/** A term on the wire, and as it was typed: itself, or a flag with its value. */
interface Given {
  readonly text: string;
  readonly flag?: string;
  readonly typed: string;
}

/** The terms that flags stand for. */
export function termsOf(flags: SearchFlags, searched: Searched, now: Date): Given[] {
  return searched.flags.flatMap((flag) => {
    const given = flags[flag.name.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (given === undefined) return [];
    if (given === true) return [{ text: flag.term, flag: flag.name, typed: flag.name }];
    return (given as string[]).map((value) => ({
      text: termOf(flag, value, now),
      flag: flag.name,
      typed: `${flag.name} ${quoted(value)}`,
    }));
  });
}

function termOf({ name, term, value, takesWords }: SearchFlag, given: string, now: Date): string {
  // An empty variable without quotes leaves the next flag as the value.
  if (/^--[a-z]/.test(given))
    throw new UsageError(
      `${name} has no value: "${given}" is a flag.`,
      "Check that the variable is set, and quote it.",
    );
  const text = pastedAddress(given);
  if (text === "") throw new UsageError(`${name} is empty.`, "Check that the variable is set.");
  if (/\s/.test(text) && (!takesWords || text.includes("*")))
    throw new UsageError(
      `${name}: a value cannot contain a space.`,
      `Search for one of the words: ${name} ${text.split(/\s+/).at(-1)}`,
    );
  return term + value!(text, now);
}

/**
 * Terms of one field are alternatives (spec, "Search query language"). A flag beside another flag or term of its field reads
 * as a filter, and would widen the search. A flag that is repeated is a list of alternatives, two bounds are a range, and an
 * exclusion only narrows.
 * @throws {UsageError} that says what the search would have found
 */
export function refuseAlternatives(query: Query, all: readonly Given[], { fields, noun }: Searched): void {
  const terms = all
    .map((given) => ({ ...given, term: parseTerm(given.text, fields) }))
    .filter(({ term }) => !term.negated);
  for (const one of terms.filter(({ flag }) => flag !== undefined)) {
    const own = terms.filter(({ term }) => term.field === one.term.field);
    const clause = query.find(({ field }) => field === one.term.field)!;
    const isOtherSide = (other: Term): boolean => sideOf(one.term) * sideOf(other) === -1;
    const other = own.find(({ flag, term }) => flag !== one.flag && !(clause.range.length > 0 && isOtherSide(term)));
    if (!other) continue;
    throw new UsageError(
      `${one.typed} beside ${other.typed} would find ${inWords([clause], noun)}.`,
      other.flag !== undefined && isOtherSide(other.term)
        ? "For a period, give the earlier time to --since: --since 30d --until 7d"
        : `Omit one: a search can't ask for both of ${clause.field}. If you mean either, write terms: ${own.map(({ term }) => quoted(printTerm(term))).join(" ")}`,
    );
  }
}

/** 1 for a lower bound, -1 for an upper one, 0 for a value. */
function sideOf({ operator }: Term): number {
  return operator.startsWith(">") ? 1 : operator.startsWith("<") ? -1 : 0;
}

/** What is left out of the rows of a query: a term can't say that a name has several words. */
export interface Filter {
  readonly inWords: string;
  keeps(row: { readonly data: Pick<User["data"], "name"> }): boolean;
}

/** The filter for the names of `--name`. Undefined if their terms say all. */
export function nameFilter(names: readonly string[] = [], query: Query = []): Filter | undefined {
  const ofWords = names.find((name) => wordsOf(name).length > 1);
  if (ofWords === undefined) return undefined;
  const { values } = query.find(({ field }) => field === "name") ?? { values: names };
  if (values.length > names.length || names.some((name) => name.includes("*")))
    throw new UsageError(`--name ${quoted(ofWords)} goes with no other term of name.`, "Search for each by itself.");
  const wanted = names.map((name) => wordsOf(fold(name)));
  return {
    inWords: `name ${names.map((name) => `contains ${wordsOf(name).join(" and ")}`).join(" or ")}`,
    keeps: ({ data }) => wanted.some((words) => words.every((word) => fold(data.name).includes(word))),
  };
}
