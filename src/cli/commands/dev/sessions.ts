import type { Command } from "commander";
import type { AnswerOf } from "../../../wire/control/types.ts";
import type { Session } from "../../../wire/resources.ts";
import { runs, type Flags, type GlobalFlags } from "../../command.ts";
import { consentAt, YES_FLAG } from "../../connection/consent.ts";
import { instanceInWords, openControl, sayDone, type Control } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { checkSessionId, chosenBy, SESSION_COLUMNS } from "../../list/columns.ts";
import { printList } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { counted, say } from "../../output/text.ts";
import { byId, userInWords, userOf } from "./users.ts";

type Held = AnswerOf<"GET /sessions/:session_id">;

/** Sessions, and whose they are, in words. */
interface Found {
  readonly sessions: readonly Held[];
  readonly whose: string;
  /** The ids of their instances. */
  readonly instances: readonly string[];
  readonly at: Control;
}

const STAY_VALID = "Tokens that were issued stay valid until they expire, an hour at most.";
const IN_A_PIPE = "In a pipe the ids of the sessions are printed.";

export function addSessions(dev: Command, context: Surroundings): void {
  const sessions = dev.command("sessions").description("revoke and restore sessions");
  const revoke = printsRows(sessions.command("revoke [session_id...]"))
    .description("revoke sessions")
    .option("--user <user>", "all of a user of one instance: an id, or the present e-mail address")
    .option(...YES_FLAG);
  runs(revoke, context, { on: "instance", changes: true }, runRevoke, {
    examples: [
      ["svc dev sessions revoke --user ada@acme.test --instance acme", "sign her out of one instance; asks first"],
      ["svc dev sessions revoke svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "one session"],
    ],
    notes: `${STAY_VALID} A user has sessions of the same instance alone. ${IN_A_PIPE}`,
  });
  const restore = printsRows(sessions.command("restore <session_id...>")).description("restore revoked sessions");
  runs(restore, context, { on: "instance", changes: true }, runRestore, {
    examples: [["svc dev sessions restore svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "restore a session"]],
    notes: IN_A_PIPE,
  });
}

/** Revokes the sessions with these ids, or all of a user that are not revoked, after consent. */
export async function runRevoke(
  context: Context,
  options: Flags<"user", "yes">,
  ids: readonly string[],
): Promise<void> {
  const { user } = options;
  if ((user === undefined) === (ids.length === 0))
    throw new UsageError(
      user === undefined ? "No sessions given." : "Use ids or --user, not both.",
      "Give ids of sessions, or --user with an id or e-mail address.",
    );
  for (const id of ids) checkSessionId(id);
  const control = await openControl(context);
  const found = user === undefined ? await withIds(control, ids) : await openOf(context, control, user);
  if (found.sessions.length > 0) {
    const instances = found.instances.map((id) => control.request("GET /instances/:id", { params: { id } }));
    const where = (await Promise.all(instances)).map(instanceInWords).join(" and ");
    await consentAt(context, found.at, options, `Revoke ${sessionsInWords(found)} in ${where}`);
  }
  await changeAll(context, options, found, "revoke");
  if (!options.json) say(context, STAY_VALID);
}

export async function runRestore(context: Context, options: GlobalFlags, ids: readonly string[]): Promise<void> {
  for (const id of ids) checkSessionId(id);
  await changeAll(context, options, await withIds(await openControl(context), ids), "restore");
}

function sessionsInWords({ sessions, whose }: Found): string {
  return `${counted(sessions.length, "session")} of ${whose}`;
}

/** All of them, before the first is changed. @throws if one is not found */
async function withIds(control: Control, ids: readonly string[]): Promise<Found> {
  const query = { instance: control.instance };
  const sessions: Held[] = [];
  for (const session_id of ids)
    sessions.push(await control.request("GET /sessions/:session_id", { params: { session_id }, query }));
  const users = new Map(sessions.map(({ data }) => [`${data.instance} ${data.user_id}`, userInWords({ data })]));
  const [first = ""] = users.values();
  return {
    sessions,
    whose: users.size === 1 ? first : counted(users.size, "user"),
    instances: [...new Set(sessions.map(({ data }) => data.instance))],
    at: byId(control),
  };
}

async function openOf(context: Context, control: Control, given: string): Promise<Found> {
  const { user, at } = await userOf(context, control, given);
  const { instance } = user.data;
  const query = { instance, query: `user_id:${user.id} revoked_at:null` };
  const sessions: Held[] = [];
  for await (const session of control.rows("GET /sessions", query)) sessions.push(session);
  return { sessions, whose: userInWords(user), instances: [instance], at };
}

async function changeAll(
  context: Context,
  options: GlobalFlags,
  found: Found,
  verb: "revoke" | "restore",
): Promise<void> {
  const { at: control, instances } = found;
  const changed: Session[] = [];
  for (const { data } of found.sessions) {
    const { session_id, instance } = data;
    changed.push(
      await control.request(`POST /sessions/:session_id/${verb}`, { params: { session_id }, query: { instance } }),
    );
  }
  const isPlain = !context.stdout.isTTY && options.output === undefined;
  const chosen = isPlain ? chosenBy("session_id", SESSION_COLUMNS) : undefined;
  await printList(context, options, SESSION_COLUMNS, changed, { chosen: options.json ? undefined : chosen });
  const done = `${verb === "revoke" ? "Revoked" : "Restored"} ${sessionsInWords(found)}`;
  const [only, ...others] = instances;
  if (others.length === 0) await sayDone(context, options, control, `${done} in`, only);
  else await sayDone(context, options, control, `${done} at`);
}
