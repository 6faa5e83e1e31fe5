import { EXIT } from "../../errors.ts";
import type { GlobalFlags } from "../../connection/client-options.ts";
import type { Context } from "../../context.ts";
import { withHelp } from "../../help/with-help.ts";
import { SESSION_COLUMNS } from "../../list/columns.ts";
import { addListFlags, shapeOf, type ListFlags } from "../../list/flags.ts";
import { pages } from "../../list/pages.ts";
import { printList } from "../../list/print.ts";
import { printResource } from "../../list/record.ts";
import { printsRows, type OutputFlags } from "../../output/flags.ts";
import type { Program } from "../../program.ts";
import { addSearchFlags, SESSIONS, type SearchFlags } from "../../search/flags.ts";
import { readQuery } from "../../search/read.ts";
import { openClient } from "../../connection/client.ts";
import { LIST_EXITS, SEARCH_NOTES } from "../../search/help.ts";

export function addSessions(program: Program, context: Context): void {
  const sessions = program.command("sessions");
  const flagsOf = (): GlobalFlags & OutputFlags => program.opts();

  withHelp(printsRows(sessions.command("get <session_id>")).description("print one session"), {
    examples: [["svc sessions get svc_session_0b9e…", "by the id that a list prints"]],
    exits: [EXIT.done, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.unreachable],
  }).action(async (id: string) => {
    const flags = flagsOf();
    const session = await (await openClient(context, flags)).sessions.get(id);
    await printResource(context, flags, SESSION_COLUMNS, session);
  });

  const list = printsRows(sessions.command("list")).description("print all sessions, the most recent sign-in first");
  withHelp(addListFlags(list, SESSION_COLUMNS), {
    examples: [
      ["svc sessions list --limit 20", "the 20 most recent"],
      ["svc sessions list --output csv > sessions.csv", "all of them, for a spreadsheet"],
    ],
    exits: LIST_EXITS,
  }).action(async (own: ListFlags) => {
    const flags = flagsOf();
    const shape = shapeOf(own, SESSION_COLUMNS);
    const client = await openClient(context, flags);
    const rows = pages((page) => client.sessions.list(page), shape.range);
    program.exitCode = await printList(context, flags, SESSION_COLUMNS, shape, rows, "There are no sessions yet.");
  });

  const search = printsRows(sessions.command("search")).description("print the sessions that match");
  withHelp(addListFlags(addSearchFlags(search, SESSIONS), SESSION_COLUMNS), {
    examples: [
      ["svc sessions search 'email:*@acme.com' provider:github", "of one domain, through github"],
      ["svc sessions search 'last_signin_at>=2026-01-01' -provider:google", "this year's, but not through google"],
      ["svc sessions search 'ip_address:203.0.113.*' revoked_at:null", "from one network, not revoked"],
      ["svc sessions search --since 7d --active --count", "how many in a week"],
    ],
    exits: LIST_EXITS,
    notes: SEARCH_NOTES(SESSIONS),
  }).action(async (terms: string[], own: ListFlags & SearchFlags) => {
    const flags = flagsOf();
    const shape = shapeOf(own, SESSION_COLUMNS);
    const query = await readQuery(context, SESSIONS, terms, own);
    const client = await openClient(context, flags);
    const rows = pages((page) => client.sessions.search(query, page), shape.range);
    program.exitCode = await printList(context, flags, SESSION_COLUMNS, shape, rows, "No sessions match.");
  });
}
