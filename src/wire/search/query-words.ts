import type { Clause, Query, Term } from "./query.ts";
import { isSplit } from "./query-range.ts";

/** A search in words, for people: `users whose email ends with "@acme.com"`. */
export function inWords(query: Query, noun: string): string {
  return `${noun} whose ${query.map(clauseInWords).join("; and whose ")}`;
}

function clauseInWords(clause: Clause): string {
  const { field, of, values, range, excluded } = clause;
  const words = of ? linkInWords : termInWords;
  const bounds = range.length > 0 ? [`${range.map(words).join(" and ")} (a range)`] : [];
  const some = either([...values.map(words), ...bounds]) + (isSplit(values) ? NO_OVERLAP : "");
  return `${of ? `${field}s` : field} ${[...(some === "" ? [] : [some]), ...excluded.map(words)].join(", and ")}`;
}

/** A field that is repeated means OR, which somebody may not expect. */
function either(alternatives: readonly string[]): string {
  return (alternatives.length > 1 ? "either " : "") + alternatives.join(" or ");
}

/** In two parts, between which the third person has an s. */
const VERBS = { starts: ["start", " with"], ends: ["end", " with"], contains: ["contain", ""] } as const;
/** Somebody may have meant a range. */
const NO_OVERLAP = " (these do not overlap, so either is enough)";

/** Of a field with several values. */
function linkInWords({ operator, value, negated }: Term): string {
  const text = `"${value}"`;
  switch (operator) {
    case "starts":
    case "ends":
    case "contains":
      if (value === "") return negated ? "are empty" : "are not empty";
      return `include ${negated ? "none" : "one"} that ${VERBS[operator].join("s")} ${text}`;
    case "null":
      return `are ${negated ? "not " : ""}empty`;
    default:
      return `${negated ? "do not include" : "include"} ${text}`;
  }
}

function termInWords({ operator, value, negated }: Term): string {
  const text = `"${value}"`;
  switch (operator) {
    case "is":
      return `is ${negated ? "not " : ""}${text}`;
    case "on":
      return `is ${negated ? "not " : ""}on ${value}, in UTC`;
    case "null":
      return `is ${negated ? "not " : ""}empty`;
    case "starts":
    case "ends":
    case "contains": {
      if (value === "") return negated ? "is nothing at all" : "is anything";
      return negated ? `does not ${VERBS[operator].join("")} ${text}` : `${VERBS[operator].join("s")} ${text}`;
    }
    default: {
      const moment = value.length === "2026-01-31".length ? `${value} 00:00 UTC` : value;
      return `is ${{ ">": "after", ">=": "at or after", "<": "before", "<=": "at or before" }[operator]} ${moment}`;
    }
  }
}
