import type { Session } from "../../../wire/resources.ts";
import type { Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { SESSION_COLUMNS } from "../../list/columns.ts";
import { SESSIONS } from "../../search/flags.ts";
import { addListAndSearch, type Records } from "../record-commands.ts";
import { addGet } from "./get.ts";
import { addPrune } from "./prune.ts";

const SESSION_RECORDS: Records<Session> = {
  columns: SESSION_COLUMNS,
  searched: SESSIONS,
  order: "the most recent sign-in first",
  examples: {
    list: [
      ["svc sessions list --limit 20", "the 20 most recent sessions"],
      ["svc sessions list --output csv --bom > sessions.csv", "all sessions, for Excel"],
    ],
    search: [
      ["svc sessions search 'email:*@acme.test' provider:github", "of one domain, through github"],
      ["svc sessions search 'last_signin_at>=2026-01-01' -provider:google", "this year's, except google's"],
      ["svc sessions search 'ip_address:203.0.113.*' revoked_at:null", "from one network, not revoked"],
      ["svc sessions search --since 7d --active --count", "the number of a week"],
    ],
  },
  of: ({ sessions }) => sessions,
};

export function addSessions(program: Program, context: Context): void {
  const sessions = program.command("sessions");
  addGet(sessions, context);
  addListAndSearch(sessions, context, SESSION_RECORDS);
  addPrune(sessions, context);
}
