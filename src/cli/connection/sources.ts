import { checkAddress } from "../../client/options.ts";
import type { TargetFlags } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { requireProfile, type Profile } from "../credentials/profiles.ts";
import { environmentKey, type SecretKey, type Sourced, readStoredKey } from "../credentials/keys.ts";
import { type RunningServerFile, placeOf } from "./server-file.ts";
import { findLocalServer } from "./running-server.ts";

/** The service and the key that a command uses, each value with its source. */
export interface Target {
  readonly profile?: Sourced | undefined;
  readonly base_url?: Sourced | undefined;
  readonly api_url?: Sourced | undefined;
  readonly publishable_key?: Sourced | undefined;
  readonly secret_key?: Sourced<SecretKey> | undefined;
  /** Of an instance of the local server. Undefined if they are not known. */
  readonly redirect_uris?: readonly string[] | undefined;
  /** The server of this directory, if that is the target. */
  readonly server?: RunningServerFile | undefined;
  /** Whether its address comes from a profile that this command does not name: the current one, or that of `SVC_PROFILE`. */
  readonly isByDefault?: boolean;
}

/** The values of one source. `keyOrigin` is the only origin that its key is for, if it has one. */
interface Source extends Target {
  readonly keyOrigin?: string | undefined;
}

/** The target that flags, `--profile` and the environment set; the first of them has precedence. */
export async function readExplicitTarget(context: Context, flags: TargetFlags): Promise<Target> {
  // CI systems set a variable without a value to an empty text, and keep the line end of what was pasted.
  const variable = (name: string): string | undefined => context.env[name]?.trim() || undefined;
  const environmentsKey = environmentKey(context);
  const environment: Source = {
    base_url: address("SVC_BASE_URL", variable("SVC_BASE_URL")),
    api_url: address("SVC_API_URL", variable("SVC_API_URL")),
    publishable_key: sourced("SVC_PUBLISHABLE_KEY", variable("SVC_PUBLISHABLE_KEY")),
    secret_key: environmentsKey,
    keyOrigin: environmentsKey && originOf(variable("SVC_BASE_URL")),
  };
  const typed = { base_url: address("--base-url", flags.baseUrl), api_url: address("--api-url", flags.apiUrl) };
  const sources: Source[] = [typed, environment];
  const named = variable("SVC_PROFILE");
  if (flags.profile !== undefined)
    sources.splice(1, 0, ofProfile(context, flags.profile, await requireProfile(context, flags.profile), "--profile"));
  else if (named !== undefined)
    sources.push(ofProfile(context, named, await requireProfile(context, named), "SVC_PROFILE"));
  const target = checkKeyOrigin(sources.reduce(merge));
  const isByVariable = target.profile?.source === "SVC_PROFILE" && target.base_url?.source === `profile ${named}`;
  return isByVariable ? { ...target, isByDefault: true } : target;
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
  const current = ofProfile(context, name, await requireProfile(context, name), "the current profile");
  return { ...checkKeyOrigin(merge(explicit, current)), isByDefault: true };
}

function checkKeyOrigin({ keyOrigin, ...target }: Source): Target {
  const origin = originOf(target.base_url?.value);
  if (keyOrigin === undefined || origin === undefined || keyOrigin === origin) return target;
  throw new UsageError(
    `${target.base_url!.source} names ${origin}, but the key in ${target.secret_key!.source} is for ${keyOrigin}.`,
    "Name the service together with its key: svc login, or SVC_BASE_URL and SVC_SECRET_KEY.",
  );
}

/** The higher source has precedence for each value. A key comes with the origin that it is for. */
function merge(higher: Source, lower: Source): Source {
  const { secret_key, keyOrigin } = higher.secret_key ? higher : lower;
  return {
    profile: higher.profile ?? lower.profile,
    base_url: higher.base_url ?? lower.base_url,
    api_url: higher.api_url ?? lower.api_url,
    publishable_key: higher.publishable_key ?? lower.publishable_key,
    secret_key,
    keyOrigin,
  };
}

function ofProfile(context: Context, name: string, profile: Profile, chosenBy: string): Source {
  const source = `profile ${name}`;
  const { base_url, api_url, publishable_key, secret_key: stored } = profile;
  return {
    profile: { value: name, source: chosenBy },
    base_url: address(source, base_url),
    api_url: address(source, api_url),
    publishable_key: sourced(source, publishable_key),
    secret_key: stored && {
      value: () => readStoredKey(context, name, stored),
      source: stored.store === "keyring" ? `${source} (keyring)` : `${source} (file)`,
    },
    keyOrigin: stored?.origin,
  };
}

/** @param url an address that was checked */
export function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}

/** What the environment takes a service and a key from before it looks at the current profile. */
const VARIABLES = ["SVC_PROFILE", "SVC_BASE_URL", "SVC_SECRET_KEY", "SVC_SECRET_KEY_FILE", "SVC_SECRET_KEY_COMMAND"];

/** Why a profile that has become the current one is not what commands here use: a sentence for each reason. */
export async function shadowsOf(context: Context, profile: string): Promise<string[]> {
  const { env } = context;
  const set = VARIABLES.filter((name) => env[name] && !(name === "SVC_PROFILE" && env[name] === profile));
  const reasons = set.map((name) => {
    const value = name === "SVC_PROFILE" || name === "SVC_BASE_URL" ? ` to ${env[name]!}` : "";
    return `${name} is set${value} and takes precedence: unset it, or use --profile ${profile}.`;
  });
  const local = await findLocalServer(context);
  if (!local) return reasons;
  const { isRunning, directory } = local;
  const what = isRunning
    ? `The local server of ${directory} takes precedence here: use --profile ${profile}.`
    : `Commands in ${directory} and below use the local server that has run there: use --profile ${profile}, or move ${placeOf(directory)} away.`;
  return [...reasons, what];
}
