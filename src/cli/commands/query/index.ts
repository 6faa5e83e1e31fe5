import { Option } from "commander";
import { printQuery, termsIn, type Query } from "../../../wire/query.ts";
import { inWords } from "../../../wire/query-words.ts";
import { runs, withHelp, type GlobalFlags, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { quoted } from "../../output/format.ts";
import { printJson, printRecord } from "../../output/text.ts";
import { addAnySearchFlags, SESSIONS, USERS, type Searched, type SearchFlags } from "../../search/flags.ts";
import { toShell } from "../../search/spelling.ts";
import { flagOf } from "../../search/terms.ts";
import { readQuery } from "../../search/read.ts";
import { unknownFieldHint } from "../../search/unknown-field.ts";

export interface ExplainOptions extends SearchFlags, GlobalFlags {
  readonly resource: Searched["noun"];
}

export function addQuery(program: Program, context: Context): void {
  const query = program.command("query");

  const command = query
    .command("explain [term...]")
    .description("explain a search in words, and print it in every spelling; sends nothing")
    .addOption(
      new Option("--resource <resource>", "what to search for").choices(["users", "sessions"]).default("users"),
    );
  withHelp(addAnySearchFlags(command), {
    examples: [
      ["svc query explain 'email:*@acme.test' '-name:bot*'", "a search for users"],
      ["svc query explain created_at.gte=2026-01-01", "without characters that the shell interprets"],
      ["svc query explain --resource sessions not.provider=github", "a search for sessions"],
    ],
    exits: [EXIT.done, EXIT.usage],
  });
  runs(command, (options: ExplainOptions, terms: string[]) => runExplain(context, options, terms));
}

/** Prints what a search means, and its spellings. Sends nothing. */
export async function runExplain(context: Context, options: ExplainOptions, terms: readonly string[]): Promise<void> {
  const searched = options.resource === "users" ? USERS : SESSIONS;
  const { text, query, unknown } = await readQuery(context, searched, terms, options);
  if (!query) throw unexplained(text, unknown, searched);
  const explanation = explain(query, searched);
  if (options.json) return printJson(context, explanation);
  printRecord(context, { ...explanation });
}

function unexplained(text: string, unknown: Error, searched: Searched): CliError {
  const other = searched === USERS ? SESSIONS : USERS;
  return new CliError(
    EXIT.usage,
    `Cannot explain this search: ${unknown.message}.`,
    unknownFieldHint(text, searched, () => "--resource sessions") ??
      `For a search of ${other.noun}, add --resource ${other.noun}.`,
  );
}

/** One query in all its spellings, and in words. */
interface Explanation {
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

function explain(query: Query, searched: Searched): Explanation {
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
