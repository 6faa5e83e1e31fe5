import type { Clause, Query, Term } from "../../../wire/query.ts";
import { fold } from "../fold.ts";

/** A query made ready to be asked of many records. */
export function matcher(query: Query): (record: object) => boolean {
  const clauses = query.map(clauseMatcher);
  return (record) => clauses.every((matches) => matches(record));
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

/** A null satisfies `null` alone, and so the negation of everything else. */
function termMatcher(term: Term, type: Clause["type"]): (value: string | null) => boolean {
  const wanted = type === "string" ? fold(term.value) : term.value;
  switch (term.operator) {
    case "null":
      return (value) => value === null;
    case "is":
      return (value) => value !== null && value === wanted;
    case "on":
    case "starts":
      return (value) => value !== null && value.startsWith(wanted);
    case "ends":
      return (value) => value !== null && value.endsWith(wanted);
    case "contains":
      return (value) => value !== null && value.includes(wanted);
    default:
      return comparison(term.operator, wanted.length === 10 ? `${wanted}T00:00:00.000Z` : wanted);
  }
}

function comparison(operator: ">" | "<" | ">=" | "<=", bound: string): (value: string | null) => boolean {
  switch (operator) {
    case ">":
      return (value) => value !== null && value > bound;
    case "<":
      return (value) => value !== null && value < bound;
    case ">=":
      return (value) => value !== null && value >= bound;
    case "<=":
      return (value) => value !== null && value <= bound;
  }
}
