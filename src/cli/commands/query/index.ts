import { Option } from "commander";
import { runs, withHelp, type GlobalFlags, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { printExplanation } from "../../search/explain.ts";
import { addAnySearchFlags, SESSIONS, USERS, type Searched, type SearchFlags } from "../../search/flags.ts";
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
  const [searched, other] = options.resource === "users" ? [USERS, SESSIONS] : [SESSIONS, USERS];
  const hint = (text: string): string =>
    unknownFieldHint(text, searched, () => "--resource sessions") ??
    `For a search of ${other.noun}, add --resource ${other.noun}.`;
  return printExplanation(context, searched, terms, options, hint);
}
