import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { listProfiles, readCurrent, requireProfile, type Profile } from "../credentials/profiles.ts";
import { findRunningServer, type RunningServerFile } from "./running-server.ts";
import { environmentKey, type SecretKey, type Sourced } from "../credentials/secret-source.ts";
import { readStoredKey } from "../credentials/stored-key.ts";

/** The flags that choose whom to ask. */
export interface TargetFlags {
  readonly profile?: string;
  readonly instance?: string;
  readonly baseUrl?: string;
  readonly apiUrl?: string;
}

/** Whom to ask and with which key, each with where it is from. */
export interface Target {
  readonly profile?: Sourced | undefined;
  readonly base_url?: Sourced | undefined;
  readonly api_url?: Sourced | undefined;
  readonly publishable_key?: Sourced | undefined;
  readonly secret_key?: Sourced<SecretKey> | undefined;
  /** The server of this directory, where that is what is asked. */
  readonly server?: RunningServerFile;
}

/** What one place says. `keyOrigin` is the only origin that its key is for, where it says so. */
interface Source extends Target {
  readonly keyOrigin?: string | undefined;
}

/**
 * Highest first: flags, `--profile`, `SVC_*`, the server that runs in this directory or above, the current profile.
 * The first three are what somebody said on purpose, and complete each other. The last two are taken whole, and only
 * where those name no address. A key never goes to another origin than it was given for.
 * @throws {CliError} where that would happen, or nobody is named
 */
export async function resolveTarget(context: Context, flags: TargetFlags): Promise<Target> {
  const said = await whatIsSaid(context, flags);
  if (said.base_url ?? said.api_url) {
    if (flags.instance !== undefined) throw notAmongInstances("an address is given");
    return said;
  }
  const server = await findRunningServer(context.cwd);
  if (server) return ofServer(server, said, flags.instance);
  const current = await readCurrent(context);
  if (current !== undefined && said.secret_key === undefined) {
    if (flags.instance !== undefined) throw notAmongInstances("none runs in this directory");
    return guarded(
      fill(said, ofProfile(context, current, await requireProfile(context, current), "the current profile")),
    );
  }
  throw await noService(context, said);
}

async function whatIsSaid(context: Context, flags: TargetFlags): Promise<Target> {
  // CI systems set a variable without a value to nothing.
  const variable = (name: string): string | undefined => context.env[name] || undefined;
  const environmentsKey = environmentKey(context);
  const environment: Source = {
    ...values("SVC_", {
      base_url: variable("SVC_BASE_URL"),
      api_url: variable("SVC_API_URL"),
      publishable_key: variable("SVC_PUBLISHABLE_KEY"),
    }),
    secret_key: environmentsKey,
    keyOrigin: environmentsKey && originOf(variable("SVC_BASE_URL")),
  };
  const sources: Source[] = [values("--", { base_url: flags.baseUrl, api_url: flags.apiUrl }), environment];
  const named = variable("SVC_PROFILE");
  if (flags.profile !== undefined)
    sources.splice(1, 0, ofProfile(context, flags.profile, await requireProfile(context, flags.profile), "--profile"));
  else if (named !== undefined)
    sources.push(ofProfile(context, named, await requireProfile(context, named), "SVC_PROFILE"));
  return guarded(sources.reduce(fill));
}

/** @throws {CliError} where a key would go to another origin than it was given for */
function guarded({ keyOrigin, ...target }: Source): Target {
  const origin = originOf(target.base_url?.value);
  if (keyOrigin === undefined || origin === undefined || keyOrigin === origin) return target;
  throw new CliError(
    EXIT.usage,
    `${target.base_url!.source} names another service (${origin}) than the one whose key is in ${target.secret_key!.source} (${keyOrigin}).`,
    "A key is only sent where it belongs. Name the service that you mean together with its key: svc login, or SVC_BASE_URL and SVC_SECRET_KEY.",
  );
}

