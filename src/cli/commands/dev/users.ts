import type { Command } from "commander";
import { userIdByEmail, type ControlClient } from "../../../control-client/index.ts";
import type { BodyOf } from "../../../wire/control/types.ts";
import { isUuid } from "../../../wire/ids.ts";
import type { Session } from "../../../wire/resources.ts";
import { runs, withHelp, type Flags, type GlobalFlags } from "../../command.ts";
import { openControl, sayDone, type Control } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError, CliError, EXIT } from "../../errors.ts";
import { USER_COLUMNS, SESSION_COLUMNS, shortIdHint, checkSessionId } from "../../list/columns.ts";
import { printList, printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { counted, quoted, say } from "../../output/text.ts";

export type UserOptions = Flags<"email" | "name" | "avatarUrl", "verified">;

export function addUsers(dev: Command, context: Surroundings): void {
  const users = dev.command("users").description("create and update users");
  withHelp(users, {
    notes: "To read and delete users: svc users\n\nMany at once:\n  svc dev seed --generate 1000",
  });

  runs(
    addFlags(printsRows(users.command("create <email>"))).description("create a user"),
    context,
    { on: "instance", changes: true },
    runCreate,
    {
      examples: [
        ["svc dev users create eve@acme.test --name 'Eve Adams' --verified", "in the chosen instance, else the first"],
      ],
      notes:
        "Without --name, the name is the part of the address before the @. For identities and sessions: svc dev seed",
    },
  );

  const update = addFlags(printsRows(users.command("update").argument("<user>", "an id or e-mail address")))
    .option("--email <address>", "a new e-mail address; not verified without --verified")
    .description("update a user");
  runs(update, context, { on: "instance", changes: true }, runUpdate, {
    examples: [["svc dev users update bo@acme.test --no-verified", "marks the address as not verified"]],
  });

  const sessions = dev.command("sessions").description("revoke and restore sessions");
  runs(
    printsRows(sessions.command("revoke [session_id...]"))
      .description("revoke sessions")
      .option("--user <user>", "all of a user: an id, or the present e-mail address"),
    context,
    { on: "instance", changes: true },
    runRevoke,
    {
      examples: [
        ["svc dev sessions revoke --user ada@acme.test", "sign her out everywhere"],
        ["svc dev sessions revoke svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "one session"],
      ],
      notes: `${STAY_VALID} ${EARLIER_ONES}`,
    },
  );
  const restore = printsRows(sessions.command("restore <session_id...>")).description("restore revoked sessions");
  runs(restore, context, { on: "instance", changes: true }, runRestore, {
    examples: [["svc dev sessions restore svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "restore a session"]],
    notes: EARLIER_ONES,
  });
}

const STAY_VALID = "Tokens that were issued stay valid until they expire, an hour at most.";
const EARLIER_ONES = "If a session is not found, those before it have already been changed.";

function addFlags(command: Command): Command {
  return command
    .option("--name <name>", "the user's name")
    .option("--avatar-url <url>", "the address of a picture")
    .option("--verified", "mark the e-mail address as verified")
    .option("--no-verified", "mark it as not verified");
}

export async function runCreate(context: Context, options: UserOptions, email: string): Promise<void> {
  const { name } = options;
  const control = await openControl(context);
  const body = { ...(await given(control, options)), email, name, instance: control.instance };
  const made = await control.request("POST /users", { body });
  await printResource(context, options, USER_COLUMNS, made);
  await sayDone(context, options, control, `Created ${made.data.email} in`, made.data.instance);
}

export async function runUpdate(context: Context, options: UserOptions, user: string): Promise<void> {
  const { name, email } = options;
  const control = await openControl(context);
  const body = { ...(await given(control, options)), name, email };
  if (Object.values(body).every((value) => value === undefined))
    throw new UsageError("Nothing to change.", "Give --name, --email, --avatar-url, --verified or --no-verified.");
  const params = { id: await idOf(control, user) };
  const changed = await control.request("PATCH /users/:id", { params, query: { instance: control.instance }, body });
  await printResource(context, options, USER_COLUMNS, changed);
  await sayDone(context, options, control, `Updated ${changed.data.email} of`, changed.data.instance);
  if (!options.json && email !== undefined && options.verified === undefined && !changed.data.email_verified)
    say(context, `The new address is not verified. If it is: svc dev users update ${quoted(email)} --verified`);
}

async function given(control: ControlClient, options: UserOptions): Promise<BodyOf<"PATCH /users/:id">> {
  const { avatarUrl, verified } = options;
  // By the server's clock, which may have been moved.
  const verifiedAt = verified ? (await control.request("GET /clock")).now : null;
  return { avatar_url: avatarUrl, email_verified_at: verified === undefined ? undefined : verifiedAt };
}

async function idOf(control: Control, user: string): Promise<string> {
  if (isUuid(user.toLowerCase())) return user;
  if (!user.includes("@"))
    throw new UsageError(`"${user}" is not a user id or e-mail address.`, shortIdHint(user, "users"));
  if (/[\s*]/.test(user)) throw new UsageError(`"${user}" is not an e-mail address.`);
  const id = await userIdByEmail(control, user, control.instance);
  if (id === undefined) throw new CliError(EXIT.notFound, `No user has the e-mail address ${user} at ${control.url}.`);
  return id;
}

/** Revokes the sessions with these ids, or all of a user that are not revoked. */
export async function runRevoke(context: Context, options: Flags<"user">, ids: readonly string[]): Promise<void> {
  const { user } = options;
  if ((user === undefined) === (ids.length === 0))
    throw new UsageError(
      user === undefined ? "No sessions given." : "Use ids or --user, not both.",
      "Give ids of sessions, or --user with an id or e-mail address.",
    );
  for (const id of ids) checkSessionId(id);
  const control = await openControl(context);
  const all = [...ids];
  let of = " of";
  let instance = control.instance;
  if (user !== undefined) {
    const id = await idOf(control, user);
    const { data } = await control.request("GET /users/:id", { params: { id }, query: { instance: control.instance } });
    of = ` of ${data.email} in`;
    instance = data.instance;
    const query = { instance: data.instance, query: `user_id:${id} revoked_at:null` };
    for await (const session of control.rows("GET /sessions", query)) all.push(session.data.session_id);
  }
  await changeAll(context, options, control, "revoke", all);
  await sayDone(context, options, control, `Revoked ${counted(all.length, "session")}${of}`, instance);
  if (!options.json) say(context, STAY_VALID);
}

export async function runRestore(context: Context, options: GlobalFlags, ids: readonly string[]): Promise<void> {
  for (const id of ids) checkSessionId(id);
  const control = await openControl(context);
  await changeAll(context, options, control, "restore", ids);
  await sayDone(context, options, control, `Restored ${counted(ids.length, "session")} of`, control.instance);
}

async function changeAll(
  context: Context,
  options: GlobalFlags,
  control: Control,
  verb: "revoke" | "restore",
  ids: readonly string[],
): Promise<void> {
  const changed: Session[] = [];
  // Before the first is changed: each is of the instance that was chosen.
  if (control.instance !== undefined)
    for (const session_id of ids)
      await control.request("GET /sessions/:session_id", {
        params: { session_id },
        query: { instance: control.instance },
      });
  for (const session_id of ids)
    changed.push(await control.request(`POST /sessions/:session_id/${verb}`, { params: { session_id } }));
  await printList(context, options, SESSION_COLUMNS, changed);
}
