import type { ClientOptions } from "../../client/client.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { harmless } from "../output/text.ts";
import { resolveTarget, type Target, type TargetFlags } from "./target.ts";

/** The flags that every command takes. */
export interface GlobalFlags extends TargetFlags {
  readonly json?: boolean;
}

/** What the client is to be made with. A key that lies in a keyring is left there. */
export async function clientOptions(context: Context, flags: GlobalFlags): Promise<ClientOptions> {
  return optionsOf(context, await resolveTarget(context, flags));
}

/** The same for a command that needs a secret key. */
export async function keyedClientOptions(context: Context, flags: GlobalFlags): Promise<ClientOptions> {
  const target = await resolveTarget(context, flags);
  return { ...optionsOf(context, target), secretKey: await requireKey(target) };
}

/** @throws {CliError} where there is none, or where it can't be got at */
export async function requireKey({ secret_key, profile }: Target): Promise<string> {
  if (secret_key === undefined)
    throw new CliError(
      EXIT.noKey,
      "There is no secret key for this service.",
      profile === undefined
        ? "Put it in SVC_SECRET_KEY, or keep it with: svc login"
        : `Keep it with: svc login --profile ${profile.value}`,
    );
  return typeof secret_key.value === "string" ? secret_key.value : secret_key.value();
}

export function optionsOf(context: Context, target: Target): ClientOptions {
  const { base_url, api_url, publishable_key, secret_key, server } = target;
  const { fetch } = context;
  const options = {
    secretKey: typeof secret_key?.value === "string" ? secret_key.value : undefined,
    publishableKey: publishable_key?.value,
    baseUrl: base_url && checkUrl(base_url.value, base_url.source),
    apiUrl: api_url && checkUrl(api_url.value, api_url.source),
    certificate: server?.certificate,
    timeoutMs: timeoutMs(context),
    retry: retries(context),
    onTry: logger(context),
    insecure: context.env["SVC_INSECURE"] === "1" || undefined,
    fetch,
  };
  return defined(options);
}

export function checkUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" && url.hash === "") return text;
  throw new CliError(
    EXIT.usage,
    `${source}: "${text}" is not the address of a service.`,
    "Write it whole, e.g. https://acme.example.com.",
  );
}

function timeoutMs({ env }: Context): number | undefined {
  const text = env["SVC_TIMEOUT"] || undefined;
  if (text === undefined) return undefined;
  const seconds = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0) throw new CliError(EXIT.usage, `SVC_TIMEOUT: "${text}" is not a number of seconds.`);
  return seconds * 1000;
}

/** Where nothing listens, a person shall know it at once. */
const DEFAULT_RETRIES = 1;

function retries({ env }: Context): number {
  const text = env["SVC_RETRIES"] || String(DEFAULT_RETRIES);
  if (!/^\d$/.test(text)) throw new CliError(EXIT.usage, `SVC_RETRIES: "${text}" is not a number from 0 to 9.`);
  return Number(text);
}

/** With `SVC_LOG=debug` each try is told on stderr, with nothing in it that is secret. */
function logger({ env, stderr }: Context): ClientOptions["onTry"] {
  const level = env["SVC_LOG"] || "off";
  if (level !== "off" && level !== "debug")
    throw new CliError(EXIT.usage, `SVC_LOG: "${level}" is neither off nor debug.`);
  if (level === "off") return undefined;
  return ({ route, number, status, durationMs, error }) =>
    void stderr.write(
      `svc: ${harmless(route)} ${status ?? error?.code ?? "-"} ${Math.round(durationMs)} ms${number > 1 ? ` (try ${number})` : ""}\n`,
    );
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
