import type { User } from "../../../wire/resources.ts";
import { fold } from "../../../text/fold.ts";
import { runs, type Program, type GlobalFlags } from "../../command.ts";
import { openClient, openTarget } from "../../connection/client.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { Context, Surroundings } from "../../context.ts";
import { EXIT, UsageError, type ExitCode } from "../../errors.ts";
import { addFieldsFlag, chosenBy, USER_COLUMNS, type Column, type ListFlags } from "../../list/columns.ts";
import { isTable, printList, printResource } from "../../list/print.ts";
import { formatOf, printsRows } from "../../output/flags.ts";
import { quoted } from "../../output/text.ts";
import { USERS } from "../../search/flags.ts";
import { addListAndSearch, type Records } from "../record-commands.ts";
import { addDelete } from "./delete/index.ts";
import { lookUp, onlyOne, sayNotFound } from "./look-up.ts";
import { isAddress, readNames, type NameFlags } from "./names.ts";

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
      ["svc users search --name ada", "people by a part of the name"],
      ["svc users search 'email:*@acme.test'", "all users of one domain"],
      ["svc users search --email-domain acme.test -name:bot", "all but those named bot"],
      ["svc users search --email-domain acme.test --since 7d --fields id", "the ids of a week"],
    ],
  },
  of: ({ users }) => users,
};

export function add(program: Program, context: Surroundings): void {
  const users = program.command("users");
  const get = users
    .command("get")
    .argument("[user...]", "ids or e-mail addresses; - reads them from standard input, one a line")
    .description("print users by id or e-mail address")
    .option("--file <file>", "read ids or e-mail addresses from a file, one a line")
    .option("--column <name>", "read them from this column of a spreadsheet in CSV")
    .option("--all", "everything of one user: also sessions, and with the control API accounts and latest sign-ins");
  runs(addFieldsFlag(printsRows(get), USER_COLUMNS), context, { on: "instance" }, runGet, {
    examples: [
      ["svc users get ada@acme.test", "one user"],
      ["svc users get --file leavers.txt", "who of a list is there"],
      ["svc users get ada@acme.test --fields name,created_at", "only some of the fields"],
      ["svc users get ada@acme.test --all --json", "what she may ask for by law, as one document"],
    ],
    notes: `Of several users, those that were not found are named on standard error; the exit code is 3 if all of them are missing.
The accounts at providers are shown where the control API is known. Sessions: svc sessions search --user <user>`,
  });

  addListAndSearch(users, context, USER_RECORDS);
  addDelete(users, context);
}

export type GetOptions = GlobalFlags & NameFlags & Pick<ListFlags, "fields"> & { readonly all?: boolean };

export async function runGet(context: Context, options: GetOptions, given: readonly string[]): Promise<ExitCode> {
  const chosen = chosenBy(options.fields, USER_COLUMNS);
  const [user, ...others] = given;
  const isOne = options.file === undefined && user !== undefined && user !== "-" && others.length === 0;
  if (options.all && (!isOne || chosen || !["table", "json", undefined].includes(options.output)))
    throw new UsageError(
      "--all prints everything of one user, for people or as JSON.",
      "Give one id or e-mail address, without --fields, and with no other format than --json.",
    );
  if (isOne) return getOne(context, options, user, chosen);
  if (user === undefined && options.file === undefined && options.column === undefined)
    throw new UsageError("No users given.", "Give an id or e-mail address, or --file <file>.");
  const names = await readNames(context, given, options);
  const wanted = [...new Map([...names.typed, ...names.listed].map((name) => [fold(name), name])).values()];
  const client = await openClient(context);
  const withAddress = await lookUp(client, "email", wanted.filter(isAddress));
  const withId = await lookUp(
    client,
    "id",
    wanted.filter((name) => !isAddress(name)),
  );
  const found = wanted.map((name) => (isAddress(name) ? withAddress(name) : withId(name)));
  await printList(context, options, USER_COLUMNS, found.flat(), { chosen });
  const missing = wanted.filter((_, i) => found[i]!.length === 0);
  sayNotFound(context, missing, wanted.length);
  return missing.length === wanted.length ? EXIT.notFound : EXIT.done;
}

async function getOne(
  context: Context,
  options: GetOptions,
  given: string,
  chosen: readonly Column<User>[] | undefined,
): Promise<ExitCode> {
  if (/^[a-z_]+[:=]./.test(given) && !/^mailto:/i.test(given))
    throw new UsageError(`"${given}" is a search term.`, `Use: svc users search ${quoted(given)}`);
  const [name = ""] = (await readNames(context, [given], {})).typed;
  const target = await resolveTarget(context);
  const client = await openTarget(context, target);
  const found = name.includes("@")
    ? onlyOne(await client.users.search(`email:${name}`), name)
    : await client.users.get(name);
  const isForPerson = isTable(formatOf(options, context));
  if (options.all || (isForPerson && !chosen)) {
    // Loaded here, so that lists start fast.
    const { printOne } = await import("./all-of-one.ts");
    await printOne(context, options, { client, base_url: target.base_url?.value }, found);
  } else await printResource(context, options, USER_COLUMNS, found, chosen);
  return EXIT.done;
}
