import { fileText } from "../../../disk/decode.ts";
import { readFound, whyUnread } from "../../../disk/input.ts";
import type { ServeOptions } from "../../../server/index.ts";
import { isLoopback, urlFrom } from "../../../http/address.ts";
import { credentialVariables, PROVIDERS } from "../../../wire/providers.ts";
import { CONFIG_FILE } from "../../../wire/serve.ts";
import { isObject, parsedJson } from "../../../text/json.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";

/** A `svc.config.json` that `--config` did not name. */
export interface FoundConfig {
  readonly settings: ServeOptions;
  /** The seed that it names, as it is written there, and its path. */
  readonly seed: { readonly name: string; readonly path: string } | undefined;
}

/** The settings that a flag or a variable replaces: what the file says there is not looked at. */
export type Replaced = Partial<Record<keyof ServeOptions, unknown>>;

/**
 * Checks a configuration that may have come with a repository of someone else, and its seed: neither may hand over trust.
 * They open the server to no other machine, name none, bring no keys, and have nothing deleted.
 * @throws {UsageError} that lists each point with its path
 */
export async function checkFound(
  { settings, seed }: FoundConfig,
  replaced: Replaced,
  { env }: Pick<Context, "env">,
): Promise<void> {
  const own = Object.fromEntries(
    Object.entries(settings).filter(([name]) => replaced[name as keyof ServeOptions] === undefined),
  ) as ServeOptions;
  const isSimulated = (replaced.providers ?? settings.providers) === "simulated";
  const inConfig = [
    ...openings(own),
    ...(isSimulated ? [] : credentialPoints(own.credentials, env)),
    ...(await storePoints(own.store, env)),
  ];
  const inSeed = own.seed !== undefined && seed && !isShare(seed.name) ? await seedPoints(seed) : [];
  if (inConfig.length === 0 && inSeed.length === 0) return;
  const points = [
    ...inConfig.map((point) => `  ${CONFIG_FILE}: ${point}`),
    ...inSeed.map((point) => `  ${seed!.name}: ${point}`),
  ];
  throw new UsageError(
    `svc found ${CONFIG_FILE} by itself. Who wrote it may not be you, so it takes none of this from it:\n${points.join("\n")}`,
    `If you trust it, add: ${inConfig.length === 0 ? `--seed ${seed!.name}` : `--config ${CONFIG_FILE}`}`,
  );
}

function openings(settings: ServeOptions): string[] {
  const { host, publicUrl, allowedHosts, trustProxy, seed, geoip, clients = [], retention } = settings;
  return [
    ...(host !== undefined && !isLoopback(host) ? ["host"] : []),
    ...(publicUrl === undefined ? [] : ["public_url"]),
    ...(allowedHosts?.length ? ["allowed_hosts"] : []),
    ...(trustProxy?.length ? ["trust_proxy"] : []),
    ...clients.flatMap((client, k) => redirectPoints(client, `clients[${k}].`)),
    ...(isShare(seed) ? ["seed"] : []),
    ...(retention?.sessions === undefined ? [] : ["retention"]),
    ...(isShare(geoip) ? ["geoip"] : []),
  ];
}

/** Endpoints get no secret but that of the same file, on loopback neither. */
function credentialPoints(credentials: ServeOptions["credentials"] = {}, env: Context["env"]): string[] {
  return PROVIDERS.flatMap((name) => {
    const { client_secret, endpoints = {} } = credentials[name] ?? {};
    const path = `providers.${name}.endpoints`;
    const inEnvironment = credentialVariables(name).find((variable) => env[variable]);
    const why = inEnvironment === undefined ? "the file has no client_secret for it" : `${inEnvironment} is set`;
    const isTheirs = client_secret !== undefined && inEnvironment === undefined;
    const local = Object.entries(endpoints).filter(([, address]) => !isTheirs && isOnLoopback(address));
    return [
      ...endpointPoints(`providers.${name}`, { endpoints }),
      ...local.map(([endpoint, address]) => `${path}.${endpoint}${hostIn(address)}: ${why}`),
    ];
  });
}

/**
 * Whoever made a file knows every key in it, and a database elsewhere gets the password of `PGPASSWORD` or of `~/.pgpass`.
 */
async function storePoints(store: string | undefined, env: Context["env"]): Promise<string[]> {
  if (store === undefined || store === "memory") return [];
  if (!store.includes("://")) return ["store"];
  const { storeHosts } = await import("../../../server/index.ts");
  const hosts = await storeHosts(store, env);
  return hosts.map((host) => `store (${host})`);
}

/** What a seed says that hands over trust. Another form of it is the server's to refuse. @throws {UsageError} if it is no file */
async function seedPoints({ name, path }: { name: string; path: string }): Promise<string[]> {
  const source = await readFound(path)
    .then(fileText)
    .catch((error: unknown) => {
      throw new UsageError(`${CONFIG_FILE}: The seed ${name} ${whyUnread(error)}.`);
    });
  const seed = parsedJson(source);
  return listIn(seed, "instances").flatMap((instance, i) => [
    ...(partOf(instance)["secret_key"] === undefined ? [] : [`instances[${i}].secret_key`]),
    ...redirectPoints(instance, `instances[${i}].`),
    ...listIn(instance, "clients").flatMap((client, k) => redirectPoints(client, `instances[${i}].clients[${k}].`)),
    ...Object.entries(partOf(partOf(instance)["connections"])).flatMap(([provider, connection]) =>
      endpointPoints(`instances[${i}].connections.${provider}`, connection),
    ),
  ]);
}

/** They get tokens and codes. */
function redirectPoints(owner: unknown, path: string): string[] {
  return listIn(owner, "redirect_uris").flatMap((entry, k) =>
    isOnLoopback(entry) ? [] : [`${path}redirect_uris[${k}]: ${JSON.stringify(entry)}`],
  );
}

/** They get the client secret, and the provider's tokens. */
function endpointPoints(path: string, connection: unknown): string[] {
  return Object.entries(partOf(partOf(connection)["endpoints"])).flatMap(([name, address]) =>
    // Of the address no more than its host: it may have a password.
    isOnLoopback(address) ? [] : [`${path}.endpoints.${name}${hostIn(address)}`],
  );
}

function isOnLoopback(address: unknown): boolean {
  return isLoopback(urlOf(address)?.hostname ?? "");
}

function urlOf(address: unknown): URL | undefined {
  return typeof address === "string" ? urlFrom(address) : undefined;
}

function hostIn(address: unknown): string {
  const url = urlOf(address);
  return url ? ` (${url.host})` : "";
}

function partOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = partOf(value)[name];
  return Array.isArray(list) ? list : [];
}

/** Whether a path is one of Windows' network, to which Windows logs in. */
function isShare(path: unknown): boolean {
  return typeof path === "string" && /^[\\/]{2}/.test(path);
}
