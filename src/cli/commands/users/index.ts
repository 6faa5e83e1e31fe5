import { isUuid } from "../../../wire/ids.ts";
import type { User } from "../../../wire/resources.ts";
import { runs, type Program, type GlobalFlags } from "../../command.ts";
import { openClient } from "../../connection/client.ts";
import type { Context } from "../../context.ts";
import { UsageError, EXIT } from "../../errors.ts";
import { USER_COLUMNS, SESSION_COLUMNS, shortIdHint } from "../../list/columns.ts";
import { addFieldsFlag, chosenBy, type ListFlags } from "../../list/flags.ts";
import { picked } from "../../list/formats.ts";
import { printAll, printResource } from "../../list/print.ts";
import { formatOf, printsRows } from "../../output/flags.ts";
import { quoted, printJson } from "../../output/text.ts";
import { USERS } from "../../search/flags.ts";
import { addListAndSearch, type Records } from "../record-commands.ts";
import { addDelete } from "./delete/index.ts";
import { findByEmail } from "./look-up.ts";

export const USER_RECORDS: Records<User> = {
  columns: USER_COLUMNS,
  searched: USERS,
  order: "newest first",
  examples: {
    list: [
      ["svc users list --limit 20", "the 20 newest users"],
      ["svc users list --output csv --bom > users.csv", "all users, for Excel"],
      ["svc users list --count", "the number of users"],
    ],
    search: [
      ["svc users search 'email:*@acme.test'", "all users of one domain"],
      ["svc users search 'name:ada*' 'created_at>=2026-01-01' 'created_at<2026-02-01'", "by name, created in January"],
      ["svc users search email.ends=@acme.test -name:bot", "all but those named bot"],
      ["svc users search email_verified_at:null", "users without a verified address"],
      ["svc users search --provider github", "users who can sign in through github"],
      ["svc users search --explain 'created_at<2026-01-10' 'created_at>2026-03-04'", "what a search means"],
      ["svc users search --email-domain acme.test --since 7d --output ids", "the ids of a week, for another command"],
    ],
  },
  of: ({ users }) => users,
};

export function add(program: Program, context: Context): void {
  const users = program.command("users");
  const get = users
    .command("get")
    .argument("<user>", "an id or e-mail address")
    .description("print one user")
    .option("--sessions", "print the user's sessions as well, the most recent sign-in first");
  runs(addFieldsFlag(printsRows(get), USER_COLUMNS), context, runGet, {
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

  addListAndSearch(users, context, USER_RECORDS);
  addDelete(users, context);
}

export type GetOptions = GlobalFlags & Pick<ListFlags, "fields"> & { readonly sessions?: boolean };

/** Formats in which every row has the same columns. */
const OF_ONE_KIND: readonly string[] = ["csv", "tsv", "ids"];

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
