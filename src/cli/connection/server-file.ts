import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { dataDirectory, serversDirectory } from "../places.ts";

const MAX_BYTES = 2 ** 24;

/** What `svc serve` leaves in `servers/<port>-<random id>.json` of the data directory for the commands that run beside it. */
export interface RunningServerFile {
  readonly pid: number;
  /** The name of its machine or container, which the process id belongs to. */
  readonly host: string;
  readonly port: number;
  /** The directory that it was started in, without links: it serves the commands there and below. */
  readonly directory: string;
  /** The store's location, without secrets. */
  readonly store: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** Where it listens on loopback, as are the addresses of the instances: never its public address. */
  readonly url: string;
  readonly api_url: string;
  /** Of a server with `--https`, in PEM. */
  readonly certificate?: string | undefined;
  /** Proves that the server which answers is the one that wrote this. */
  readonly identity_secret: string;
  /** Of the control API; undefined: there is none. */
  readonly control_key?: string | undefined;
  readonly instances: readonly {
    readonly id: string;
    readonly name: string;
    readonly subdomain: string;
    readonly url: string;
    /** The one to use from programs: it needs no resolver for names below localhost. */
    readonly program_url: string;
    readonly publishable_key: string;
    readonly secret_key: string;
    readonly active: boolean;
    readonly redirect_uris: readonly string[];
  }[];
}

/** One that was found. */
export interface FoundServerFile extends RunningServerFile {
  /** Its path. */
  readonly path: string;
}

/**
 * Every server's file of this user, the newest first; some may be of servers that were killed. Read at once: most commands
 * read nothing else, and would start Node's threads for it.
 */
export function readServerFiles({ env }: Pick<Context, "env">): FoundServerFile[] {
  const data = dataDirectory(env);
  if (data === undefined) return [];
  const directory = serversDirectory(data);
  const paths = namesIn(directory).map((name) => join(directory, name));
  const found = paths.filter((path) => path.endsWith(".json")).flatMap((path) => readServerFile(path) ?? []);
  return found.toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readServerFile(path: string): FoundServerFile | undefined {
  try {
    // Without waiting: a named pipe would block for ever.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
      // SVC_DATA_DIR may name a directory where others write: what they leave there could have tokens sent to them.
      const isPrivate = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
      if (!isPrivate || !found.isFile() || found.size > MAX_BYTES) return undefined;
      const server = JSON.parse(readFileSync(file, "utf8")) as unknown;
      return isServerFile(server) ? { ...server, path } : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function isServerFile(value: unknown): value is RunningServerFile {
  const { directory, url, api_url, identity_secret, instances } = (value ?? {}) as Record<string, unknown>;
  return (
    [directory, url, api_url, identity_secret].every((text) => typeof text === "string") && Array.isArray(instances)
  );
}
