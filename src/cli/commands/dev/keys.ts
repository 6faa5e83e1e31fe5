import type { Command } from "commander";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { runs, type Flags, type GlobalFlags } from "../../command.ts";
import { consentAt, YES_FLAG } from "../../connection/consent.ts";
import { instanceInWords, instanceOf, openControl, sameTarget, sayDone } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { mask, printJson, printRecord, say } from "../../output/text.ts";
import { durationFrom } from "../../quantities.ts";

type RevokeOptions = Flags<never, "yes">;

export interface RotateOptions extends RevokeOptions, Flags<"keepOld", "publishableKey"> {
  readonly secretKey: boolean;
}

export function addKeys(dev: Command, context: Surroundings): void {
  const keys = dev.command("keys").description("replace the keys of an instance");
  const rotate = keys
    .command("rotate")
    .description("replace the secret key; the old one, and tokens signed with it, stop verifying at once")
    .option("--keep-old <duration>", "let tokens of the old secret key verify for this long, such as 1h; 30d at most")
    .option("--publishable-key", "replace the publishable key too")
    .option("--no-secret-key", "leave the secret key as it is")
    .option(...YES_FLAG);
  runs(rotate, context, { on: "instance", changes: true }, runRotate, {
    examples: [
      ["svc dev keys rotate", "a new secret key for the chosen instance, else the first"],
      ["svc dev keys rotate --instance globex --publishable-key", "both keys of another"],
      ["svc dev keys rotate --keep-old 1h", "no user has to sign in again"],
    ],
    notes: "On a terminal and in a pipe the secret key is masked. To read it: svc env, or --json",
  });
  const revoke = keys
    .command("revoke-old")
    .description("end the replaced secret keys that --keep-old has kept")
    .option(...YES_FLAG);
  runs(revoke, context, { on: "instance", changes: true }, runRevokeOld, {
    examples: [["svc dev keys revoke-old --instance globex", "only its present secret key verifies from then on"]],
  });
}

export async function runRotate(context: Context, options: RotateOptions): Promise<void> {
  const { publishableKey = false, secretKey, keepOld } = options;
  if (!publishableKey && !secretKey)
    throw new UsageError("No key to replace.", "Omit --no-secret-key, or add --publishable-key.");
  const keep_old = keepOld === undefined ? undefined : durationFrom("--keep-old", keepOld);
  const control = await openControl(context);
  const which = secretKey && publishableKey ? "both keys" : `the ${secretKey ? "secret" : "publishable"} key`;
  const instance = await instanceOf(control);
  const stopping = keep_old
    ? "Applications that use the old one"
    : "Applications that use the old one, and its tokens,";
  const note = secretKey ? ` ${stopping} stop working at once.` : "";
  await consentAt(context, control, options, `Replace ${which} of ${instanceInWords(instance)}`, note);
  const keys = await control.request("POST /instances/:id/keys/rotate", {
    params: { id: instance.id },
    body: { secret_key: secretKey, publishable_key: publishableKey, keep_old },
  });
  printKeys(context, options, keys);
  await sayDone(context, options, control, `Replaced ${which} of`, instance.id);
  if (options.json) return;
  const [old] = keys.old_keys;
  if (old)
    say(
      context,
      `The old secret key goes on verifying tokens until ${old.expires_at}, but not with svc tokens verify --local. Give applications the new one now.`,
    );
  if (secretKey)
    say(context, `To print the new secret key, on the server's machine: svc env${sameTarget(context, instance)}`);
}

export async function runRevokeOld(context: Context, options: RevokeOptions): Promise<void> {
  const control = await openControl(context);
  const instance = await instanceOf(control);
  await consentAt(context, control, options, `Revoke the old secret keys of ${instanceInWords(instance)}`);
  const keys = await control.request("DELETE /instances/:id/keys/old", { params: { id: instance.id } });
  printKeys(context, options, keys);
  await sayDone(context, options, control, "Revoked the old secret keys of", instance.id);
}

function printKeys(context: Context, { json }: GlobalFlags, keys: AnswerOf<"POST /instances/:id/reveal">): void {
  if (json) printJson(context, keys);
  else printRecord(context, { publishable_key: keys.publishable_key, secret_key: mask(keys.secret_key) });
}
