import type { Command } from "commander";
import type { ControlClient } from "../../../control-client/index.ts";
import type { GlobalFlags } from "../../connection/client-options.ts";
import { openControl } from "../../connection/control.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { withHelp } from "../../help/with-help.ts";
import { printResource } from "../../list/record.ts";
import { printsRows, type OutputFlags } from "../../output/flags.ts";
import { runs } from "../../program.ts";
import { DEV_EXITS } from "./exits.ts";
import { DEV_USER_COLUMNS } from "./record-columns.ts";

export interface UserOptions extends GlobalFlags, OutputFlags {
  readonly email?: string;
  readonly name?: string;
  readonly avatarUrl?: string;
  readonly verified?: boolean;
}

export function addUsers(dev: Command, context: Context): void {
  const users = dev.command("users").description("make and change users");
  withHelp(users, {
    examples: [
      ["svc dev users create ada@acme.test --name 'Ada Lovelace' --verified", "without a sign-in"],
      ["svc dev users update ada@acme.test --email ada@new.test", "as if she had changed it"],
    ],
    exits: DEV_EXITS,
    notes: "To read and delete users: svc users. Many at once: svc dev seed --generate 1000",
  });

  const create = addFlags(printsRows(users.command("create <email>"))).description("make a user");
  withHelp(create, {
    examples: [["svc dev users create bo@acme.test --name Bo", "in the first instance"]],
    exits: DEV_EXITS,
    notes: "Without --name the user is called as the address before the @. For identities and sessions: svc dev seed",
  });
  runs(create, (options: UserOptions, email: string) => runCreate(context, options, email));

  const update = addFlags(printsRows(users.command("update").argument("<user>", "an id or e-mail address")))
    .option("--email <address>", "a new e-mail address")
    .description("change a user");
  withHelp(update, {
    examples: [["svc dev users update bo@acme.test --no-verified", "the address is not verified any more"]],
    exits: DEV_EXITS,
  });
  runs(update, (options: UserOptions, user: string) => runUpdate(context, options, user));
}

function addFlags(command: Command): Command {
  return command
    .option("--name <name>", "the user's name")
    .option("--avatar-url <url>", "the address of a picture")
    .option("--verified", "the e-mail address is verified, since now")
    .option("--no-verified", "it is not verified");
}

/** Makes a user, and prints it. */
export async function runCreate(context: Context, options: UserOptions, email: string): Promise<void> {
  const { instance, name = email.split("@")[0]! } = options;
  const control = await openControl(context, options);
  const body = { email, name, ...(instance !== undefined && { instance }), ...(await given(control, options)) };
  await printResource(context, options, DEV_USER_COLUMNS, await control.request("POST /users", { body }));
}

/** Changes a user, and prints it. */
export async function runUpdate(context: Context, options: UserOptions, user: string): Promise<void> {
  const { name, email } = options;
  const control = await openControl(context, options);
  const body = {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(await given(control, options)),
  };
  if (Object.keys(body).length === 0)
    throw new CliError(
      EXIT.usage,
      "Nothing to change.",
      "Give --name, --email, --avatar-url, --verified or --no-verified.",
    );
  const id = await idOf(control, user, options.instance);
  await printResource(
    context,
    options,
    DEV_USER_COLUMNS,
    await control.request("PATCH /users/:id", { params: { id }, body }),
  );
}

async function given(
  control: ControlClient,
  { avatarUrl, verified }: UserOptions,
): Promise<{ avatar_url?: string; email_verified_at?: string | null }> {
  return {
    ...(avatarUrl !== undefined && { avatar_url: avatarUrl }),
    // By the server's clock, which may have been moved.
    ...(verified === true && { email_verified_at: (await control.request("GET /clock")).now }),
    ...(verified === false && { email_verified_at: null }),
  };
}

async function idOf(control: ControlClient, user: string, instance: string | undefined): Promise<string> {
  if (!user.includes("@")) return user;
  if (/[\s*]/.test(user)) throw new CliError(EXIT.usage, `"${user}" is not an e-mail address.`);
  const query = { query: `email:${user}`, limit: 2, ...(instance !== undefined && { instance }) };
  const [found, other] = await control.request("GET /users", { query });
  if (!found) throw new CliError(EXIT.notFound, `No user has the e-mail address ${user}.`);
  if (other) throw new CliError(EXIT.failed, `Several users have the e-mail address ${user}.`, "Use an id instead.");
  return found.id;
}
