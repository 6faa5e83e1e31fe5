import type { Clause, Query, Term } from "../../../wire/search/query.ts";
import { fold } from "../../../text/fold.ts";
import type { Position } from "../store.ts";

/** A record in a list, with its place there and the folded texts of the columns that were searched. */
export class Row<Record extends object> implements Position {
  readonly record: Record;
  readonly time: string;
  readonly id: string;
  #folded: { [column: string]: string } | undefined;

  constructor(record: Record & { readonly id: string }, time: string) {
    this.record = record;
    this.time = time;
    this.id = record.id;
  }

  text(column: string): string | null {
    const known = this.#folded?.[column];
    if (known !== undefined) return known;
    const stored = columnOf(this.record, column);
    if (stored === null) return null;
    this.#folded ??= {};
    return (this.#folded[column] = fold(stored));
  }
}

function columnOf(record: object, column: string): string | null {
  return (record as Readonly<{ [name: string]: string | null }>)[column] ?? null;
}

type Matches<Record extends object> = (row: Row<Record>) => boolean;

/**
 * A query, prepared to be matched against many records.
 * @param linksOf the records of another table that belong to one, for fields `of` it
 */
export function matcher<Record extends object>(
  query: Query,
  linksOf: (record: Record) => readonly object[] = () => [],
): Matches<Record> {
  const clauses = query.map((clause) => clauseMatcher(clause, linksOf));
  return (row) => clauses.every((matches) => matches(row));
}

function clauseMatcher<Record extends object>(
  clause: Clause,
  linksOf: (record: Record) => readonly object[],
): Matches<Record> {
  const { type } = clause;
  const matchers = (terms: readonly Term[]) => terms.map((term) => termMatcher(term, type));
  const [values, range, excluded] = [matchers(clause.values), matchers(clause.range), matchers(clause.excluded)];
  const isAnyWanted = values.length + range.length === 0;
  const isWanted = (value: string | null): boolean =>
    values.some((matches) => matches(value)) || (range.length > 0 && range.every((matches) => matches(value)));
  const isExcluded = (value: string | null): boolean => excluded.some((matches) => matches(value));
  const { of, column } = clause;
  if (of)
    return ({ record }) => {
      const links = linksOf(record);
      const stored = links.length === 0 ? [null] : links.map((link) => fold(columnOf(link, column)!));
      return !stored.some(isExcluded) && (isAnyWanted || stored.some(isWanted));
    };
  return (row) => {
    const value = valueOf(row, column, type);
    return !isExcluded(value) && (isAnyWanted || isWanted(value));
  };
}

function valueOf(row: Row<object>, column: string, type: Clause["type"]): string | null {
  if (type === "string") return row.text(column);
  const stored = columnOf(row.record, column);
  // A boolean tells whether a column is null.
  return type === "boolean" ? String(stored === null) : stored;
}

type Comparison = (stored: string, wanted: string, bound: string) => boolean;

const COMPARISONS: Readonly<{ [Operator in Exclude<Term["operator"], "null">]: Comparison }> = {
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

/** Whether a term matches a value. A null satisfies `null` alone, and so the negation of everything else. */
function termMatcher({ operator, value }: Term, type: Clause["type"]): (stored: string | null) => boolean {
  if (operator === "null") return (stored) => stored === null;
  const compare = COMPARISONS[operator];
  const wanted = type === "string" ? fold(value) : value;
  // In a comparison, a date means its beginning.
  const bound = value.length === 10 ? `${value}T00:00:00.000Z` : value;
  return (stored) => stored !== null && compare(stored, wanted, bound);
}
