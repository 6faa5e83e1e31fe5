import { checkAddress } from "../../client/options.ts";
import type { ControlClient } from "../../control-client/index.ts";
import { CONTROL_KEY_PREFIX, credentialKind } from "../../wire/ids.ts";
import { isLoopbackUrl, portOf } from "../../wire/http/address.ts";
import { trimSlash } from "../../wire/http/request.ts";
import type { AnswerOf } from "../../wire/control/types.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import type { GlobalFlags } from "../command.ts";
import { requirePrompt } from "../output/prompts.ts";
import { harmless, say } from "../output/text.ts";
import { requirePrivacy, timeoutMs } from "./client.ts";
import type { RunningServerFile } from "./server-file.ts";
import { readExplicitTarget } from "./sources.ts";
import { requireLocalServer } from "./target.ts";
import { fetchOf, waitFor } from "./exchange.ts";

/** Longer than for other requests: a snapshot of a large store takes long. */
const DEFAULT_TIMEOUT_MS = 60_000;

interface ControlTarget {
  /** The front door. */
  readonly url: string;
  readonly controlKey: string;
  /** The server of this directory, if it is that one. */
  readonly server?: RunningServerFile;
}

/**
 * The control API that `SVC_CONTROL_URL` and `SVC_CONTROL_KEY` name, else that of the local server.
 * @throws {UsageError} if flags or variables name another service: nothing is done at this one in its place
 */
export async function openControl(context: Context, flags: GlobalFlags): Promise<ControlClient> {
  refuseOtherServices(flags);
  const target = await findControl(context);
  if (target.server) await refuseOtherVariables(context, target.server);
  return openAt(context, target);
}

/** The same for the service at an address. Undefined if none is known, or it belongs to another service. */
export async function controlOf(context: Context, base_url: string): Promise<ControlClient | undefined> {
  const target = await findControl(context).catch(() => undefined);
  if (target === undefined) return undefined;
  const [front, base] = [new URL(target.url), new URL(base_url)];
  const isIts = base.host === front.host || base.host.endsWith(`.${front.host}`);
  return isIts ? openAt(context, target) : undefined;
}

async function openAt(context: Context, { url, controlKey, server }: ControlTarget): Promise<ControlClient> {
  // Loaded here, so that other commands start fast.
  const { createControlClient } = await import("../../control-client/index.ts");
  const reach = { certificate: server?.certificate, timeoutMs: timeoutMs(context, DEFAULT_TIMEOUT_MS) };
  return createControlClient({ url, controlKey, fetch: fetchOf(context, reach) });
}

async function findControl(context: Context): Promise<ControlTarget> {
  const named = context.env["SVC_CONTROL_URL"] || undefined;
  if (named !== undefined) {
    const target = { url: checkControlUrl(context, named), controlKey: namedKey(context) };
    await waitFor(context, target.url);
    return target;
  }
  const server = await requireLocalServer(
    context,
    OPERATOR,
    "This command needs the control API, and no server runs in this directory or above.",
  );
  if (server.control_key !== undefined) return { url: server.url, controlKey: server.control_key, server };
  throw new CliError(
    EXIT.precondition,
    `The server at ${server.url} has no control API: other machines can reach it.`,
    "To have one all the same, restart it with: svc serve --control",
  );
}

const OPERATOR =
  "For a service elsewhere, ask its operator to run this command, or for the SVC_CONTROL_URL and SVC_CONTROL_KEY of its control API.";

/** These flags choose services that have no control API. No other server is used in their place. */
function refuseOtherServices({ profile, baseUrl }: GlobalFlags): void {
  const flag = (profile && "--profile") ?? (baseUrl && "--base-url");
  if (!flag) return;
  throw new UsageError(
    `${flag} is not for this command: it needs the control API, which no secret key opens.`,
    `For the local server of this directory, omit ${flag}. ${OPERATOR}`,
  );
}

/** `SVC_PROFILE`, `SVC_BASE_URL` and `SVC_SECRET_KEY` may name the server of this directory; those of another one are not ignored. */
async function refuseOtherVariables(context: Context, server: RunningServerFile): Promise<void> {
  const { base_url, secret_key } = await readExplicitTarget(context, {});
  const isItsAddress = (url: string): boolean => isLoopbackUrl(url) && portOf(url) === portOf(server.url);
  const isItsKey = server.instances.some((instance) => instance.secret_key === secret_key?.value);
  const isIts = base_url ? isItsAddress(base_url.value) : !secret_key || isItsKey;
  if (isIts) return;
  const [source, what] = base_url
    ? [base_url.source, `names ${base_url.value}`]
    : [secret_key!.source, "is the key of another service"];
  const variable = source.startsWith("profile ") ? "SVC_PROFILE" : source;
  throw new UsageError(
    `${variable} ${what}, and the server of this directory is ${server.url}. Nothing was done.`,
    `For the server of this directory, unset ${variable}. ${OPERATOR}`,
  );
}

function checkControlUrl({ env }: Context, text: string): string {
  checkAddress("SVC_CONTROL_URL", text);
  const url = trimSlash(text);
  requirePrivacy(env, { value: url, source: "SVC_CONTROL_URL" }, "control key");
  return url;
}

function namedKey({ env }: Context): string {
  const key = env["SVC_CONTROL_KEY"] || undefined;
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

/** On commands that destroy records. */
export const YES_FLAG = ["-y, --yes", "do not ask for confirmation"] as const;

/**
 * Has a person agree to what destroys records, or says with `--yes` where it happens.
 * @param does such as `Delete the users of Acme`, which the server's address follows
 */
export async function consentAt(
  context: Context,
  control: ControlClient,
  { yes, json }: { readonly yes?: boolean; readonly json?: boolean },
  does: string,
  note = "",
): Promise<void> {
  const what = harmless(`${does} at ${describeControl(context, control)}`);
  if (yes) return json ? undefined : say(context, what);
  requirePrompt(context, `To ${what.charAt(0).toLowerCase()}${what.slice(1)}, add --yes.`);
  if (!(await context.confirm(`${what}?${note}`))) throw new CliError(EXIT.failed, "Declined. Nothing was changed.");
}

/** The server of a control API in words, such as `http://localhost:7820 (the server of this directory)`. */
export function describeControl({ env }: Pick<Context, "env">, { url }: Pick<ControlClient, "url">): string {
  return `${url} (${env["SVC_CONTROL_URL"] ? "SVC_CONTROL_URL" : "the server of this directory"})`;
}

export function instanceInWords({ id, data }: AnswerOf<"GET /instances/:id">): string {
  return `${data.name} (${data.subdomain} ${id})`;
}

/** The instance of a server with this id or subdomain, or its first. */
export async function instanceAt(
  control: ControlClient,
  name: string | undefined,
): Promise<AnswerOf<"GET /instances/:id">> {
  if (name !== undefined) return control.request("GET /instances/:id", { params: { id: name } });
  // The newest comes first.
  const first = (await control.request("GET /instances")).at(-1);
  if (first) return first;
  throw new CliError(EXIT.notFound, "The server has no instances.");
}
