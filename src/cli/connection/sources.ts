import { checkAddress } from "../../client/options.ts";
import type { TargetFlags } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { requireProfile } from "../credentials/profiles.ts";
import { environmentKey, readStoredKey, type SecretKey, type Sourced } from "../credentials/keys.ts";
import type { RunningServerFile } from "./server-file.ts";

/** The service and the key that a command uses, each value with its source. */
export interface Target {
  readonly profile?: Sourced | undefined;
  /** As it was named: an id, a subdomain or a publishable key. */
  readonly instance?: Sourced | undefined;
  readonly base_url?: Sourced | undefined;
  readonly api_url?: Sourced | undefined;
  readonly publishable_key?: Sourced | undefined;
  readonly secret_key?: SecretKey | undefined;
  /** Of an instance of the local server. Undefined if they are not known. */
  readonly redirect_uris?: readonly string[] | undefined;
  /** The server of this directory, if that is the target. */
  readonly server?: RunningServerFile | undefined;
  /** The other servers that run in its directory, unless an address names this one. */
  readonly neighbours?: readonly RunningServerFile[] | undefined;
  /** Whether its address comes from a profile that this command does not name: the current one, or that of `SVC_PROFILE`. */
  readonly isByDefault?: boolean;
}

/** The target that flags, `--profile` and the environment set; the first of them has precedence. */
export async function readExplicitTarget(context: Context, flags: TargetFlags): Promise<Target> {
  // CI systems set a variable without a value to an empty text, and keep the line end of what was pasted.
  const variable = (name: string): string | undefined => context.env[name]?.trim() || undefined;
  const key = environmentKey(context);
  const environment: Target = {
    instance: sourced("SVC_INSTANCE", variable("SVC_INSTANCE")),
    base_url: address("SVC_BASE_URL", variable("SVC_BASE_URL")),
    api_url: address("SVC_API_URL", variable("SVC_API_URL")),
    publishable_key: sourced("SVC_PUBLISHABLE_KEY", variable("SVC_PUBLISHABLE_KEY")),
    secret_key: key && { ...key, origin: originOf(variable("SVC_BASE_URL")) },
  };
  if (flags.instance === "") throw new UsageError("--instance is empty.", "Check that the variable is set.");
  const typed = {
    base_url: address("--base-url", flags.baseUrl),
    instance: sourced("--instance", flags.instance),
  };
  if (flags.profile !== undefined)
    return firstOf(typed, await ofProfile(context, flags.profile, "--profile"), environment);
  const named = variable("SVC_PROFILE");
  if (named === undefined) return firstOf(typed, environment);
  const profile = await ofProfile(context, named, "SVC_PROFILE");
  const target = firstOf(typed, environment, profile);
  return target.base_url === profile.base_url ? { ...target, isByDefault: true } : target;
}

/** @throws {ConfigError} for what is not an address, without the text, which may contain a password */
function address(source: string, value: string | undefined): Sourced | undefined {
  checkAddress(source, value);
  return sourced(source, value);
}

function sourced(source: string, value: string | undefined): Sourced | undefined {
  return value === undefined ? undefined : { value, source };
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
  return {
    profile: { value: name, source: chosenBy },
    base_url: address(source, base_url),
    secret_key: stored && {
      value: () => readStoredKey(context, name, stored),
      source: stored.store === "keyring" ? `${source} (keyring)` : `${source} (file)`,
      origin: stored.origin,
      insecure: stored.insecure,
    },
  };
}

/** @param url an address that was checked */
export function originOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}
