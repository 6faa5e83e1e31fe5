import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDirectories } from "../../disk/write-atomically.ts";
import { writePrivateFile } from "../files.ts";

const MAX_BYTES = 2 ** 24;

/** What `svc serve` leaves in `.svc/servers/<port>.json` for the commands that run beside it. */
export interface RunningServerFile {
  readonly pid: number;
  readonly port: number;
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
    /** The one to use from programs: it needs no resolver for names below localhost. Undefined in an older file. */
    readonly program_url?: string;
    readonly publishable_key: string;
    readonly secret_key: string;
    /** Undefined in the file of an older version, as is the next. */
    readonly active?: boolean;
    readonly redirect_uris?: readonly string[];
  }[];
}

/** What shows that a server has run in a directory. */
const TRACES = ["servers", "server.json", "db.json", "db.journal"];

/** Where the servers of a directory keep their files, and by default their records. */
export function placeOf(directory: string): string {
  return join(directory, ".svc");
}

/** The newest server's file, for programs that look for one name. */
export function newestPath(directory: string): string {
  return join(placeOf(directory), "server.json");
}

export function serverPath(directory: string, port: number): string {
  return join(placeOf(directory), "servers", `${port}.json`);
}

/** Whether the user's own `svc serve` has run in a directory. */
export function hasServed(directory: string): boolean {
  const place = placeOf(directory);
  return namesIn(place).some((name) => TRACES.includes(name)) && isOwn(statSync(place).uid);
}

/**
 * Every server's file in a directory, the newest first; some may be of servers that were killed. Read at once: most
 * commands read nothing else, and would start Node's threads for it.
 */
export function readServerFiles(directory: string): RunningServerFile[] {
  const servers = join(placeOf(directory), "servers");
  const paths = namesIn(servers).filter((name) => name.endsWith(".json"));
  const read = [newestPath(directory), ...paths.map((name) => join(servers, name))].map(readServerFile);
  const unique = new Map(read.flatMap((file) => (file ? [[file.identity_secret, file]] : [])));
  return [...unique.values()].toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1));
}

/** Creates `.svc` if it is missing, and keeps it out of git. */
export async function writeServerFile(directory: string, path: string, server: RunningServerFile): Promise<void> {
  const made = await createDirectories(placeOf(directory), 0o700);
  if (made !== undefined) await writeFile(join(placeOf(directory), ".gitignore"), "*\n", { mode: 0o600 });
  // Made under a name that cannot be guessed, then renamed: a link that lies there is never written through.
  await writePrivateFile(path, `${JSON.stringify(server, null, 2)}\n`);
}

/** Whether a file is of this server, and not of another one since. */
export function isServerFileOf(path: string, { identity_secret }: RunningServerFile): boolean {
  return readServerFile(path)?.identity_secret === identity_secret;
}

/** Removes a file if it still belongs to this server. */
export async function removeServerFile(path: string, server: RunningServerFile): Promise<boolean> {
  const isOurs = isServerFileOf(path, server);
  if (isOurs) await rm(path, { force: true });
  return isOurs;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function readServerFile(path: string): RunningServerFile | undefined {
  try {
    // Without waiting: a named pipe would block for ever.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
      // In a shared directory above, any user could leave a file that has tokens sent to them. What came with a repository
      // or an archive is ours as well, but can be read by others, which what we write never can.
      const isPrivate = process.getuid === undefined || (isOwn(found.uid) && (found.mode & 0o077) === 0);
      if (!isPrivate || !found.isFile() || found.size > MAX_BYTES) return undefined;
      const server = JSON.parse(readFileSync(file, "utf8")) as unknown;
      return isServerFile(server) ? server : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function isServerFile(value: unknown): value is RunningServerFile {
  const { url, api_url, identity_secret, instances } = (value ?? {}) as Record<string, unknown>;
  const isText = (text: unknown): boolean => typeof text === "string";
  return isText(url) && isText(api_url) && isText(identity_secret) && Array.isArray(instances);
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
