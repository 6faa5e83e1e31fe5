import type { User } from "../../wire/resources.ts";
import { parseQuery, parseTerm, printTerm, QueryError, type Query, type Term } from "../../wire/search/query.ts";
import { asSentence, hintFor, inWords } from "../../wire/search/query-words.ts";
import { fold } from "../../text/fold.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { quoted, say } from "../output/text.ts";
import { pastedAddress, wordsOf, type Searched, type SearchFlag, type SearchFlags } from "./flags.ts";
import { literalWildcard, notATerm, printQuoted, unknownFieldHint } from "./hints.ts";

/** A search: its text on the wire, and its meaning if svc knows every field in it, or else what is wrong. */
type Parsed =
  | { readonly text: string; readonly query: Query; readonly unknown?: undefined }
  | { readonly text: string; readonly query?: undefined; readonly unknown: UsageError };

/** The same with what `--name` leaves out of the rows that it finds. */
export type TypedQuery = Parsed & { readonly filter: Filter | undefined };

/**
 * The search that terms and flags make.
 * An unknown field is not refused here: the service may have more of them.
 */
export function readQuery(
  context: Context,
  searched: Searched,
  terms: readonly string[],
  flags: SearchFlags,
): TypedQuery {
  const words = [...(flags.query ?? []), ...terms].flatMap(wordsOf);
  const typed = words.map((text) => ({ text, typed: quoted(text) }));
  const every = [...typed, ...termsOf(flags, searched, context.now())];
  const all = every.map(({ text }) => text);
  if (all.length === 0) {
    const list = `svc ${searched.noun} list${flags.limit === undefined ? "" : ` --limit ${flags.limit}`}`;
    throw new UsageError("No search terms.", `To list all: ${list}. To search, for example: ${searched.example}`);
  }
  for (const term of all) if (!TERM.test(term)) throw notATerm(term, searched, all);
  const read = parsed(all.join(" "), searched);
  if (read.query) refuseAlternatives(read.query, every, searched);
  const literal = read.query && literalWildcard(read.query);
  if (literal !== undefined) say(context, literal);
  return { ...read, filter: nameFilter(flags.name, read.query) };
}

/** What has a sign between a field and a value. */
const TERM = /^(?!!)-{0,2}[^:<>=]*[:<>=]/;
const FIELD_NAME = /^[a-z][a-z0-9_]*$/;

function parsed(text: string, searched: Searched): Parsed {
  try {
    return { text, query: parseQuery(text, searched.fields) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { unknownField = "" } = error.at;
    if (FIELD_NAME.test(unknownField))
      return { text, unknown: new UsageError(error.message, unknownFieldHint(unknownField, text, searched)) };
    throw new UsageError(asSentence(error.message), hintOf(error, searched));
  }
}

/** What was probably meant; or what to write for a date that is relative to now, which only a flag takes. */
function hintOf(error: QueryError, { fields, flags }: Searched): string | undefined {
  const { unknownField = "", dateOf = "" } = error.at;
  // The rest of a time.
  if (/^\d\d?$/.test(unknownField)) return "Write a time without a space, such as 2026-01-31T23:59:59Z.";
  const hasFlag = flags.some(({ name, term }) => name === "--since" && term === `${dateOf}>=`);
  const before = hasFlag ? "For a time before now, use --since or --until: --since 1d, --until 12h." : undefined;
  return hintFor(error, fields, printQuoted) ?? before;
}

/** A term on the wire, and as it was typed: itself, or a flag with its value. */
interface Given {
  readonly text: string;
  readonly flag?: string;
  readonly typed: string;
}

/** The terms that flags stand for. */
function termsOf(flags: SearchFlags, searched: Searched, now: Date): Given[] {
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
function refuseAlternatives(query: Query, all: readonly Given[], { fields, noun }: Searched): void {
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
function nameFilter(names: readonly string[] = [], query: Query = []): Filter | undefined {
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
