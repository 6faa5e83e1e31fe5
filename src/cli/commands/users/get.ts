import type { Command } from "commander";
import { isUuid } from "../../../wire/ids.ts";
import { openClient } from "../../connection/client.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { SESSION_COLUMNS, USER_COLUMNS } from "../../list/columns.ts";
import { addFieldsFlag, chosenBy, type ListFlags } from "../../list/flags.ts";
import { picked } from "../../list/formats.ts";
import { printAll, printResource } from "../../list/print.ts";
import { shortIdHint } from "../../list/ids.ts";
import { formatOf, printsRows } from "../../output/flags.ts";
import { quoted, printJson } from "../../output/text.ts";
import { findByEmail } from "./by-email.ts";

export type GetOptions = GlobalFlags & Pick<ListFlags, "fields"> & { readonly sessions?: boolean };

/** Formats in which every row has the same columns. */
const OF_ONE_KIND: readonly string[] = ["csv", "tsv", "ids"];

export function addGet(users: Command, context: Context): void {
  const command = users
    .command("get")
    .argument("<user>", "an id or e-mail address")
    .description("print one user")
    .option("--sessions", "print the user's sessions as well, the most recent sign-in first");
  withHelp(addFieldsFlag(printsRows(command), USER_COLUMNS), {
    examples: [
      ["svc users get 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "by id"],
      ["svc users get ada@acme.test", "by e-mail address"],
      ["svc users get ada@acme.test --fields name,created_at", "only some of its fields"],
      ["svc users get ada@acme.test --sessions", "where and when she signed in as well"],
    ],
    exits: [EXIT.done, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.unreachable],
    notes: `Several users: svc users search id:<id> id:<id>

With --sessions --json an object with user and sessions is printed.`,
  });
  runs(command, (options: GetOptions, user: string) => runGet(context, options, user));
}

/** Prints the user with an id or an e-mail address, and the sessions if they are wanted. */
export async function runGet(context: Context, options: GetOptions, user: string): Promise<void> {
  const chosen = chosenBy(options.fields, USER_COLUMNS);
  if (/^[a-z_]+[:=]./.test(user))
    throw new UsageError(`"${user}" is a search term.`, `Use: svc users search ${quoted(user)}`);
  if (!user.includes("@") && !isUuid(user.toLowerCase()))
    throw new UsageError(
      `"${user}" is not a user id or e-mail address.`,
      shortIdHint(user, "users") ??
        `Find the user with: svc users search name.contains=${user.replace(/[^\p{L}\p{N}._-]/gu, "") || "ada"}`,
    );
  if (options.sessions && OF_ONE_KIND.includes(options.output ?? ""))
    throw new UsageError(
      `--sessions can't be printed as ${options.output}: users and sessions have other columns.`,
      `Use --json, or print the sessions alone: svc sessions search --user <id> --output ${options.output}`,
    );
  const client = await openClient(context, options);
  const found = user.includes("@") ? await findByEmail(client, user) : await client.users.get(user);
  if (!options.sessions) return printResource(context, options, USER_COLUMNS, found, chosen);
  const sessions = await client.sessions.search(`user_id:${found.id}`);
  const format = formatOf(options, context);
  if (format === "json") return printJson(context, { user: picked(found, chosen), sessions });
  await printResource(context, options, USER_COLUMNS, found, chosen);
  if (format !== "ndjson") context.stdout.write("\n");
  await printAll(context, options, SESSION_COLUMNS, sessions, "This user has not signed in.");
}
