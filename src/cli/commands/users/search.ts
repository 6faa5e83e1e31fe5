import type { Command } from "commander";
import { openClient } from "../../connection/client.ts";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { LIST_EXITS, type ExitCode } from "../../exit-codes.ts";
import { USER_COLUMNS } from "../../list/columns.ts";
import { addListFlags, shapeOf } from "../../list/flags.ts";
import { printPages } from "../../list/print-pages.ts";
import { printsRows } from "../../output/flags.ts";
import { addSearchFlags, USERS, type SearchFlags } from "../../search/flags.ts";
import { nothingFound, SEARCH_NOTES } from "../../search/help.ts";
import { readQuery } from "../../search/read.ts";
import { withFieldHint } from "../../search/unknown-field.ts";
import type { ListOptions } from "./list.ts";

export type SearchOptions = ListOptions & SearchFlags;

export function addSearch(users: Command, context: Context): void {
  const command = printsRows(users.command("search")).description("print the users that match");
  withHelp(addListFlags(addSearchFlags(command, USERS), USER_COLUMNS), {
    examples: [
      ["svc users search 'email:*@acme.com'", "all users of one domain"],
      ["svc users search 'name:ada*' 'created_at>=2026-01-01' 'created_at<2026-02-01'", "by name, created in January"],
      ["svc users search email.ends=@acme.com -name:bot", "all but those named bot"],
      ["svc users search email_verified_at:null", "users without a verified address"],
      ["svc users search --email-domain acme.com --since 7d --output ids", "the ids of a week, for another command"],
    ],
    exits: LIST_EXITS,
    notes: SEARCH_NOTES(USERS),
  });
  runs(command, (options: SearchOptions, terms: string[]) => runSearch(context, options, terms));
}

/** Prints the users that match. @returns the exit code */
export async function runSearch(context: Context, options: SearchOptions, terms: readonly string[]): Promise<ExitCode> {
  const shape = shapeOf(options, USER_COLUMNS);
  const typed = await readQuery(context, USERS, terms, options);
  const client = await openClient(context, options);
  const list = (page: object) => client.users.search(typed.query ?? typed.text, page);
  try {
    return await printPages(context, options, USER_COLUMNS, shape, list, nothingFound(typed, USERS));
  } catch (error) {
    throw withFieldHint(error, typed.text, USERS);
  }
}
