import { type Sourced, choicesOf, without } from "../choices.ts";
import { isLoopbackUrl, portOf } from "../../http/address.ts";
import { trimSlash } from "../../http/request.ts";
import type { Context, NamedInstance } from "../context.ts";
import { listProfiles, readCurrent } from "../credentials/profiles.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { quoted, say } from "../output/text.ts";
import { few } from "../../text/suggestion.ts";
import { elsewhere, noService, notRunning } from "./no-server.ts";
import { findLocalServer, findServerOn, proved, type LocalServer } from "./running-server.ts";
import type { RunningServerFile } from "./server-file.ts";
import { readExplicitTarget, withCurrent, type Target } from "./sources.ts";
import { poll, waitFor } from "./exchange.ts";

/**
 * In order of precedence: flags, `--profile`, `SVC_*`, the server that runs in this directory or above, the current
 * profile. The first three are explicit, and complete each other. The last two are used as a whole, and only if the
 * explicit ones have no address. A local server that has stopped is an error: no other service is used in its place.
 */
export async function resolveTarget(context: Context): Promise<Target> {
  const explicit = await readExplicitTarget(context);
  if (explicit.base_url ?? explicit.api_url) {
    await waitFor(context, (explicit.base_url ?? explicit.api_url)!.value);
    const own = await ofLocalServer(context, explicit);
    if (own) return own;
    if (explicit.instance) throw notAmongInstances(describeTarget(explicit), explicit.instance);
    return explicit;
  }
  const local = await awaitLocalServer(context);
  if (local?.server) {
    const target = ofServer(local.server, explicit);
    return { ...target, neighbours: await neighboursOf(context, local) };
  }
  if (local) {
    const profiles = await listProfiles(context);
    const others = profiles.length === 0 ? "SVC_BASE_URL" : `--profile (${few(profiles)})`;
    throw notRunning(local, `Or choose another service with ${others}.`);
  }
  const current = await readCurrent(context);
  if (current !== undefined && explicit.secret_key === undefined) {
    const target = await withCurrent(context, explicit, current);
    if (explicit.instance) throw notAmongInstances(`profile ${current}`, explicit.instance);
    await waitFor(context, target.base_url!.value);
    return target;
  }
  throw await noService(context, explicit);
}

/** The other servers that run in a directory, of which a person is told. */
export async function neighboursOf(context: Context, { server, older }: LocalServer): Promise<RunningServerFile[]> {
  const others = await proved(context, older);
  const urls = few(others.map(({ url }) => url));
  if (others.length > 0)
    say(
      context,
      `Asks ${server!.url}, the newest server of this directory. Also here: ${urls}. Name one with --base-url.`,
    );
  return others;
}

/** An address without a key may be that of a local server, which proves that it is the one whose file has the key. */
async function ofLocalServer(context: Context, { base_url, ...explicit }: Target): Promise<Target | undefined> {
  if (!base_url || explicit.secret_key || !isLoopbackUrl(base_url.value)) return undefined;
  const server = await findServerOn(context, Number(portOf(base_url.value)));
  const address = trimSlash(base_url.value);
  const isIts = (url: string | undefined): boolean => url !== undefined && trimSlash(url) === address;
  if (!server) return undefined;
  const named = server.instances.find(({ url }) => isIts(url));
  if (named === undefined) return isIts(server.url) ? { ...ofServer(server, explicit), base_url } : undefined;
  refuseOther(explicit.instance, named, base_url.source);
  return { ...ofServer(server, { ...explicit, instance: { value: named.id, source: base_url.source } }), base_url };
}

/**
 * The server that runs in this directory or above.
 * @param otherwise what to do about a server elsewhere
 */
export async function requireLocalServer(
  context: Context,
  otherwise: string,
  none = "No server runs in this directory or above.",
): Promise<LocalServer & { readonly server: RunningServerFile }> {
  const local = await awaitLocalServer(context);
  if (local?.server) return { ...local, server: local.server };
  if (local) throw notRunning(local, otherwise);
  throw new CliError(EXIT.noKey, none, `${(await elsewhere(context)) ?? "Start one with: svc serve."} ${otherwise}`);
}

