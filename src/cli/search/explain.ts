import { printQuery, termsIn, type Query } from "../../wire/query.ts";
import { inWords } from "../../wire/query-words.ts";
import type { Searched } from "./flags.ts";
import { quoted } from "../output/format.ts";
import { toShell } from "./spelling.ts";
import { flagOf } from "./terms.ts";

/** One query in all its spellings, and in words. */
export interface Explanation {
  readonly resource: string;
  /** As it is sent. */
  readonly wire: string;
  readonly means: string;
  /** Arguments that need no quotes, unless a value does. */
  readonly shell: string;
  /** With flags for the terms that have one. */
  readonly flags: string;
  readonly path: string;
}

export function explain(query: Query, searched: Searched): Explanation {
  const { noun } = searched;
  const wire = printQuery(query);
  const terms = termsIn(query);
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
