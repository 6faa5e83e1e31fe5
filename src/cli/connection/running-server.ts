import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { dirname, resolve } from "node:path";
import { durationMs } from "../../wire/text/time.ts";
import { isLoopbackUrl, portOf, systemCode } from "../../wire/http/address.ts";
import type { Context } from "../context.ts";
import { exchange } from "./exchange.ts";
import {
  hasServed,
  isServerFileOf,
  newestPath,
  readServerFiles,
  removeServerFile,
  serverPath,
  writeServerFile,
  type RunningServerFile,
} from "./server-file.ts";

/** A server of this machine that does not answer sooner has stopped. */
const TIMEOUT_MS = 5_000;

type Place = Pick<Context, "cwd" | "env" | "network">;

/** What is known of a local server. */
export interface LocalServer {
  readonly directory: string;
  /** Undefined if it has stopped. */
  readonly server: RunningServerFile | undefined;
}

/** The newest server that runs in a directory, or in the nearest one above it in which a server has run. */
export async function findLocalServer(place: Place): Promise<LocalServer | undefined> {
  for (const directory of upwards(place.cwd)) {
    const server = await newestRunning(place, directory);
    if (server || hasServed(directory)) return { directory, server };
  }
  return undefined;
}

/** The server of a directory, or of one above it, that runs on a port. */
export async function findServerOn(place: Place, port: number): Promise<RunningServerFile | undefined> {
  for (const directory of upwards(place.cwd))
    for (const server of readServerFiles(directory))
      if (server.port === port && (await probe(place, server)) === "proved") return server;
  return undefined;
}

export function* upwards(from: string): Generator<string> {
  let directory = resolve(from);
  for (; directory !== dirname(directory); directory = dirname(directory)) yield directory;
  yield directory;
}

/** The other servers that run in the directory of one. */
export async function findNeighbours(place: Place, server: RunningServerFile): Promise<RunningServerFile[]> {
  for (const directory of upwards(place.cwd)) {
    const files = readServerFiles(directory);
    const others = files.filter(({ identity_secret }) => identity_secret !== server.identity_secret);
    if (others.length === files.length) continue;
    const proofs = await Promise.all(others.map((other) => probe(place, other)));
    return others.filter((_, i) => proofs[i] === "proved");
  }
  return [];
}

export async function findRunningServer(place: Place): Promise<RunningServerFile | undefined> {
  return (await findLocalServer(place))?.server;
}

/** The subdomains of a server's instances, without making sure of it: for what sends nothing. */
export function knownSubdomains({ cwd }: Pick<Place, "cwd">): string[] {
  for (const directory of upwards(cwd)) {
    const [newest] = readServerFiles(directory);
    if (newest) return newest.instances.map(({ subdomain }) => subdomain);
  }
  return [];
}

/** What a server has written about itself. */
export type Announcement = Awaited<ReturnType<typeof announceServer>>;

/** Writes a server's own file, and makes it the one that commands in this directory ask. */
export async function announceServer(place: Place, server: RunningServerFile) {
  const { cwd } = place;
  const path = serverPath(cwd, server.port);
  const other = await newestRunning(place, cwd);
  await removeStale(place);
  await writeServerFile(cwd, path, server);
  await writeServerFile(cwd, newestPath(cwd), server);
  return {
    /** Its own file. */
    path,
    /** Another server that runs in this directory, which commands no longer ask. */
    other,
    /** Writes its file again if its instances or their keys have changed. */
    async update(changed: RunningServerFile): Promise<void> {
      await writeServerFile(cwd, path, changed);
      if (isServerFileOf(newestPath(cwd), changed)) await writeServerFile(cwd, newestPath(cwd), changed);
    },
    /** Removes its files; the newest server that still runs takes its place. */
    async withdraw(): Promise<void> {
      await removeServerFile(path, server);
      if (!(await removeServerFile(newestPath(cwd), server))) return;
      const next = await newestRunning(place, cwd);
      if (next) await writeServerFile(cwd, newestPath(cwd), next);
    },
  };
}

async function newestRunning(place: Place, directory: string): Promise<RunningServerFile | undefined> {
  for (const server of readServerFiles(directory)) if ((await probe(place, server)) === "proved") return server;
  return undefined;
}

/** A server that was killed leaves its file behind. If its port is merely busy, the file stays. */
async function removeStale(place: Place): Promise<void> {
  for (const server of readServerFiles(place.cwd))
    if (Number.isSafeInteger(server.port) && (await probe(place, server)) === "refused")
      await removeServerFile(serverPath(place.cwd, server.port), server);
}

/**
 * Asks for a proof that only the server which wrote the file can give, and only for the address that is asked, before any
 * key or token is sent. A process id says nothing: it may be another program's by now, or of another container.
 */
async function probe(place: Place, server: RunningServerFile): Promise<"proved" | "refused" | "other"> {
  // Keys are sent to each of these, so what is proved for one must hold for all.
  const addresses = [server.url, server.api_url, ...server.instances.map(({ url }) => url)];
  if (!addresses.every((address) => isLoopbackUrl(address) && portOf(address) === portOf(server.url))) return "other";
  const challenge = randomBytes(32).toString("hex");
  try {
    const timeoutMs = Math.min(TIMEOUT_MS, durationMs(place.env["SVC_TIMEOUT"] ?? "", "s") || Infinity);
    const url = `${server.url}/__svc/identity?challenge=${challenge}`;
    const { text } = await exchange(place, url, { certificate: server.certificate, timeoutMs, waits: false });
    const { proof } = JSON.parse(text) as { proof?: unknown };
    const asked = `${new URL(url).hostname}:${portOf(url)}`;
    return isProof(proof, server.identity_secret, `identity ${challenge} ${asked}`) ? "proved" : "other";
  } catch (error) {
    return systemCode(error) === "ECONNREFUSED" ? "refused" : "other";
  }
}

function isProof(proof: unknown, secret: string, text: string): boolean {
  if (typeof proof !== "string" || !/^[0-9a-f]{64}$/.test(proof)) return false;
  const expected = createHmac("sha256", secret).update(text).digest();
  return timingSafeEqual(Buffer.from(proof, "hex"), expected);
}
