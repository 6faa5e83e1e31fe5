import { hash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { Context } from "./context.ts";
import { UsageError } from "./errors.ts";

type Place = Pick<Context, "env">;
type Env = Context["env"];

// Every place of the user's where svc keeps something, but for Node's compiled code: `bin/cache-directory.js` is asked for
// it before anything else is loaded.

/** Of profiles: `SVC_CONFIG_DIR`, else the system's directory for configuration. Undefined if there is no home. */
export function configDirectory(env: Env, platform: string = process.platform): string | undefined {
  if (env["SVC_CONFIG_DIR"]) return env["SVC_CONFIG_DIR"];
  return (
    below(env["XDG_CONFIG_HOME"]) ?? (platform === "win32" ? below(env["APPDATA"]) : undefined) ?? home(env, ".config")
  );
}

/** Of stores and of what servers write about themselves: `SVC_DATA_DIR`, else the system's directory for data. */
export function dataDirectory(env: Env, platform: string = process.platform): string | undefined {
  if (env["SVC_DATA_DIR"]) return resolve(env["SVC_DATA_DIR"]);
  const given = below(env["XDG_DATA_HOME"]) ?? (platform === "win32" ? below(env["LOCALAPPDATA"]) : undefined);
  return given ?? home(env, platform === "darwin" ? "Library/Application Support" : ".local/share");
}

/** Relative ones are to be ignored (XDG Base Directory Specification). */
function below(directory: string | undefined): string | undefined {
  return directory !== undefined && isAbsolute(directory) ? join(directory, "svc") : undefined;
}

function home({ HOME }: Env, name: string): string | undefined {
  return HOME ? join(HOME, name, "svc") : undefined;
}

export function requireConfigDirectory({ env }: Place): string {
  const directory = configDirectory(env);
  if (directory === undefined)
    throw new UsageError("No configuration directory: HOME is not set.", "Set HOME or SVC_CONFIG_DIR.");
  return directory;
}

/** Where servers write what commands need to know of them. */
export function serversDirectory(data: string): string {
  return join(data, "servers");
}

/** Where each directory that a server was started in has a place of its own, for its store. */
export function storesDirectory(data: string): string {
  return join(data, "stores");
}

/** That place, such as `stores/app-1f3870be`. @param directory a real path */
export function placeOf(data: string, directory: string): string {
  const name = basename(directory)
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .slice(0, 40);
  return join(storesDirectory(data), `${name || "root"}-${hash("sha256", directory).slice(0, 8)}`);
}

/** A directory without links, as it is known by. One that is not there keeps its name. */
export function realDirectory(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    return resolve(directory);
  }
}
