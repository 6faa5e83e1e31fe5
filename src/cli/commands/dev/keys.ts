import type { Command } from "commander";
import type { ControlClient } from "../../../control-client/index.ts";
import { openControl } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { DEV_EXITS, EXIT } from "../../exit-codes.ts";
import { mask, quoted } from "../../output/format.ts";
import { consentAt, instanceInWords, YES_FLAG } from "./consent.ts";
import { printJson, printRecord, say } from "../../output/text.ts";

export interface RotateOptions extends GlobalFlags {
  readonly publishableKey?: boolean;
  readonly secretKey: boolean;
  readonly yes?: boolean;
}

export function addKeys(dev: Command, context: Context): void {
  const keys = dev.command("keys").description("replace the keys of an instance");
  const examples = [
    ["svc dev keys rotate", "a new secret key for the first instance"],
    ["svc dev keys rotate --instance globex --publishable-key", "both keys of another"],
  ] as const;
  withHelp(keys, { examples, exits: DEV_EXITS });
  const rotate = keys
    .command("rotate")
    .description("replace the secret key; tokens signed with the old one stop verifying at once")
    .option("--publishable-key", "replace the publishable key too")
    .option("--no-secret-key", "leave the secret key as it is")
    .option(...YES_FLAG);
  withHelp(rotate, {
    examples,
    exits: DEV_EXITS,
    notes: "On a terminal and in a pipe the secret key is masked. To read it: svc env, or --json",
  });
  runs(rotate, (options: RotateOptions) => runRotate(context, options));
}

/** Replaces keys of an instance, and prints those it has now. */
export async function runRotate(context: Context, options: RotateOptions): Promise<void> {
  const { publishableKey = false, secretKey, instance: name } = options;
  if (!publishableKey && !secretKey)
    throw new CliError(EXIT.usage, "No key to replace.", "Omit --no-secret-key, or add --publishable-key.");
  const control = await openControl(context, options);
  const id = name ?? (await firstInstance(control));
  const which = secretKey && publishableKey ? "both keys" : `the ${secretKey ? "secret" : "publishable"} key`;
  const instance = await control.request("GET /instances/:id", { params: { id } });
  const note = secretKey ? " Tokens and applications that use the old one stop working at once." : "";
  await consentAt(context, control, options, `Replace ${which} of ${instanceInWords(instance)}`, note);
  const keys = await control.request("POST /instances/:id/keys/rotate", {
    params: { id },
    body: { secret_key: secretKey, publishable_key: publishableKey },
  });
  if (options.json) return printJson(context, keys);
  printRecord(context, { publishable_key: keys.publishable_key, secret_key: mask(keys.secret_key) });
  const ofInstance = name === undefined ? "" : ` --instance ${quoted(name)}`;
  if (secretKey) say(context, `To print the new secret key, in the server's directory: svc env${ofInstance}`);
}

async function firstInstance(control: ControlClient): Promise<string> {
  let first: string | undefined;
  // The newest comes first.
  for await (const { id } of control.rows("GET /instances")) first = id;
  if (first === undefined) throw new CliError(EXIT.notFound, "The server has no instance.");
  return first;
}
