import { createHmac, randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ServeOptions } from "../../../server/index.ts";
import { isLoopback } from "../../../wire/http/address.ts";
import { CONFIG_FILE } from "../../../wire/serve.ts";
import { enumerated } from "../../../wire/text/suggestion.ts";
import { upwards } from "../../connection/running-server.ts";
import type { Context } from "../../context.ts";
import { configDirectory } from "../../credentials/profiles.ts";
import { UsageError, CliError, EXIT } from "../../errors.ts";
import { readPrivateFile, writePrivateFile } from "../../files.ts";
import { quoted } from "../../output/text.ts";
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

const REPOSITORIES = [".git", ".hg", ".jj", ".svn"];

/**
 * Checks a store that svc found by itself: whoever made it knows every key in it. Modes prove nothing, as a checkout under
 * umask 077 or an archive has those of svc. So a store is the user's own if it has a mark that only this user can make.
 * @throws {CliError} for another's in a repository, or one that everyone can read, as files from an archive
 */
export async function requireOwnStore({ cwd, env }: Pick<Context, "cwd" | "env">, path: string): Promise<void> {
  const { storeOrigin } = await import("../../../server/index.ts");
  const origin = await storeOrigin(path);
  if (!origin) return;
  const isInRepository = await liesInRepository(path);
  if (!isInRepository && !origin.isPublic) return;
  const key = await userKey(env, false);
  if (key !== undefined && origin.id !== undefined && (await readMark(path)) === markOf(key, origin.id)) return;
  throw new CliError(
    EXIT.failed,
    `${path} ${isInRepository ? "lies in a repository" : "can be read by everyone"}, and svc did not create it for you: someone else may know every key in it.`,
    `Delete it, and svc serve creates a new one. If it is yours, name it once: svc serve --store ${quoted(relative(cwd, path))}`,
    "store_unusable",
  );
}

/** Marks a store as this user's own: one that was just created, or that the user has named. */
export async function markOwnStore({ env }: Place, path: string): Promise<void> {
  const { storeOrigin } = await import("../../../server/index.ts");
  const id = (await storeOrigin(path))?.id;
  const key = id === undefined ? undefined : await userKey(env, true);
  if (id === undefined || key === undefined) return;
  const mark = markOf(key, id);
  if ((await readMark(path)) !== mark) await writePrivateFile(`${path}.owner`, `${mark}\n`);
}

async function liesInRepository(path: string): Promise<boolean> {
  const directory = dirname(path);
  // What is a link leads elsewhere, and may be part of a repository here or there.
  const real = [realpath(directory), realpath(path).then(dirname)].map((found) => found.catch(() => directory));
  const all = new Set([directory, ...(await Promise.all(real))].flatMap((one) => [...upwards(one)]));
  return [...all].some((one) =>
    REPOSITORIES.some((name) => {
      try {
        return lstatSync(join(one, name), { throwIfNoEntry: false }) !== undefined;
      } catch {
        return false;
      }
    }),
  );
}

function markOf(key: string, id: string): string {
  return createHmac("sha256", key).update(`store ${id}`).digest("hex");
}

async function readMark(path: string): Promise<string | undefined> {
  return (await readPrivateFile(`${path}.owner`).catch(() => undefined))?.text.trim();
}

/** Undefined if there is no home directory for one, or the user has none yet. @param creates whether to make one then */
async function userKey(env: Place["env"], creates: boolean): Promise<string | undefined> {
  const directory = configDirectory(env);
  if (directory === undefined) return undefined;
  const path = join(directory, "store-key");
  const read = async (): Promise<string | undefined> => {
    const text = (await readPrivateFile(path).catch(() => undefined))?.text.trim();
    return text !== undefined && /^[\w-]{43}$/.test(text) ? text : undefined;
  };
  const there = await read();
  if (there !== undefined || !creates) return there;
  await writePrivateFile(path, `${randomBytes(32).toString("base64url")}\n`);
  // Another start may have written another one since.
  return read();
}
