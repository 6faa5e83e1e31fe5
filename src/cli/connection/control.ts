import { isTyped, type Sourced } from "../choices.ts";
import { checkAddress } from "../../client/options.ts";
import type { ControlClient } from "../../control-client/index.ts";
import type { AnswerOf } from "../../wire/control/types.ts";
import { CONTROL_KEY_PREFIX, credentialKind } from "../../wire/ids.ts";
import { isLoopbackUrl, portOf } from "../../http/address.ts";
import { trimSlash } from "../../http/request.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { quoted, say } from "../output/text.ts";
import { few } from "../../text/suggestion.ts";
import { requirePrivacy, timeoutMs } from "./client.ts";
import type { Chosen } from "./consent.ts";
import { fetchOf, waitFor } from "./exchange.ts";
import { findServerOn } from "./running-server.ts";
import type { RunningServerFile } from "./server-file.ts";
import { readExplicitTarget, type Target } from "./sources.ts";
import { chosenAt, type Named } from "./chosen-instance.ts";
import { ARGUMENT } from "./target.ts";
import { findServerHere, isAtServer, OPERATOR } from "./server-here.ts";

/** Longer than for other requests: a snapshot of a large store takes long. */
const DEFAULT_TIMEOUT_MS = 60_000;

type Instance = AnswerOf<"GET /instances/:id">;

/** The control API of the target. */
export interface Control extends ControlClient {
  /** In words, such as `http://localhost:7820 (the server of this directory)`. */
  readonly place: string;
  /** What chose the server, in words. */
  readonly by: string;
  /** The id of the instance that was chosen. Undefined: none was. */
  readonly instance: string | undefined;
  readonly choice: Chosen;
}

interface Found {
  /** The front door. */
  readonly url: string;
  readonly controlKey: string;
  /** What is known of it here. */
  readonly server?: RunningServerFile | undefined;
  readonly by: string;
}

/**
 * The control API of the server that flags and variables name, else of the server of this directory, with the instance that
 * they choose.
 * @param argument names an instance, as `--instance` does
 * @throws {UsageError} if they name two servers or two instances, or one that the command can't obey
 */
export async function openControl(context: Context, argument?: string): Promise<Control> {
  const explicit = await readExplicitTarget(ofServer(context, argument));
  const found = await findControl(context, explicit);
  const client = await openAt(context, found);
  const { base_url, secret_key, instance: word, publishable_key, profile, isByDefault } = explicit;
  const given = argument === undefined ? undefined : { value: argument, source: ARGUMENT };
  const isChosen = (base_url ?? secret_key ?? word ?? publishable_key ?? given) !== undefined;
  const named = isChosen ? await chosenAt(context, client, found, explicit, given) : undefined;
  const isForYes = context.needs?.changes !== undefined;
  const instances = isForYes ? await subdomainsOf(client, found) : [];
  refuseOneOfAll(context, named, instances, found.url);
  const isNamed = context.needs?.on !== "instance" || named !== undefined;
  const { url, by } = found;
  const choice: Chosen = { profile, isByDefault, instances, isNamed };
  return { ...client, by, place: `${url} (${by})`, instance: named?.id, choice };
}

async function subdomainsOf(client: ControlClient, { server }: Found): Promise<string[]> {
  if (server) return server.instances.map(({ subdomain }) => subdomain);
  return (await client.request("GET /instances")).map(({ data }) => data.subdomain).toReversed();
}

/** An address that is typed names a server as a whole, whichever instance the variables of a shell name. */
function ofServer(context: Context, argument: string | undefined): Context {
  const { choices, needs } = context;
  if (!isTyped(choices.base_url) || (needs?.on === "instance" && argument === undefined)) return context;
  const profile = isTyped(choices.profile) ? choices.profile : undefined;
  return { ...context, choices: { ...choices, profile, secret_key: undefined, publishable_key: undefined } };
}

/** Where a shell is set up for one tenant, nothing changes all of them. */
function refuseOneOfAll({ needs }: Context, named: Named | undefined, instances: readonly string[], url: string): void {
  if (needs?.on !== "server" || !needs.changes || !named || instances.length < 2) return;
  throw new UsageError(
    `${named.by} names the instance ${named.subdomain}, and this command is for all of ${few(instances)}. Nothing was done.`,
    `For all of them add --base-url ${url}, and omit --instance and --profile.`,
  );
}

