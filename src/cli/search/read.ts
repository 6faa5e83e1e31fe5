import { parseQuery, QueryError, type Query } from "../../wire/search/query.ts";
import { asSentence, hintFor } from "../../wire/search/query-words.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { wordsOf } from "./flag-values.ts";
import type { Searched, SearchFlags } from "./flags.ts";
import { notATerm, printQuoted, unknownFieldHint } from "./hints.ts";
import { nameFilter, refuseAlternatives, termsOf, type Filter } from "./terms.ts";

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
  { now }: Pick<Context, "now">,
  searched: Searched,
  terms: readonly string[],
  flags: SearchFlags,
): TypedQuery {
  const words = [...(flags.query ?? []), ...terms].flatMap(wordsOf);
  const typed = words.map((text) => ({ text, typed: quoted(text) }));
  const every = [...typed, ...termsOf(flags, searched, now())];
  const all = every.map(({ text }) => text);
  if (all.length === 0) throw noTerms(searched, flags.limit);
  for (const term of all) if (!TERM.test(term)) throw notATerm(term, searched, all);
  const read = parsed(all.join(" "), searched);
  if (read.query) refuseAlternatives(read.query, every, searched);
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

function noTerms({ noun, example }: Searched, limit: string | undefined): UsageError {
  const list = `svc ${noun} list${limit === undefined ? "" : ` --limit ${limit}`}`;
  return new UsageError("No search terms.", `To list all: ${list}. To search, for example: ${example}`);
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
