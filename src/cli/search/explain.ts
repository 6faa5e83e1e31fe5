import { isSplit, printQuery, termsIn, type Query, type Term } from "../../wire/search/query.ts";
import { inWords } from "../../wire/search/query-words.ts";
import type { GlobalFlags } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { quoted, printJson, printRecord } from "../output/text.ts";
import type { Searched, SearchFlags } from "./flags.ts";
import { readQuery } from "./read.ts";
import { toShell, flagOf, type Filter } from "./terms.ts";

export const EXPLAIN_FLAG = [
  "--explain",
  "print the search in words and in every spelling, instead of sending it",
] as const;

/** Prints what a search means, and its spellings. Sends nothing. */
export async function printExplanation(
  context: Context,
  searched: Searched,
  terms: readonly string[],
  options: SearchFlags & GlobalFlags,
): Promise<void> {
  const { query, unknown, filters } = await readQuery(context, searched, terms, options);
  if (!query) throw new UsageError(`Cannot explain this search: ${unknown.message}.`, unknown.hint);
  const explanation = explain(query, searched, filters, context.now());
  if (options.json) printJson(context, explanation);
  else printRecord(context, explanation);
}

/** One query in all its spellings, and in words. */
function explain(query: Query, searched: Searched, filters: readonly Filter[], now: Date) {
  const { noun } = searched;
  const wire = printQuery(query);
  // What a filter narrows down has no spelling but its flag.
  const isFiltered = ({ field, negated }: Term): boolean => !negated && filters.some((own) => own.field === field);
  const terms = termsIn(query).filter((term) => !isFiltered(term));
  const filtering = filters.flatMap(({ flags }) => flags.map(quoted));
  // --since and --until together mean a range alone.
  const isAlternative = new Set(query.flatMap(({ values }) => (isSplit(values) ? values : [])));
  const shell = (term: Term): string => quoted(toShell(term));
  const flag = (term: Term): string | undefined =>
    isAlternative.has(term) ? undefined : flagOf(term, searched, now)?.map(quoted).join(" ");
  return {
    resource: noun,
    wire,
    means: [inWords(query, noun), ...filters.map((filter) => `of these, those whose ${filter.inWords}`)].join("; "),
    // Arguments that need no quotes, unless a value does.
    shell: [...terms.map(shell), ...filtering].join(" "),
    flags: [...terms.map((term) => flag(term) ?? shell(term)), ...filtering].join(" "),
    path: `/api/v1/${noun}/search?query=${encodeURIComponent(wire)}`,
  };
}
