import type { Clause, Query, Term } from "./query.ts";

/** A search in words, for people: `users whose email ends with "@acme.com"`. */
export function inWords(query: Query, noun: string): string {
  return `${noun} whose ${query.map(clauseInWords).join("; and whose ")}`;
}

function clauseInWords({ field, values, range, excluded }: Clause): string {
  const bounds = range.map(termInWords).join(" and ");
  const some = [...values.map(termInWords), ...(bounds === "" ? [] : [bounds])].join(", or ");
  return `${field} ${[...(some === "" ? [] : [some]), ...excluded.map(termInWords)].join(", and ")}`;
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
      const verb = { starts: "start with", ends: "end with", contains: "contain" }[operator];
      return negated ? `does not ${verb} ${text}` : `${verb.replace(/^\w+/, "$&s")} ${text}`;
    }
    default: {
      const moment = value.length === "2026-01-31".length ? `${value} 00:00 UTC` : value;
      return `is ${{ ">": "after", ">=": "at or after", "<": "before", "<=": "at or before" }[operator]} ${moment}`;
    }
  }
}
