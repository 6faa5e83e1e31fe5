import type { Command } from "commander";
import { openClient } from "../../connection/client.ts";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { LIST_EXITS, type ExitCode } from "../../exit-codes.ts";
import { SESSION_COLUMNS } from "../../list/columns.ts";
import { addListFlags, shapeOf } from "../../list/flags.ts";
import { printPages } from "../../list/print-pages.ts";
import { printsRows } from "../../output/flags.ts";
import { addSearchFlags, SESSIONS, type SearchFlags } from "../../search/flags.ts";
import { nothingFound, SEARCH_NOTES } from "../../search/help.ts";
import { readQuery } from "../../search/read.ts";
import { withFieldHint } from "../../search/unknown-field.ts";
import type { ListOptions } from "./list.ts";

export type SearchOptions = ListOptions & SearchFlags;

export function addSearch(sessions: Command, context: Context): void {
  const command = printsRows(sessions.command("search")).description("print the sessions that match");
  withHelp(addListFlags(addSearchFlags(command, SESSIONS), SESSION_COLUMNS), {
    examples: [
      ["svc sessions search 'email:*@acme.com' provider:github", "of one domain, through github"],
      ["svc sessions search 'last_signin_at>=2026-01-01' -provider:google", "this year's, except google's"],
      ["svc sessions search 'ip_address:203.0.113.*' revoked_at:null", "from one network, not revoked"],
      ["svc sessions search --since 7d --active --count", "the number of a week"],
    ],
    exits: LIST_EXITS,
    notes: SEARCH_NOTES(SESSIONS),
  });
  runs(command, (options: SearchOptions, terms: string[]) => runSearch(context, options, terms));
}

/** Prints the sessions that match. @returns the exit code */
export async function runSearch(context: Context, options: SearchOptions, terms: readonly string[]): Promise<ExitCode> {
  const shape = shapeOf(options, SESSION_COLUMNS);
  const typed = await readQuery(context, SESSIONS, terms, options);
  const client = await openClient(context, options);
  const list = (page: object) => client.sessions.search(typed.query ?? typed.text, page);
  try {
    return await printPages(context, options, SESSION_COLUMNS, shape, list, nothingFound(typed, SESSIONS));
  } catch (error) {
    throw withFieldHint(error, typed.text, SESSIONS);
  }
}
