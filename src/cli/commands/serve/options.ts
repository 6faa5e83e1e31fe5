import { dirname, resolve } from "node:path";
import { fileText } from "../../../disk/decode.ts";
import { readFound, whyUnread } from "../../../disk/input.ts";
import type { SeedInput, ServeOptions } from "../../../server/index.ts";
import { CONFIG_FILE, type LogLevel, type ProvidersMode } from "../../../wire/serve.ts";
import type { Flags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { readInput, seedInput } from "../../files.ts";
import { numberFrom } from "../../quantities.ts";
import { checkFound, type FoundConfig } from "./found.ts";
import { requirePlace, storeOf } from "./place.ts";
import { urlFrom } from "../../../http/address.ts";

/** The flag that names the configuration, and its description. */
export const CONFIG_OPTION = ["--config <file>", `the configuration; default: ${CONFIG_FILE}`] as const;

export interface ServeFlags extends Flags<
  "port" | "host" | "store" | "seed" | "config" | "publicUrl" | "geoip" | "drain",
  "reset" | "yes" | "strict" | "https" | "control" | "metrics" | "open" | "quiet"
> {
  readonly allowedHost?: string[];
  readonly providers?: ProvidersMode;
  readonly trustProxy?: string[];
  readonly logLevel?: LogLevel;
}

/**
 * Flag, then environment, then configuration file. Without a `store`, the one of the directory is meant.
 * @throws {UsageError} also for a file that svc found by itself, if it hands over trust
 */
export async function serveOptions(context: Context, flags: ServeFlags): Promise<ServeOptions> {
  const env = environment(context);
  const { found, ...file } = await readConfig(context, flags.config);
  const { credentialsFromEnv, joinCredentials } = await import("../../../server/index.ts");
  const given = {
    port: portOf("--port", flags.port) ?? portOf("SVC_PORT", env["SVC_PORT"]),
    host: flags.host ?? env["SVC_HOST"],
    store: namedStore(context, flags),
    seed: inDirectory(context.cwd, flags.seed),
    strict: flags.strict,
    publicUrl: flags.publicUrl,
    allowedHosts: flags.allowedHost?.map(checkHost),
    providers: flags.providers,
    trustProxy: flags.trustProxy,
    geoip: inDirectory(context.cwd, flags.geoip),
    https: flags.https,
  };
  const options: ServeOptions = { ...file, ...withoutUndefined(given) };
  const source = flags.publicUrl === undefined ? "public_url" : "--public-url";
  const publicUrl = options.publicUrl && checkOrigin(options.publicUrl, source);
  if (found) await checkFound(found, given, { env });
  const { seed } = options;
  return {
    ...options,
    publicUrl,
    seed: typeof seed === "string" ? await seedInput<SeedInput>(context, seed) : seed,
    credentials: joinCredentials(file.credentials ?? {}, credentialsFromEnv(env)),
    env,
    reset: flags.reset,
    control: flags.control,
    controlKey: env["SVC_CONTROL_KEY"],
  };
}

/** The addresses at which `svc serve` would exchange codes, of the providers that it has credentials for. */
export async function providerAddresses(context: Context): Promise<string[]> {
  const { credentials = {} } = await serveOptions(context, {});
  const { tokenEndpoints } = await import("../../../server/index.ts");
  return tokenEndpoints(credentials);
}

function withoutUndefined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}

/** The store that `svc serve` would use, so that the commands that look after it mean the same one. */
export async function storeLocation(context: Context, flags: Pick<ServeFlags, "store" | "config">): Promise<string> {
  const named = namedStore(context, flags);
  if (named !== undefined) return named;
  const { found, store } = await readConfig(context, flags.config);
  if (found) await checkFound({ settings: { store: found.settings.store }, seed: undefined }, {}, context);
  return store ?? storeOf(requirePlace(context));
}

function namedStore(context: Context, { store }: Pick<ServeFlags, "store">): string | undefined {
  return inDirectory(context.cwd, store ?? environment(context)["SVC_STORE"]);
}

/** CI systems set a variable without a value to nothing. */
function environment({ env }: Context): Context["env"] {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
}

interface ConfigFile extends ServeOptions {
  /** If `--config` did not name the file. */
  readonly found?: FoundConfig | undefined;
}

/** Paths in the file are relative to its directory. */
async function readConfig(context: Context, named: string | undefined): Promise<ConfigFile> {
  const path = resolve(context.cwd, named ?? CONFIG_FILE);
  const source = await (named === undefined ? foundConfig(path) : readInput(context, path, `--config: ${path}`));
  if (source === undefined) return {};
  const { parseConfig } = await import("../../../server/index.ts");
  const settings = await parseConfig(source, path);
  const base = dirname(path);
  const name = typeof settings.seed === "string" ? settings.seed : undefined;
  const seed = inDirectory(base, name);
  return {
    ...settings,
    store: inDirectory(base, settings.store),
    seed,
    geoip: inDirectory(base, settings.geoip),
    found: named === undefined ? { settings, seed: name && seed ? { name, path: seed } : undefined } : undefined,
  };
}

async function foundConfig(path: string): Promise<string | undefined> {
  try {
    return fileText(await readFound(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UsageError(`${path} ${whyUnread(error)}.`);
  }
}

/** A path as it is meant there; anything else is left as it is. */
export function inDirectory<Path extends string | undefined>(directory: string, path: Path): Path | string {
  return isPath(path) ? resolve(directory, path) : path;
}

/** Whether a store is a file, and not in memory or a database. */
export function isPath(store: string | undefined): store is string {
  return store !== undefined && store !== "memory" && !store.includes("://");
}

function portOf(source: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : numberFrom(source, text, 0, 65_535);
}

function checkHost(text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text)) return text.toLowerCase();
  throw new UsageError(
    `--allowed-host: "${text}" is not a host name.`,
    "Use a host name without scheme and path, such as dev.example.test.",
  );
}

function checkOrigin(text: string, source: string): string {
  const url = urlFrom(text);
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
