import type { Command } from "commander";
import type { Session } from "../../../wire/resources.ts";
import { openControl } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS } from "../../errors.ts";
import { SESSION_COLUMNS } from "../../list/columns.ts";
import { printAll } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { checkSessionId } from "../../list/ids.ts";

export function addSessions(dev: Command, context: Context): void {
  const sessions = dev.command("sessions").description("revoke and restore sessions");
  withHelp(sessions, {
    examples: [["svc dev sessions revoke svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "the session is revoked"]],
    exits: DEV_EXITS,
    notes: "All of a user:\n  svc sessions search email:ada@acme.test --output ids | xargs svc dev sessions revoke",
  });
  for (const verb of ["revoke", "restore"] as const) {
    const does = verb === "revoke" ? "revoke sessions" : "restore revoked sessions";
    const command = printsRows(sessions.command(`${verb} <session_id...>`)).description(does);
    withHelp(command, {
      examples: [[`svc dev sessions ${verb} svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01`, does]],
      exits: DEV_EXITS,
      notes: "If a session is not found, those before it have already been changed.",
    });
    runs(command, (options: GlobalFlags, ids: string[]) => runSessions(context, options, verb, ids));
  }
}

/** Revokes or restores sessions, and prints them. */
export async function runSessions(
  context: Context,
  options: GlobalFlags,
  verb: "revoke" | "restore",
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) checkSessionId(id);
  const control = await openControl(context, options);
  const changed: Session[] = [];
  for (const id of ids) {
    changed.push(await control.request(`POST /sessions/:session_id/${verb}`, { params: { session_id: id } }));
  }
  await printAll(context, options, SESSION_COLUMNS, changed, "");
}
