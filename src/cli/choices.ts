/** What chooses the target of a command. Nothing else of the command line reads these flags and variables. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../disk/system-reason.ts";
import { CliError, EXIT } from "./errors.ts";
import { isLoopbackUrl, portOf, urlFrom } from "../http/address.ts";

/** The flags that choose a service. */
export interface TargetFlags {
  readonly profile?: string;
  readonly instance?: string;
  readonly baseUrl?: string;
}

/** A value with its source in words. */
export interface Sourced<Value = string> {
  readonly value: Value;
  readonly source: string;
}

/** A secret key at hand, or how to get at it: a keyring may ask its owner, so it is opened only when a key is needed. */
export interface SecretKey extends Sourced<string | (() => Promise<string>)> {
  /** The only one that it is for, if it is for one. */
  readonly origin?: string | undefined;
  /** Whether it may go there over plain http. */
  readonly insecure?: boolean | undefined;
}

export async function valueOf({ value }: SecretKey): Promise<string> {
  return typeof value === "string" ? value : value();
}

/** What was chosen, each value with its source. */
export interface Choices {
  readonly profile?: Sourced | undefined;
  /** As it was named: an id, a subdomain or a publishable key. */
  readonly instance?: Sourced | undefined;
  readonly base_url?: Sourced | undefined;
  readonly api_url?: Sourced | undefined;
  readonly publishable_key?: Sourced | undefined;
  readonly secret_key?: SecretKey | undefined;
  /** The front door of a server with a control API. */
  readonly control_url?: Sourced | undefined;
  readonly control_key?: Sourced | undefined;
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** What flags and variables choose, each with the one that does. */
export function choicesOf({ env, cwd }: Place, flags: TargetFlags = {}): Choices {
  const chosen = (name: string, flag?: string, typed?: string): Sourced | undefined => {
    if (typed !== undefined) return { value: typed, source: flag! };
    // CI systems set a variable without a value to an empty text, and keep the line end of what was pasted.
    const value = env[name]?.trim() ?? "";
    return value === "" ? undefined : { value, source: name };
  };
  const key = environmentKey({ env, cwd });
  return {
    profile: chosen("SVC_PROFILE", "--profile", flags.profile),
    instance: chosen("SVC_INSTANCE", "--instance", flags.instance),
    base_url: chosen("SVC_BASE_URL", "--base-url", flags.baseUrl),
    api_url: chosen("SVC_API_URL"),
    publishable_key: chosen("SVC_PUBLISHABLE_KEY"),
    secret_key: key && { ...key, origin: originOf(env["SVC_BASE_URL"]?.trim()) },
    control_url: chosen("SVC_CONTROL_URL"),
    control_key: chosen("SVC_CONTROL_KEY"),
  };
}

/** Whether a flag of this command chose it. */
export function isTyped(choice: Pick<Sourced, "source"> | undefined): boolean {
  return choice?.source.startsWith("--") === true;
}

/** What takes a choice back. */
export function without(source: string): string {
  if (source.startsWith("SVC_")) return `unset ${source}`;
  return source.startsWith("--") ? `omit ${source}` : `do without ${source}`;
}

/** The key of the environment: itself, or in a file. */
function environmentKey({ env, cwd }: Place): SecretKey | undefined {
  const [key, file] = [env["SVC_SECRET_KEY"], env["SVC_SECRET_KEY_FILE"]];
  if (key) return { value: key.trim(), source: "SVC_SECRET_KEY" };
  return file ? { value: () => fromFile(resolve(cwd, file)), source: "SVC_SECRET_KEY_FILE" } : undefined;
}

async function fromFile(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CliError(EXIT.noKey, `SVC_SECRET_KEY_FILE: ${path} cannot be read: ${systemReason(error)}.`);
  });
  const key = text.trim();
  if (key === "") throw new CliError(EXIT.noKey, `SVC_SECRET_KEY_FILE: ${path} is empty.`);
  return key;
}

/** @param url an address that was checked */
export function originOf(url: string | undefined): string | undefined {
  return urlFrom(url ?? "")?.origin;
}

/** Whether an address is that of a server's front door: this machine has more than one name. */
export function isFrontOf(url: string, address: string): boolean {
  if (originOf(url) === originOf(address)) return true;
  const isPlain = (one: string): boolean => isLoopbackUrl(one) && !new URL(one).hostname.endsWith(".localhost");
  return isPlain(url) && isPlain(address) && portOf(url) === portOf(address);
}
