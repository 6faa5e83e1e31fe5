import { isTyped, originOf, type Choices } from "../choices.ts";
import { checkAddress } from "../../client/options.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { requireProfile } from "../credentials/profiles.ts";
import { readStoredKey } from "../credentials/keys.ts";
import type { RunningServerFile } from "./server-file.ts";

/** The service and the key that a command uses. */
export interface Target extends Omit<Choices, "control_key"> {
  /** Of an instance of the local server. Undefined if they are not known. */
  readonly redirect_uris?: readonly string[] | undefined;
  /** The server of this directory, if that is the target. */
  readonly server?: RunningServerFile | undefined;
  /** Whether its address comes from a profile that this command does not name: the current one, or that of `SVC_PROFILE`. */
  readonly isByDefault?: boolean | undefined;
}

/** The target that flags, `--profile` and the environment set; the first of them has precedence. */
export async function readExplicitTarget(context: Context): Promise<Target> {
  const { profile: named, control_key: _, ...choices } = context.choices;
  if (choices.instance?.value === "") throw new UsageError("--instance is empty.", "Check that the variable is set.");
  const { base_url, api_url } = choices;
  for (const one of [base_url, api_url]) if (one) checkAddress(one.source, one.value);
  if (named === undefined) return firstOf(choices);
  const profile = await ofProfile(context, named.value, named.source);
  if (isTyped(named)) return firstOf({ base_url: isTyped(base_url) ? base_url : undefined }, profile, choices);
  const target = firstOf(choices, profile);
  return target.base_url === profile.base_url ? { ...target, isByDefault: true } : target;
}

/** Completes an explicit target with the current profile. */
export async function withCurrent(context: Context, explicit: Target, name: string): Promise<Target> {
  return { ...firstOf(explicit, await ofProfile(context, name, "the current profile")), isByDefault: true };
}

/** Of each value the one of the first source that has it. @throws {UsageError} for a key that is for another address */
function firstOf(...sources: readonly Target[]): Target {
  const values = sources.toReversed().flatMap((source) => Object.entries(source).filter(([, value]) => value));
  const target: Target = Object.fromEntries(values);
  const { base_url, secret_key } = target;
  const origin = originOf(base_url?.value);
  if (secret_key?.origin === undefined || origin === undefined || secret_key.origin === origin) return target;
  throw new UsageError(
    `${base_url!.source} names ${origin}, but the key in ${secret_key.source} is for ${secret_key.origin}.`,
    "Name the service together with its key: svc login, or SVC_BASE_URL and SVC_SECRET_KEY.",
  );
}

async function ofProfile(context: Context, name: string, chosenBy: string): Promise<Target> {
  const source = `profile ${name}`;
  const { base_url, secret_key: stored } = await requireProfile(context, name);
  checkAddress(source, base_url);
  return {
    profile: { value: name, source: chosenBy },
    base_url: { value: base_url, source },
    secret_key: stored && {
      value: () => readStoredKey(context, name, stored),
      source: stored.store === "keyring" ? `${source} (keyring)` : `${source} (file)`,
      origin: stored.origin,
      insecure: stored.insecure,
    },
  };
}
