import type { Command } from "commander";
import { isTyped } from "../../choices.ts";
import { userIdByEmail, type ControlClient } from "../../../control-client/index.ts";
import type { AnswerOf, BodyOf } from "../../../wire/control/types.ts";
import { isUuid } from "../../../wire/ids.ts";
import { runs, withHelp, type Flags } from "../../command.ts";
import { requireNamed } from "../../connection/consent.ts";
import {
  instanceInWords,
  instanceOf,
  openControl,
  sameTarget,
  sayDone,
  type Control,
} from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError, CliError, EXIT } from "../../errors.ts";
import { hintForName, USER_COLUMNS } from "../../list/columns.ts";
import { printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { quoted, say } from "../../output/text.ts";

type StoredUser = AnswerOf<"GET /users/:id">;

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
        [
          "svc dev users create eve@acme.test --name 'Eve Adams' --verified --instance acme",
          "in one of several instances",
        ],
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
}

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
  const instance = await instanceOf(control);
  await requireNamed(context, control, `Create ${email} in ${instanceInWords(instance)}`);
  const body = { ...(await given(control, options)), email, name, instance: instance.id };
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
  const { user: before, at } = await userOf(context, control, user);
  const { instance } = before.data;
  const own = await control.request("GET /instances/:id", { params: { id: instance } });
  await requireNamed(context, at, `Update ${userInWords(before)} in ${instanceInWords(own)}`);
  const changed = await control.request("PATCH /users/:id", { params: { id: before.id }, query: { instance }, body });
  await printResource(context, options, USER_COLUMNS, changed);
  await sayDone(context, options, control, `Updated ${changed.data.email} of`, changed.data.instance);
  if (!options.json && email !== undefined && options.verified === undefined && !changed.data.email_verified)
    say(
      context,
      `The new address is not verified. If it is: svc dev users update ${quoted(email)} --verified${sameTarget(context, own)}`,
    );
}

async function given(control: ControlClient, options: UserOptions): Promise<BodyOf<"PATCH /users/:id">> {
  const { avatarUrl, verified } = options;
  // By the server's clock, which may have been moved.
  const verifiedAt = verified ? (await control.request("GET /clock")).now : null;
  return { avatar_url: avatarUrl, email_verified_at: verified === undefined ? undefined : verifiedAt };
}

/** A user by id, of whichever instance has it, or by the e-mail address in the chosen instance, else in the first. */
export async function userOf(
  { choices }: Context,
  control: Control,
  named: string,
): Promise<{ user: StoredUser; at: Control }> {
  if (isUuid(named.toLowerCase())) {
    const query = { instance: control.instance };
    return { user: await control.request("GET /users/:id", { params: { id: named }, query }), at: byId(control) };
  }
  if (!named.includes("@"))
    throw new UsageError(
      `"${named}" is not a user id or e-mail address.`,
      `${hintForName(named)}${isTyped(choices.instance) ? ` --instance ${quoted(choices.instance!.value)}` : ""}`,
    );
  if (/[\s*]/.test(named)) throw new UsageError(`"${named}" is not an e-mail address.`);
  const instance = await instanceOf(control);
  const id = await userIdByEmail(control, named, instance.id);
  if (id === undefined)
    throw new CliError(
      EXIT.notFound,
      `No user of ${instanceInWords(instance)} has the e-mail address ${named} at ${control.url}.`,
    );
  const query = { instance: instance.id };
  return { user: await control.request("GET /users/:id", { params: { id }, query }), at: control };
}

/** The same where an id names the instance, too. */
export function byId(control: Control): Control {
  return { ...control, choice: { ...control.choice, isNamed: true } };
}

export function userInWords({ data: { name, email } }: { readonly data: { name: string; email: string } }): string {
  return `${name} (${email})`;
}