/** The same for the service at an address. Undefined if none is known, or it belongs to another service. */
export async function controlOf(context: Context, base_url: string | undefined): Promise<ControlClient | undefined> {
  if (base_url === undefined) return undefined;
  const address = { value: base_url, source: "the address" };
  const found = await findControl(context, { base_url: address }).catch(() => undefined);
  return found && isAtServer({ url: found.url, instances: found.server?.instances }, base_url)
    ? openAt(context, found)
    : undefined;
}

async function openAt(context: Context, { url, controlKey, server }: Found): Promise<ControlClient> {
  // Loaded here, so that other commands start fast.
  const { createControlClient } = await import("../../control-client/index.ts");
  const reach = { certificate: server?.certificate, timeoutMs: timeoutMs(context, DEFAULT_TIMEOUT_MS) };
  return createControlClient({ url, controlKey, fetch: fetchOf(context, reach) });
}

async function findControl(context: Context, explicit: Target): Promise<Found> {
  const { control_url, control_key } = context.choices;
  if (control_url) {
    const url = checkControlUrl(context, control_url);
    const controlKey = checkControlKey(control_key?.value);
    await waitFor(context, url);
    // Its file has the instances' keys, by which a key is known.
    const server =
      explicit.secret_key && isLoopbackUrl(url) ? await findServerOn(context, Number(portOf(url))) : undefined;
    return { url, controlKey, server, by: control_url.source };
  }
  const { server, by } = await findServerHere(
    context,
    explicit,
    OPERATOR,
    "This command needs the control API, and no server runs in this directory or above.",
  );
  if (server.control_key !== undefined) return { url: server.url, controlKey: server.control_key, server, by };
  throw new CliError(
    EXIT.precondition,
    `The server at ${server.url} has no control API: other machines can reach it.`,
    "To have one all the same, restart it with: svc serve --control",
  );
}

function checkControlUrl({ env }: Context, { value, source }: Sourced): string {
  checkAddress(source, value);
  const url = trimSlash(value);
  requirePrivacy(env, { value: url, source }, "control key");
  return url;
}

function checkControlKey(key: string | undefined): string {
  if (key === undefined)
    throw new CliError(
      EXIT.noKey,
      "SVC_CONTROL_URL is set, but SVC_CONTROL_KEY is not.",
      "In the directory of that server, svc env prints both.",
    );
  const kind = key.startsWith(CONTROL_KEY_PREFIX) ? undefined : credentialKind(key);
  if (kind === undefined && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(
    `SVC_CONTROL_KEY is ${kind ?? "not a control key"}.`,
    "A control key begins with ctl_, without spaces: in the server's directory svc env prints it.",
  );
}

/**
 * Says what was done and where, unless a program reads the answer.
 * @param done such as `Deleted 3 users of`
 * @param instance its id; undefined: it was done to the server as a whole
 */
export async function sayDone(
  context: Context,
  { json }: { readonly json?: boolean },
  control: Control,
  done: string,
  instance?: string,
): Promise<void> {
  if (json) return;
  const { by, place, url } = control;
  const found =
    instance === undefined ? undefined : await control.request("GET /instances/:id", { params: { id: instance } });
  say(context, `${done} ${found ? `${found.data.subdomain} (${url}, ${by})` : place}.`);
}

/** With the flags that chose the server. @param instance the only one that was changed; undefined: all of them were */
export function sayUndo(
  context: Context,
  { json }: { readonly json?: boolean },
  snapshot: string,
  instance: Instance | undefined,
): void {
  if (json) return;
  say(context, `To undo this: svc dev snapshot restore ${snapshot}${sameTarget(context, instance)}`);
}

/** The flags that have another command act on the same, each with a space before it. What variables choose stays chosen. */
export function sameTarget({ choices: { profile, base_url } }: Context, instance: Instance | undefined): string {
  const typed = [profile, base_url].flatMap((one) =>
    one && isTyped(one) ? [` ${one.source} ${quoted(one.value)}`] : [],
  );
  return `${typed.join("")}${instance ? ` --instance ${quoted(instance.data.subdomain)}` : ""}`;
}

export function instanceInWords({ id, data }: Instance): string {
  return `${data.name} (${data.subdomain} ${id})`;
}

/** The instance that was chosen, or the server's first: for reading, and for people who are asked. */
export async function instanceOf(control: Control): Promise<Instance> {
  if (control.instance !== undefined)
    return control.request("GET /instances/:id", { params: { id: control.instance } });
  // The newest comes first.
  const first = (await control.request("GET /instances")).at(-1);
  if (first) return first;
  throw new CliError(EXIT.notFound, "The server has no instances.");
}
