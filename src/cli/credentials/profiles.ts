import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemReason } from "../../disk/system-reason.ts";
import { parsedJson } from "../../text/json.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT, type ExitCode, UsageError } from "../errors.ts";
import { few } from "../../text/suggestion.ts";
import { isAbsent, readPrivateFile, writePrivateFile } from "../files.ts";
import { configDirectory, requireConfigDirectory } from "../places.ts";
import { urlFrom } from "../../http/address.ts";

/** A service that commands can be sent to by name. Each has a file of its own, so that no change loses another. */
export interface Profile {
  /** {base_url} of the instance. */
  readonly base_url: string;
  readonly secret_key?: StoredKey;
}

/** The place of a profile's secret key, and the only origin that it is sent to. */
export interface StoredKey {
  readonly store: "keyring" | "file";
  readonly origin: string;
  /** Set if `store` is `file`. */
  readonly value?: string;
  /** Set by `svc login --insecure`: whether it may go there over plain http. */
  readonly insecure?: boolean;
}

type Place = Pick<Context, "env">;

/** Lower case alone: some systems' files know no other. */
const PROFILE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

export function checkProfileName(name: string): string {
  if (PROFILE_NAME.test(name)) return name;
  throw new UsageError(
    `"${name}" is not a valid profile name.`,
    "Use 1 to 63 lower-case letters, digits, dots, dashes and underscores, with a letter or digit at both ends.",
  );
}

export async function listProfiles({ env }: Place): Promise<string[]> {
  const directory = configDirectory(env);
  if (directory === undefined) return [];
  const files = await readdir(join(directory, "profiles")).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw new CliError(EXIT.failed, `${join(directory, "profiles")} cannot be read: ${systemReason(error)}.`);
  });
  return files
    .flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? [])
    .filter((name) => PROFILE_NAME.test(name))
    .toSorted();
}

export async function readProfile(place: Place, name: string): Promise<Profile | undefined> {
  const file = await readJson(place, "profiles", `${checkProfileName(name)}.json`);
  if (file === undefined) return undefined;
  const { path, value, mode } = file;
  if (!isProfile(value)) throw damaged(path, "it is not a profile");
  if (value.secret_key?.value !== undefined && process.platform !== "win32" && (mode & 0o077) !== 0)
    throw new CliError(EXIT.failed, `${path} contains a secret key that others can read.`, `Run: chmod 600 '${path}'`);
  return value;
}

/** @param exitCode if there is none: 3 if the command is about the profile itself */
export async function requireProfile(place: Place, name: string, exitCode: ExitCode = EXIT.usage): Promise<Profile> {
  const profile = await readProfile(place, name);
  if (profile) return profile;
  const names = await listProfiles(place);
  throw new CliError(
    exitCode,
    `Unknown profile "${name}".`,
    names.length === 0
      ? "Create one with: svc login. An instance of a local server is chosen with --instance."
      : `Profiles: ${few(names)}. Create another with: svc login`,
  );
}

export async function writeProfile(place: Place, name: string, profile: Profile): Promise<void> {
  const path = join(requireConfigDirectory(place), "profiles", `${checkProfileName(name)}.json`);
  await writePrivateFile(path, `${JSON.stringify(profile, null, 2)}\n`);
}

export async function removeProfile(place: Place, name: string): Promise<void> {
  await rm(join(requireConfigDirectory(place), "profiles", `${name}.json`), { force: true });
  if ((await readCurrent(place)) === name) await writeCurrent(place, undefined);
}

/** The name of the profile that is used by default. */
export async function readCurrent(place: Place): Promise<string | undefined> {
  const file = await readJson(place, "config.json");
  const { current } = (file?.value ?? {}) as { current?: unknown };
  if (file && current !== undefined && !(typeof current === "string" && PROFILE_NAME.test(current)))
    throw damaged(file.path, "current is not a profile name");
  return current as string | undefined;
}

export async function writeCurrent(place: Place, current: string | undefined): Promise<void> {
  const path = join(requireConfigDirectory(place), "config.json");
  await writePrivateFile(path, `${JSON.stringify({ current }, null, 2)}\n`);
}

/** A file of the configuration. Undefined if there is none. */
async function readJson({ env }: Place, ...names: readonly string[]) {
  const directory = configDirectory(env);
  const path = directory === undefined ? "" : join(directory, ...names);
  const file = directory === undefined ? undefined : await readPrivateFile(path);
  if (file === undefined) return undefined;
  const value = parsedJson(file.text);
  // The parser's own message would repeat a piece of the text, and so perhaps of a key.
  if (value === undefined) throw damaged(path, "it is not JSON");
  return { path, value, mode: file.mode };
}

function damaged(path: string, what: string): CliError {
  return new CliError(EXIT.failed, `${path} cannot be used: ${what}.`, "Fix or delete it, then log in again.");
}

function isProfile(value: unknown): value is Profile {
  const { base_url, secret_key } = (value ?? {}) as Record<string, unknown>;
  const isAddress = typeof base_url === "string" && urlFrom(base_url) !== undefined;
  return isAddress && (secret_key === undefined || isStoredKey(secret_key));
}

function isStoredKey(value: unknown): value is StoredKey {
  const { store, origin, value: key, insecure } = (value ?? {}) as Record<string, unknown>;
  if (typeof origin !== "string" || !["undefined", "boolean"].includes(typeof insecure)) return false;
  return store === "keyring" ? key === undefined : store === "file" && typeof key === "string";
}
