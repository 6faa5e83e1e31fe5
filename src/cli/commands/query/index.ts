import { Option } from "commander";
import { runs, withHelp, type GlobalFlags, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { printJson, printRecord } from "../../output/text.ts";
import { explain } from "../../search/explain.ts";
import { addAnySearchFlags, SESSIONS, USERS, type Searched, type SearchFlags } from "../../search/flags.ts";
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
