import { valueOf, type Sourced } from "../choices.ts";
import type { Client, ClientOptions } from "../../client/client.ts";
import { isConfidential } from "../../http/address.ts";
import { SECRET_KEY_PREFIX } from "../../wire/ids.ts";
import { checkKey, DEFAULT_TIMEOUT_MS } from "../../client/options.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { numberFrom, timeoutFrom } from "../quantities.ts";
import { harmless } from "../output/text.ts";
import { resolveTarget } from "./target.ts";
import type { Target } from "./sources.ts";

export async function openClient(context: Context): Promise<Client> {
  return openTarget(context, await resolveTarget(context));
}

export async function openTarget(context: Context, target: Target): Promise<Client> {
  const { api_url, base_url, publishable_key } = target;
  if (api_url && !base_url && !publishable_key)
    throw new UsageError(
      `${api_url.source} is for all instances of a service, and nothing names one of them.`,
      "Set SVC_BASE_URL to the address of the instance, or SVC_PUBLISHABLE_KEY beside it.",
    );
  return openWith(context, target, await requireKey(context, target));
}

/** No user has this id: a search for it tests a key without reading a user or logging a failure. */
export const NO_USER = "id:00000000-0000-0000-0000-000000000000";

/** @param secretKey one that may be sent to this address: see `requirePrivacy` */
export async function verifyKeyWithService(
  context: Context,
  { base_url, secret_key, server }: Pick<Target, "secret_key" | "server"> & { readonly base_url: Sourced },
  secretKey: string,
): Promise<void> {
  const client = await openWith(context, { base_url, secret_key, server }, secretKey);
  try {
    await client.users.search(NO_USER);
  } catch (error) {
    if ((error as { code?: string }).code !== "unauthorized") throw error;
    throw new CliError(
      EXIT.noKey,
      `${new URL(base_url.value).origin} refused this key.`,
      "Check that it is complete and belongs to this instance.",
      "unauthorized",
    );
  }
}

/** Imports the client when it is needed, so that help starts fast. */
export async function openWith(context: Context, target: Target, secretKey?: string): Promise<Client> {
  const { createClientWith } = await import("../../client/client.ts");
  const { network } = context;
  const { server, secret_key } = target;
  const keySource = secret_key?.source;
  const reach = { certificate: server?.certificate, timeoutMs: timeoutMs(context), keySource };
  return createClientWith(
    () => ({ fetch: (url, init) => network.send(url, init, reach) }),
    optionsOf(context, target, secretKey),
  );
}

/** @throws {ConfigError} naming its source, if it is not a secret key */
export async function requireKey(context: Context, target: Target): Promise<string> {
  const { secret_key, profile } = target;
  if (secret_key === undefined)
    throw new CliError(
      EXIT.noKey,
      "No secret key for this service.",
      profile === undefined
        ? "Set SVC_SECRET_KEY, or store the key with: svc login"
        : `Store it with: svc login --profile ${profile.value}`,
    );
  const key = await valueOf(secret_key);
  checkKey(secret_key.source, key, SECRET_KEY_PREFIX);
  const address = target.base_url ?? target.api_url;
  if (address && !secret_key.insecure) requirePrivacy(context.env, address, "secret key");
  return key;
}

/** A key is sent over https or to this machine only, unless `--insecure` is set, or was when its profile was stored. */
export function requirePrivacy(env: Context["env"], { value, source }: Sourced, key: string): void {
  if (isConfidential(new URL(value)) || env["SVC_INSECURE"] === "1") return;
  throw new UsageError(
    `${new URL(value).origin} (${source}) is not encrypted: others could read the ${key} on its way.`,
    "Use https://. In a network that you trust, add --insecure or set SVC_INSECURE=1.",
  );
}

/** The options of a client for a target. */
export function optionsOf(context: Context, target: Target, secretKey?: string): ClientOptions {
  return {
    secretKey,
    publishableKey: target.publishable_key?.value,
    baseUrl: target.base_url?.value,
    apiUrl: target.api_url?.value,
    timeoutMs: timeoutMs(context),
    retry: retriesOf(context),
    onTry: logger(context),
    insecure: context.env["SVC_INSECURE"] === "1" || target.secret_key?.insecure || undefined,
  };
}

/** How long a whole call may take: `SVC_TIMEOUT`, or else `standardMs`. */
export function timeoutMs({ env }: Context, standardMs: number = DEFAULT_TIMEOUT_MS): number {
  return env["SVC_TIMEOUT"] ? timeoutFrom("SVC_TIMEOUT", env["SVC_TIMEOUT"]) : standardMs;
}

/** Few, so that a person learns soon that nothing listens. */
const DEFAULT_RETRIES = 1;

export function retriesOf({ env }: Context, standard = DEFAULT_RETRIES): number {
  return env["SVC_RETRIES"] ? numberFrom("SVC_RETRIES", env["SVC_RETRIES"], 0, 9) : standard;
}

/** With `SVC_LOG=debug` each try is logged on stderr, without secrets. */
function logger({ env, stderr }: Context): ClientOptions["onTry"] {
  const level = env["SVC_LOG"] || "off";
  if (level !== "off" && level !== "debug") throw new UsageError(`SVC_LOG: "${level}" must be off or debug.`);
  if (level === "off") return undefined;
  return ({ route, number, status, durationMs, error }) =>
    void stderr.write(
      `svc: ${harmless(route)} ${status ?? error?.code ?? "-"} ${Math.round(durationMs)} ms${number > 1 ? ` (try ${number})` : ""}\n`,
    );
}