/** What the lower source says where the higher says nothing; a key comes with the origin that it is for. */
function fill(higher: Source, lower: Source): Source {
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
    base_url: { value: base_url, source },
    api_url: api_url === undefined ? undefined : { value: api_url, source },
    publishable_key: publishable_key === undefined ? undefined : { value: publishable_key, source },
    secret_key: stored && {
      value: () => readStoredKey(context, name, stored),
      source: stored.store === "keyring" ? `${source} (keyring)` : `${source} (file)`,
    },
    keyOrigin: stored?.origin,
  };
}

function ofServer(server: RunningServerFile, said: Target, wanted: string | undefined): Target {
  const given = said.secret_key;
  // A key that lies elsewhere is for elsewhere.
  const key = typeof given?.value === "string" ? given.value : undefined;
  const instance =
    key === undefined ? chooseInstance(server, wanted) : server.instances.find(({ secret_key }) => secret_key === key);
  if (!instance || (given !== undefined && key === undefined))
    throw new CliError(
      EXIT.noKey,
      `${given!.source} is no key of the server at ${server.url}.`,
      "Unset it to use that server's own, or name the service it belongs to in SVC_BASE_URL.",
    );
  if (wanted !== undefined && !namesOf(instance).includes(wanted))
    throw new CliError(
      EXIT.usage,
      `SVC_SECRET_KEY is the key of "${instance.subdomain}", not of "${wanted}".`,
      "Unset it, or leave out --instance.",
    );
  const source = "the server that runs here";
  return {
    base_url: { value: instance.url, source },
    api_url: { value: server.api_url, source },
    publishable_key: { value: instance.publishable_key, source },
    secret_key: { value: instance.secret_key, source: given?.source ?? source },
    server,
  };
}

function chooseInstance(
  { instances, url }: RunningServerFile,
  wanted: string | undefined,
): RunningServerFile["instances"][number] {
  if (wanted === undefined) {
    const [first] = instances;
    if (!first) throw new CliError(EXIT.failed, `The server at ${url} has no instance.`);
    return first;
  }
  const found = instances.find((instance) => namesOf(instance).includes(wanted));
  if (!found)
    throw new CliError(
      EXIT.notFound,
      `The server at ${url} has no instance "${wanted}".`,
      `It has ${instances.map(({ subdomain }) => subdomain).join(", ")}.`,
    );
  return found;
}

function namesOf({ id, subdomain, publishable_key }: RunningServerFile["instances"][number]): string[] {
  return [id, subdomain, publishable_key];
}

function values(prefix: "--" | "SVC_", given: Readonly<Record<string, string | undefined>>): Target {
  const spelt = (name: string): string => prefix + (prefix === "--" ? name.replace("_", "-") : name.toUpperCase());
  const entries = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, { value, source: spelt(name) }] as const],
  );
  return Object.fromEntries(entries);
}

function notAmongInstances(why: string): CliError {
  return new CliError(
    EXIT.usage,
    `--instance chooses among a local server's instances, and ${why}.`,
    "Leave out --instance, or unset SVC_BASE_URL and SVC_API_URL.",
  );
}

async function noService(context: Context, { secret_key }: Target): Promise<CliError> {
  if (secret_key !== undefined)
    return new CliError(
      EXIT.usage,
      `Which service is ${secret_key.source} for?`,
      "Set SVC_BASE_URL to the address of your instance.",
    );
  const profiles = await listProfiles(context);
  return new CliError(
    EXIT.noKey,
    "No service to ask: none runs in this directory, and SVC_BASE_URL is not set.",
    profiles.length === 0
      ? "Start a local one with: svc serve"
      : `Name one of your profiles with --profile: ${profiles.join(", ")}.`,
  );
}

/** Undefined where there is none; a text that is no address stands for itself. */
export function originOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** Whether a key may go there: nobody on the way can read it. */
export function isPrivateWay(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return (
    protocol === "https:" ||
    (protocol === "http:" && /^(?:.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname))
  );
}
