import type { GlobalFlags } from "../../connection/client-options.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { withHelp } from "../../help/with-help.ts";
import { USER_COLUMNS } from "../../list/columns.ts";
import { addListFlags, shapeOf, type ListFlags } from "../../list/flags.ts";
import { pages } from "../../list/pages.ts";
import { printList } from "../../list/print.ts";
import { printResource } from "../../list/record.ts";
import { printsRows, type OutputFlags } from "../../output/flags.ts";
import type { Program } from "../../program.ts";
import { addSearchFlags, USERS, type SearchFlags } from "../../search/flags.ts";
import { readQuery } from "../../search/read.ts";
import { openClient } from "../../connection/client.ts";
import { LIST_EXITS, SEARCH_NOTES } from "../../search/help.ts";
import { addUsersDelete } from "./delete/index.ts";

export function addUsers(program: Program, context: Context): void {
  const users = program.command("users");
  const flagsOf = (): GlobalFlags & OutputFlags => program.opts();

  withHelp(printsRows(users.command("get <id>")).description("print one user"), {
    examples: [["svc users get 7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "by the id that a list prints"]],
    exits: [EXIT.done, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.unreachable],
  }).action(async (id: string) => {
    const flags = flagsOf();
    const user = await (await openClient(context, flags)).users.get(id);
    await printResource(context, flags, USER_COLUMNS, user);
  });

  const list = printsRows(users.command("list")).description("print all users, newest first");
  withHelp(addListFlags(list, USER_COLUMNS), {
    examples: [
      ["svc users list --limit 20", "the 20 newest"],
      ["svc users list --output csv > users.csv", "all of them, for a spreadsheet"],
      ["svc users list --count", "how many there are"],
    ],
    exits: LIST_EXITS,
  }).action(async (own: ListFlags) => {
    const flags = flagsOf();
    const shape = shapeOf(own, USER_COLUMNS);
    const client = await openClient(context, flags);
    const rows = pages((page) => client.users.list(page), shape.range);
    program.exitCode = await printList(context, flags, USER_COLUMNS, shape, rows, "There are no users yet.");
  });

  const search = printsRows(users.command("search")).description("print the users that match");
  withHelp(addListFlags(addSearchFlags(search, USERS), USER_COLUMNS), {
    examples: [
      ["svc users search 'email:*@acme.com'", "of one domain"],
      ["svc users search 'name:ada*' 'created_at>=2026-01-01' 'created_at<2026-02-01'", "and made in January"],
      ["svc users search email.ends=@acme.com -name:bot", "but nobody called bot"],
      ["svc users search email_verified_at:null", "whose address is not verified"],
      ["svc users search --email-domain acme.com --since 7d --output ids", "the week's, to be piped on"],
    ],
    exits: LIST_EXITS,
    notes: SEARCH_NOTES(USERS),
  }).action(async (terms: string[], own: ListFlags & SearchFlags) => {
    const flags = flagsOf();
    const shape = shapeOf(own, USER_COLUMNS);
    const query = await readQuery(context, USERS, terms, own);
    const client = await openClient(context, flags);
    const rows = pages((page) => client.users.search(query, page), shape.range);
    program.exitCode = await printList(context, flags, USER_COLUMNS, shape, rows, "No users match.");
  });

  addUsersDelete(users, program, context);
}
