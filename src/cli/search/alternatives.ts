import { parseTerm, printTerm, type Query, QueryError, type Term } from "../../wire/search/query.ts";
import { inWords } from "../../wire/search/query-words.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import type { Searched } from "./flags.ts";

/** A term on the wire, and as it was typed: itself, or a flag with its value. */
export interface Given {
  readonly text: string;
  readonly flag?: string;
  readonly typed: string;
}

/**
 * Terms of one field are alternatives (spec, "Search query language"). A flag beside another flag or term of its field reads
 * as a filter, and would widen the search. A flag that is repeated is a list of alternatives, two bounds are a range, and an
 * exclusion only narrows.
 * @throws {UsageError} that says what the search would have found
 */
export function refuseAlternatives(query: Query, all: readonly Given[], searched: Searched): void {
  for (const clause of query) {
    const own = all.flatMap((given) => {
      const term = termOf(given.text, searched);
      return term?.field === clause.field && !term.negated ? [{ ...given, term }] : [];
    });
    const isRange = (one: Term, other: Term): boolean => clause.range.length > 0 && sideOf(one) * sideOf(other) === -1;
    for (const one of own.filter(({ flag }) => flag !== undefined)) {
      const other = own.find(({ flag, term }) => flag !== one.flag && !isRange(one.term, term));
      if (!other) continue;
      const isTurned = other.flag !== undefined && sideOf(one.term) * sideOf(other.term) === -1;
      throw new UsageError(
        `${one.typed} beside ${other.typed} would find ${inWords([clause], searched.noun)}.`,
        isTurned
          ? "For a period, give the earlier time to --since: --since 30d --until 7d"
          : `Omit one: a search can't ask for both of ${clause.field}. If you mean either, write terms: ${own.map(({ term }) => quoted(printTerm(term))).join(" ")}`,
      );
    }
  }
}

function termOf(text: string, { fields }: Searched): Term | undefined {
  try {
    return parseTerm(text, fields);
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

/** 1 for a lower bound, -1 for an upper one, 0 for a value. */
function sideOf({ operator }: Term): number {
  return operator.startsWith(">") ? 1 : operator.startsWith("<") ? -1 : 0;
}
