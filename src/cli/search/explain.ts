import { parseQuery, printQuery, type Clause, type Query, type Term } from "../../wire/query.ts";
import { flagOf, type Searched } from "./flags.ts";
import { quoted, toShell } from "./spelling.ts";

/** One query in all its spellings, and in words. */
export interface Explanation {
  readonly resource: string;
  /** As it is sent. */
  readonly wire: string;
  readonly means: string;
  /** Arguments that need no quotes, but for what a value holds. */
  readonly shell: string;
  /** By flags, where there are some for it. */
  readonly flags: string;
  readonly path: string;
}

/** @throws {QueryError} */
export function explain(text: string, searched: Searched): Explanation {
  const { noun, fields } = searched;
  const query = parseQuery(text, fields);
  const wire = printQuery(query);
  const terms = query.flatMap(({ values, range, excluded }) => [...values, ...range, ...excluded]);
  const shell = terms.map((term) => quoted(toShell(term)));
  const flags = terms.map((term) => flagOf(term, searched)?.map(quoted).join(" ") ?? quoted(toShell(term)));
  return {
    resource: noun,
    wire,
    means: inWords(query, noun),
    shell: shell.join(" "),
    flags: flags.join(" "),
    path: `/api/v1/${noun}/search?query=${encodeURIComponent(wire)}`,
  };
}

function inWords(query: Query, noun: string): string {
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
