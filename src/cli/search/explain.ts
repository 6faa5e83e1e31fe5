import { printQuery } from "../../wire/search/query.ts";
import { inWords } from "../../wire/search/query-words.ts";
import type { GlobalFlags } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { printJson, printRecord } from "../output/text.ts";
import type { Searched, SearchFlags } from "./flags.ts";
import { readQuery } from "./read.ts";

export const EXPLAIN_FLAG = ["--explain", "print what the search means, instead of sending it"] as const;

/** Prints what a search means, and its query on the wire. Sends nothing. */
export function printExplanation(
  context: Context,
  searched: Searched,
  terms: readonly string[],
  options: SearchFlags & GlobalFlags,
): void {
  const { query, unknown, filters } = readQuery(context, searched, terms, options);
  if (!query) throw new UsageError(`Cannot explain this search: ${unknown.message}.`, unknown.hint);
  const finer = filters.map((filter) => `of these, those whose ${filter.inWords}`);
  const explanation = { means: [inWords(query, searched.noun), ...finer].join("; "), query: printQuery(query) };
  if (options.json) printJson(context, explanation);
  else printRecord(context, explanation);
}