/** Why commands here do not use a profile that has become the current one. Undefined if they do. */
export async function shadowOf(context: Context, profile: string): Promise<string | undefined> {
  const used = await resolveTarget({ ...context, choices: choicesOf(context) }).catch((error: Error) => error);
  if (!(used instanceof Error) && used.profile?.value === profile) return undefined;
  const instead = used instanceof Error ? used.message : `Commands here use ${describeTarget(used)}.`;
  return `${instead} For this profile add --profile ${profile}.`;
}

/** The service of a target in words, such as `https://acme.example.com (profile production)`. */
export function describeTarget({ base_url, api_url }: Target): string {
  const address = base_url ?? api_url;
  return address === undefined ? "an unknown service" : `${address.value} (${address.source})`;
}

/** @param instance undefined if the service did not name it */
export function instanceInWords(instance: NamedInstance | undefined): string {
  return instance ? `instance ${instance.subdomain} (${instance.id})` : "which does not name the instance of this key";
}

/** With `--wait`, waits for a server that is about to start. */
async function awaitLocalServer(context: Context): Promise<LocalServer | undefined> {
  let local: LocalServer | undefined;
  await poll(context, "localhost", async () => {
    local = await findLocalServer(context);
    return local === undefined || local.server !== undefined;
  });
  return local;
}

/** @param named what the other choice names */
export function refuseOther(
  instance: Sourced | undefined,
  named: NamedInstance & { publishable_key: string },
  by: string,
): void {
  if (instance === undefined || namesOf(named).includes(instance.value)) return;
  throw new UsageError(
    `${instance.source} names "${instance.value}", and ${by} "${named.subdomain}". Nothing was done.`,
    `Name one of them: ${without(instance.source)}, or the other.`,
  );
}

function notAmongInstances(chosen: string, { value: instance, source }: Sourced): CliError {
  return new UsageError(
    `${source} chooses among a local server's instances. Of ${chosen}, the secret key decides the instance.`,
    `For that one, ${without(source)}. For another store the key of ${instance} as a profile of its own: svc login --profile ${quoted(instance)}`,
  );
}

/** The source of what the server of this directory says of itself. */
export const LOCAL = "the local server";

/** The server of this directory as a target. @param explicit what flags and the environment set */
export function ofServer(server: RunningServerFile, explicit: Target): Target {
  const { secret_key: given, instance: wanted } = explicit;
  // A key from a file belongs to another service.
  const key = typeof given?.value === "string" ? given.value : undefined;
  const instance =
    key === undefined ? chooseInstance(server, wanted) : server.instances.find(({ secret_key }) => secret_key === key);
  if (!instance || (given !== undefined && key === undefined))
    throw new CliError(
      EXIT.noKey,
      `${given!.source} does not belong to the server at ${server.url}.`,
      "Unset it to use that server's own key, or set SVC_BASE_URL to the service that it belongs to.",
    );
  if (wanted !== undefined && !namesOf(instance).includes(wanted.value))
    throw new UsageError(
      `SVC_SECRET_KEY is the key of "${instance.subdomain}", not of "${wanted.value}".`,
      `Unset it, or ${without(wanted.source)}.`,
    );
  return {
    ...(wanted && { instance: wanted }),
    base_url: { value: instance.url, source: LOCAL },
    api_url: { value: server.api_url, source: LOCAL },
    publishable_key: { value: instance.publishable_key, source: LOCAL },
    secret_key: { value: instance.secret_key, source: given?.source ?? LOCAL },
    control_url: explicit.control_url ?? (server.control_key ? { value: server.url, source: LOCAL } : undefined),
    redirect_uris: instance.redirect_uris,
    server,
  };
}

/** The instance with this name, or the first one. */
export function chooseInstance(
  { instances, url }: RunningServerFile,
  wanted: Sourced | undefined,
): RunningServerFile["instances"][number] {
  if (wanted === undefined) {
    const [first] = instances;
    if (!first) throw new CliError(EXIT.failed, `The server at ${url} has no instance.`);
    return first;
  }
  const found = instances.find((instance) => namesOf(instance).includes(wanted.value));
  if (!found)
    throw new UsageError(
      `The server at ${url} has no instance "${wanted.value}".`,
      `It has ${few(instances.map(({ subdomain }) => subdomain))}.`,
    );
  return found;
}

/** What `--instance` may call it. */
export function namesOf({ id, subdomain, publishable_key }: NamedInstance & { publishable_key: string }): string[] {
  return [id, subdomain, publishable_key];
}
