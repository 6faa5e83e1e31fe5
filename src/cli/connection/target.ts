import { choicesOf, isFrontOf, valueOf, without, type SecretKey, type Sourced } from "../choices.ts";
import { isLoopbackUrl, portOf } from "../../http/address.ts";
import { trimSlash } from "../../http/request.ts";
import type { Context, NamedInstance } from "../context.ts";
import { listProfiles, readCurrent } from "../credentials/profiles.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { quoted, say } from "../output/text.ts";
import { few } from "../../text/suggestion.ts";
import { asSentence } from "../../wire/search/query-words.ts";
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
    refuseOtherControl(context, local.server, explicit);
    await tellOfNeighbours(context, local);
    return ofServer(local.server, explicit);
  }
  if (local) {
    const profiles = await listProfiles(context);
    const others = profiles.length === 0 ? "SVC_BASE_URL" : `--profile (${few(profiles)})`;
    throw notRunning(local, `Or choose another service with ${others}.`);
  }
  const current = await readCurrent(context);
  if (current !== undefined && explicit.secret_key === undefined) {
    const target = await withCurrent(context, explicit, current);
    await waitFor(context, target.base_url!.value);
    const own = await ofLocalServer(context, target);
    if (own) return own;
    if (explicit.instance) throw notAmongInstances(`profile ${current}`, explicit.instance);
    return target;
  }
  throw await noService(context, explicit);
}

/** Of several servers of a directory the newest is read. @throws {UsageError} before a change, which chooses none of them */
export async function tellOfNeighbours(context: Context, { server, older }: LocalServer): Promise<void> {
  const { url } = server!;
  const others = (await proved(context, older)).map((one) => one.url).filter((one) => one !== url);
  if (others.length === 0) return;
  if (context.needs?.changes)
    throw new UsageError(
      `${others.length + 1} servers run in this directory: ${few([url, ...others])}. Nothing was done.`,
      `Name the one to change, such as --base-url ${url}`,
    );
  say(
    context,
    `Asks ${url}, the newest server of this directory. Also here: ${few(others)}. Name one with --base-url.`,
  );
}

/**
 * The address may be that of a local server, which proves that it is the one whose file has its instances and keys. Key and
 * publishable key together need none: the first names the instance to the service, and the second to a sign-in.
 */
async function ofLocalServer(context: Context, explicit: Target): Promise<Target | undefined> {
  const { base_url, secret_key, publishable_key, instance } = explicit;
  if (!base_url || !isLoopbackUrl(base_url.value)) return undefined;
  if (secret_key && publishable_key && !instance && !context.needs?.changes) return undefined;
  const server = await findServerOn(context, Number(portOf(base_url.value)));
  return server && targetAt(server, explicit);
}

/** A local server as the target, with the instance that an address, a word or a key names. Undefined for another's address. */
export async function targetAt(server: RunningServerFile, explicit: Target): Promise<Target | undefined> {
  const { base_url, instance, profile, isByDefault } = explicit;
  if (!base_url) return ofServer(server, explicit);
  const named = server.instances.find(({ url }) => trimSlash(url) === trimSlash(base_url.value));
  if (!named && !isFrontOf(server.url, base_url.value)) return undefined;
  if (named) refuseOther(instance, named, base_url.source);
  const chosen = named ? { value: named.subdomain, source: base_url.source } : instance;
  return { ...(await ofServer(server, { ...explicit, instance: chosen })), base_url, profile, isByDefault };
}

/** Where the control API is another server's, one half of the commands would ask that one. */
function refuseOtherControl({ needs }: Context, { url }: RunningServerFile, { control_url: control }: Target): void {
  if (!control || needs?.sendsNothing || isFrontOf(url, control.value)) return;
  throw new UsageError(
    `${control.source} names ${control.value}, and the server of this directory is ${url}. Nothing was done.`,
    `For the server of this directory, ${without(control.source)}. For the other, set SVC_BASE_URL, too.`,
  );
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

/** Where something was done, such as `globex (http://globex.localhost:5500, the local server)`. */
export function whereDone(target: Target, instance: NamedInstance | undefined): string {
  const { base_url, api_url, profile } = target;
  const { value, source } = (base_url ?? api_url)!;
  return instance
    ? `${instance.subdomain} (${value}, ${profile ? `profile ${profile.value}` : source})`
    : describeTarget(target);
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

/** The source of an instance that an argument names. */
export const ARGUMENT = "the argument";

/** @param named what the other choice names */
export function refuseOther(
  instance: Sourced | undefined,
  named: NamedInstance & { publishable_key: string },
  by: string,
): void {
  if (instance === undefined || namesOf(named).includes(instance.value)) return;
  throw new UsageError(
    asSentence(`${instance.source} names "${instance.value}", and ${by} "${named.subdomain}". Nothing was done`),
    `Name one of them: ${without(by)}${instance.source === ARGUMENT ? "" : `, or ${without(instance.source)}`}.`,
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
async function ofServer(server: RunningServerFile, explicit: Target): Promise<Target> {
  const { secret_key: given, instance, publishable_key } = explicit;
  const wanted = instance ?? publishable_key;
  const chosen = given ? await withKey(server, given) : chooseInstance(server, wanted);
  for (const word of [instance, publishable_key]) refuseOther(word, chosen, (given ?? wanted)?.source ?? LOCAL);
  return {
    ...(wanted && { instance: wanted }),
    base_url: { value: chosen.url, source: LOCAL },
    api_url: { value: server.api_url, source: LOCAL },
    publishable_key: { value: chosen.publishable_key, source: LOCAL },
    secret_key: { value: chosen.secret_key, source: given?.source ?? LOCAL },
    control_url: explicit.control_url ?? (server.control_key ? { value: server.url, source: LOCAL } : undefined),
    redirect_uris: chosen.redirect_uris,
    server,
  };
}

type Instance = RunningServerFile["instances"][number];

async function withKey({ instances, url }: RunningServerFile, given: SecretKey): Promise<Instance> {
  const { source } = given;
  const key = await valueOf(given);
  const found = instances.find(({ secret_key }) => secret_key === key);
  if (found) return found;
  throw new CliError(
    EXIT.noKey,
    `The key in ${source} is none of the server at ${url}: it was replaced, or is another service's.`,
    `For that server's own key, ${without(source)}. For another service, name its address too, with SVC_BASE_URL.`,
  );
}

/** The instance with this name, or the first one. */
function chooseInstance({ instances, url }: RunningServerFile, wanted: Sourced | undefined): Instance {
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
