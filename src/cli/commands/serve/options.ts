import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { systemReason } from "../../../disk/system-reason.ts";
import type { ServeOptions } from "../../../server/index.ts";
import { CONFIG_FILE, type LogLevel, type ProvidersMode } from "../../../wire/serve.ts";
import type { Flags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";

/** The flag that names the configuration, and its description. */
export const CONFIG_OPTION = ["--config <file>", `the configuration; default: ${CONFIG_FILE}, if it exists`] as const;

export interface ServeFlags extends Flags<
  "port" | "host" | "store" | "seed" | "config" | "publicUrl" | "geoip" | "drain",
  "reset" | "https" | "control" | "metrics" | "open" | "quiet"
> {
  readonly allowedHost?: string[];
  readonly providers?: ProvidersMode;
  readonly trustProxy?: string[];
  readonly logLevel?: LogLevel;
}

/**
 * Flag, then environment, then configuration file. And whether the user has named the store: with a flag, a variable, or a
 * file that a flag names.
 */
export async function serveOptions(
  context: Context,
  flags: ServeFlags,
): Promise<ServeOptions & { readonly isStoreNamed: boolean }> {
  const env = environment(context);
  const file = await readConfig(context, flags.config);
  const providers = flags.providers ?? file.providers;
  const { credentialsFromEnv, joinCredentials } = await import("../../../server/index.ts");
  const port = flags.port === undefined ? checkPort(env["SVC_PORT"], "SVC_PORT") : checkPort(flags.port, "--port");
  const publicUrl = flags.publicUrl ?? file.publicUrl;
  const options = {
    isStoreNamed: isStoreNamed(context, flags) || (flags.config !== undefined && file.store !== undefined),
    port: port ?? file.port,
    host: flags.host ?? env["SVC_HOST"] ?? file.host,
    store: chooseStore(context, flags, file),
    seed: inDirectory(context.cwd, flags.seed) ?? file.seed,
    reset: flags.reset,
    publicUrl:
      publicUrl === undefined
        ? undefined
        : checkOrigin(publicUrl, flags.publicUrl === undefined ? "public_url" : "--public-url"),
    allowedHosts: flags.allowedHost?.map(checkHost) ?? file.allowedHosts,
    providers,
    credentials: joinCredentials(file.credentials ?? {}, credentialsFromEnv(env)),
    trustProxy: flags.trustProxy ?? file.trustProxy,
    geoip: inDirectory(context.cwd, flags.geoip) ?? file.geoip,
    https: flags.https ?? file.https,
    retention: file.retention,
    control: flags.control,
    controlKey: env["SVC_CONTROL_KEY"],
  };
  if (file.found) await (await import("./found.ts")).checkFoundConfig(file.found, flags, { env });
  return options;
}

/** The store that `svc serve` would use, so that the commands that look after it mean the same one. */
export async function storeLocation(context: Context, flags: Pick<ServeFlags, "store" | "config">): Promise<string> {
  if (isStoreNamed(context, flags)) return chooseStore(context, flags, {});
  const file = await readConfig(context, flags.config);
  if (file.found) await (await import("./found.ts")).checkFoundStore(file.found, context);
  return chooseStore(context, flags, file);
}

function isStoreNamed(context: Context, { store }: Pick<ServeFlags, "store">): boolean {
  return (store ?? environment(context)["SVC_STORE"]) !== undefined;
}

function chooseStore(context: Context, flags: Pick<ServeFlags, "store">, file: ConfigFile): string {
  const named = inDirectory(context.cwd, flags.store ?? environment(context)["SVC_STORE"]);
  return named ?? file.store ?? resolve(context.cwd, ".svc/db.json");
}

/** CI systems set a variable without a value to nothing. */
function environment({ env }: Context): Context["env"] {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
}

/** A `svc.config.json` that `--config` did not name. */
export interface FoundConfig {
  readonly path: string;
  /** As they are written there: paths are not resolved. */
  readonly settings: ServeOptions;
}

interface ConfigFile extends ServeOptions {
  /** If `--config` did not name the file. */
  readonly found?: FoundConfig | undefined;
}

/** Paths in the file are relative to its directory. */
async function readConfig({ cwd }: Context, named: string | undefined): Promise<ConfigFile> {
  const path = resolve(cwd, named ?? CONFIG_FILE);
  const source = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (named === undefined && error.code === "ENOENT") return undefined;
    throw new UsageError(`${named === undefined ? "" : "--config: "}${path} cannot be read: ${systemReason(error)}.`);
  });
  if (source === undefined) return {};
  const { parseConfig } = await import("../../../server/index.ts");
  const config = await parseConfig(source, path);
  const base = dirname(path);
  return {
    ...config,
    store: inDirectory(base, config.store),
    seed: typeof config.seed === "string" ? inDirectory(base, config.seed) : config.seed,
    geoip: inDirectory(base, config.geoip),
    found: named === undefined ? { path, settings: config } : undefined,
  };
}

/** A path as it is meant there; anything else is left as it is. */
export function inDirectory<Path extends string | undefined>(directory: string, path: Path): Path | string {
  const isPath = path !== undefined && path !== "memory" && !path.includes("://");
  return isPath ? resolve(directory, path) : path;
}

function checkPort(text: string | undefined, source: string): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535)
    throw new UsageError(`${source}: "${text}" is not a port.`, "Use a number from 1 to 65535, or 0 for a free port.");
  return port;
}

function checkHost(text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text)) return text.toLowerCase();
  throw new UsageError(
    `--allowed-host: "${text}" is not a host name.`,
    "Use a host name without scheme and path, such as dev.example.test.",
  );
}

function checkOrigin(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === "/" &&
    url.search === "" &&
    url.hash === "" &&
    url.username === "";
  if (!isOrigin)
    throw new UsageError(
      `${source}: "${text}" is not an origin.`,
      "Use scheme and host only, such as https://auth.example.com.",
    );
  return url.origin;
}
