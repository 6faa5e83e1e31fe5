import type { ServeOptions } from "../../../server/index.ts";
import { isLoopback } from "../../../wire/http/address.ts";
import { CONFIG_FILE } from "../../../wire/serve.ts";
import { enumerated } from "../../../wire/text/suggestion.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import type { FoundConfig, ServeFlags } from "./options.ts";

type Place = Pick<Context, "env">;

/**
 * Checks a configuration that may have come with a repository of someone else: it may neither open the server to others
 * nor have anything sent to another machine or deleted. What a flag or a variable replaces is not looked at.
 * @throws {CliError} naming each setting that is refused
 */
export async function checkFoundConfig(
  { path, settings }: FoundConfig,
  flags: ServeFlags,
  place: Place,
): Promise<void> {
  const { host, publicUrl, allowedHosts, trustProxy, seed, geoip, providers, retention } = settings;
  const { env } = place;
  const isOpen = host !== undefined && !isLoopback(host) && flags.host === undefined && !env["SVC_HOST"];
  refuse(path, [
    ...(isOpen ? ["host"] : []),
    ...(publicUrl !== undefined && flags.publicUrl === undefined ? ["public_url"] : []),
    ...(allowedHosts?.length && flags.allowedHost === undefined ? ["allowed_hosts"] : []),
    ...(trustProxy?.length && flags.trustProxy === undefined ? ["trust_proxy"] : []),
    ...((flags.providers ?? providers) === "simulated" ? [] : foreignEndpoints(settings.credentials)),
    ...(flags.store === undefined && !env["SVC_STORE"] ? await foreignStore(settings.store, place) : []),
    ...(isShare(seed) && flags.seed === undefined ? ["seed"] : []),
    ...(retention?.sessions === undefined ? [] : ["retention"]),
    ...(isShare(geoip) && flags.geoip === undefined ? ["geoip"] : []),
  ]);
}

/** The same for its store alone. @throws {CliError} */
export async function checkFoundStore({ path, settings }: FoundConfig, place: Place): Promise<void> {
  refuse(path, await foreignStore(settings.store, place));
}

function refuse(path: string, settings: readonly string[]): void {
  if (settings.length === 0) return;
  throw new UsageError(
    `${path} sets ${enumerated(settings, "and")}. svc found this file by itself, so it may not open the server to others, name another machine or have records deleted.`,
    `If you trust it, add: --config ${CONFIG_FILE}`,
  );
}

/** They get the client secret, and the provider's tokens. */
function foreignEndpoints(credentials: ServeOptions["credentials"] = {}): string[] {
  return Object.entries(credentials).flatMap(([provider, { endpoints = {} }]) =>
    Object.entries(endpoints).flatMap(([name, address]) => {
      const { host, hostname } = new URL(address);
      return isLoopback(hostname) ? [] : [`providers.${provider}.endpoints.${name} (${host})`];
    }),
  );
}

/** It gets the password of `PGPASSWORD` or of `~/.pgpass`. */
async function foreignStore(store: string | undefined, { env }: Place): Promise<string[]> {
  if (isShare(store)) return ["store"];
  if (!store?.includes("://")) return [];
  const { storeHosts } = await import("../../../server/index.ts");
  const hosts = await storeHosts(store, env);
  return hosts.length === 0 ? [] : [`store (${enumerated(hosts, "and")})`];
}

/** Whether a path is one of Windows' network, to which Windows logs in. */
function isShare(path: unknown): boolean {
  return typeof path === "string" && /^[\\/]{2}/.test(path);
}
