import type { Command } from "commander";
import { isUuid } from "../../../wire/ids.ts";
import { openClient } from "../../connection/client.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { USER_COLUMNS } from "../../list/columns.ts";
import { addFieldsFlag, chosenBy, type ListFlags } from "../../list/flags.ts";
import { printResource } from "../../list/record.ts";
import { shortIdHint } from "../../list/ids.ts";
import { printsRows } from "../../output/flags.ts";
import { findByEmail } from "./by-email.ts";

export type GetOptions = GlobalFlags & Pick<ListFlags, "fields">;

export function addGet(users: Command, context: Context): void {
  const command = users.command("get").argument("<user>", "an id or e-mail address").description("print one user");
  withHelp(addFieldsFlag(printsRows(command), USER_COLUMNS), {
    examples: [
      ["svc users get 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "by id"],
      ["svc users get ada@acme.test", "by e-mail address"],
      ["svc users get ada@acme.test --fields name,created_at", "only some of its fields"],
    ],
    exits: [EXIT.done, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.unreachable],
    notes: "Several users: svc users search id:<id> id:<id>",
  });
  runs(command, (options: GetOptions, user: string) => runGet(context, options, user));
}

/** Prints the user with an id or an e-mail address. */
export async function runGet(context: Context, options: GetOptions, user: string): Promise<void> {
  const chosen = chosenBy(options.fields, USER_COLUMNS);
  if (!user.includes("@") && !isUuid(user.toLowerCase()))
    throw new CliError(
      EXIT.usage,
      `"${user}" is not a user id or e-mail address.`,
      shortIdHint(user, "users") ??
        `Find the user with: svc users search name.contains=${user.replace(/[^\p{L}\p{N}._-]/gu, "") || "ada"}`,
    );
  const client = await openClient(context, options);
  const found = user.includes("@") ? await findByEmail(client, user) : await client.users.get(user);
  await printResource(context, options, USER_COLUMNS, found, chosen);
}
