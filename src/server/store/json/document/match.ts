import type { Clause, Query, Term } from "../../../../wire/search/query.ts";
import { fold } from "../../../../wire/text/fold.ts";

/**
 * A query, prepared to be matched against many records.
 * @param linksOf the records of another table that belong to one, for fields `of` it
 */
export function matcher<Row extends object>(
  query: Query,
  linksOf: (row: Row) => readonly object[] = () => [],
): (row: Row) => boolean {
  const clauses = query.map((clause) => (clause.of ? linkMatcher(clause, linksOf) : clauseMatcher(clause)));
  return (row) => clauses.every((matches) => matches(row));
}

function linkMatcher<Row>(
  { column, type, ...clause }: Clause,
  linksOf: (row: Row) => readonly object[],
): (row: Row) => boolean {
  const values = clause.values.map((term) => termMatcher(term, type));
  const excluded = clause.excluded.map((term) => termMatcher(term, type));
  return (row) => {
    const links = linksOf(row) as readonly Record<string, string>[];
    const stored = links.length === 0 ? [null] : links.map((link) => fold(link[column]!));
    if (excluded.some((matches) => stored.some(matches))) return false;
    return values.length === 0 || values.some((matches) => stored.some(matches));
  };
}

function clauseMatcher(clause: Clause): (record: object) => boolean {
  const { column, type } = clause;
  const values = clause.values.map((term) => termMatcher(term, type));
  const range = clause.range.map((term) => termMatcher(term, type));
  const excluded = clause.excluded.map((term) => termMatcher(term, type));
  const wanted = values.length + range.length > 0;
  return (record) => {
    const stored = (record as Record<string, string | null>)[column] ?? null;
    const value =
      type === "boolean" ? String(stored === null) : stored !== null && type === "string" ? fold(stored) : stored;
    if (excluded.some((matches) => matches(value))) return false;
    return (
      !wanted ||
      values.some((matches) => matches(value)) ||
      (range.length > 0 && range.every((matches) => matches(value)))
    );
  };
}

type Comparison = (stored: string, wanted: string, bound: string) => boolean;

const COMPARISONS: Readonly<Record<Exclude<Term["operator"], "null">, Comparison>> = {
  is: (stored, wanted) => stored === wanted,
  on: (stored, wanted) => stored.startsWith(wanted),
  starts: (stored, wanted) => stored.startsWith(wanted),
  ends: (stored, wanted) => stored.endsWith(wanted),
  contains: (stored, wanted) => stored.includes(wanted),
  ">": (stored, _, bound) => stored > bound,
  "<": (stored, _, bound) => stored < bound,
  ">=": (stored, _, bound) => stored >= bound,
  "<=": (stored, _, bound) => stored <= bound,
};

/** Whether a term matches a value, which is folded if it is text. A null satisfies `null` alone, and so the negation of everything else. */
export function termMatcher({ operator, value }: Term, type: Clause["type"]): (stored: string | null) => boolean {
  if (operator === "null") return (stored) => stored === null;
  const compare = COMPARISONS[operator];
  const wanted = type === "string" ? fold(value) : value;
  // In a comparison, a date means its beginning.
  const bound = value.length === 10 ? `${value}T00:00:00.000Z` : value;
  return (stored) => stored !== null && compare(stored, wanted, bound);
}
