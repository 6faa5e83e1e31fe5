import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { durationMs } from "../../text/time.ts";
import { isLoopbackUrl, portOf } from "../../http/address.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { dataDirectory, placeOf, realDirectory } from "../places.ts";
import { exchange } from "./exchange.ts";
import { readServerFiles, type FoundServerFile, type RunningServerFile } from "./server-file.ts";

/** A server of this machine that does not answer sooner has stopped. */
const TIMEOUT_MS = 5_000;

type Place = Pick<Context, "cwd" | "env" | "network" | "needs">;

/** What is known of a local server. */
export interface LocalServer {
  readonly directory: string;
  /** Where its store is kept, unless another was named. Undefined without a data directory. */
  readonly place: string | undefined;
  /** Undefined if none answers. */
  readonly server: RunningServerFile | undefined;
  /** One that accepts a connection, and says nothing: it was stopped, or is busy. */
  readonly silent?: RunningServerFile | undefined;
  /** The older servers of the same directory, which may have stopped. */
  readonly older: readonly FoundServerFile[];
}

/**
 * Of the servers that run, the newest one that was started in this directory or in the nearest above it. If none runs, the
 * nearest directory in which one has run.
 */
export async function findLocalServer(world: Place): Promise<LocalServer | undefined> {
  const data = dataDirectory(world.env);
  const servers = readServerFiles(world);
  const directories = [...upwards(realDirectory(world.cwd))];
  for (const directory of directories) {
    const here = servers.filter((one) => one.directory === directory);
    const { server, silent } = await newestOf(world, here);
    const place = data && placeOf(data, directory);
    if (silent) return { directory, place, server: undefined, silent, older: [] };
    if (server) return { directory, place, server, older: here.slice(here.indexOf(server) + 1) };
  }
  const stopped = directories.find((directory) => data && existsSync(placeOf(data, directory)));
  return stopped === undefined
    ? undefined
    : { directory: stopped, place: placeOf(data!, stopped), server: undefined, older: [] };
}

/** The server of this user that runs on a port. @throws {CliError} if it says nothing */
export async function findServerOn(place: Place, port: number): Promise<RunningServerFile | undefined> {
  const there = readServerFiles(place).filter((one) => one.port === port);
  const { server, silent } = await newestOf(place, there);
  if (silent) throw notAnswering(silent);
  return server;
}

/** Every server of this user that answers, whatever its directory. */
export async function findServers(place: Place): Promise<FoundServerFile[]> {
  return proved(place, readServerFiles(place));
}

/** @param otherwise what else can be done */
export function notAnswering({ url, pid, directory }: RunningServerFile, otherwise = ""): CliError {
  return new CliError(
    EXIT.unreachable,
    `The server of ${directory} at ${url} is not answering. Its process ${pid} lives: it was stopped, or is busy.`,
    ["Wait for it with --wait 60s.", otherwise, `One that was stopped continues with: kill -CONT ${pid}`]
      .filter(Boolean)
      .join(" "),
  );
}

export async function findRunningServer(place: Place): Promise<RunningServerFile | undefined> {
  return (await findLocalServer(place))?.server;
}

/** The subdomains of a server's instances, without making sure of it: for what sends nothing. */
export function knownSubdomains(place: Pick<Place, "cwd" | "env">): string[] {
  const servers = readServerFiles(place);
  for (const directory of upwards(realDirectory(place.cwd))) {
    const newest = servers.find((one) => one.directory === directory);
    if (newest) return newest.instances.map(({ subdomain }) => subdomain);
  }
  return [];
}

function* upwards(from: string): Generator<string> {
  let directory = from;
  for (; directory !== dirname(directory); directory = dirname(directory)) yield directory;
  yield directory;
}

/**
 * Removes the files of servers that were killed: the process is gone here, and nothing at the address proves to be it.
 * Containers may share the data directory, so what another host has written is left to that host.
 */
export async function removeStale(place: Place): Promise<void> {
  const gone = readServerFiles(place).filter(({ host, pid }) => host === hostname() && !isAlive(pid));
  const running = new Set(await proved(place, gone));
  await Promise.all(gone.map(async (one) => running.has(one) || rm(one.path, { force: true })));
}

/** Another process than this one, which has just taken the number of one that was killed. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The first that answers, or says nothing: an older one is not taken in its place. */
async function newestOf(
  place: Place,
  servers: readonly FoundServerFile[],
): Promise<{ readonly server?: FoundServerFile; readonly silent?: FoundServerFile }> {
  for (const server of servers) {
    const proof = await proofOf(place, server);
    if (proof === "given") return { server };
    if (proof === "awaited" && server.host === hostname() && isAlive(server.pid)) return { silent: server };
  }
  return {};
}

/** Those that answer, in the same order. */
export async function proved(place: Place, servers: readonly FoundServerFile[]): Promise<FoundServerFile[]> {
  const proofs = await Promise.all(servers.map((server) => proofOf(place, server)));
  return servers.filter((_, i) => proofs[i] === "given");
}

/**
 * Asks for a proof that only the server which wrote the file can give, and only for the address that is asked, before any
 * key or token is sent. A process id says nothing: it may be another program's by now, or of another container.
 */
async function proofOf(place: Place, server: RunningServerFile): Promise<"given" | "awaited" | "none"> {
  if (place.needs?.sendsNothing && server.host === hostname() && server.pid !== process.pid)
    return isAlive(server.pid) ? "given" : "none";
  // Keys are sent to each of these, so what is proved for one must hold for all.
  const addresses = [server.url, server.api_url, ...server.instances.map(({ url }) => url)];
  if (!addresses.every((address) => isLoopbackUrl(address) && portOf(address) === portOf(server.url))) return "none";
  const challenge = randomBytes(32).toString("hex");
  try {
    const timeoutMs = Math.min(TIMEOUT_MS, durationMs(place.env["SVC_TIMEOUT"] ?? "", "s") || Infinity);
    const url = `${server.url}/__svc/identity?challenge=${challenge}`;
    const { text } = await exchange(place, url, { certificate: server.certificate, timeoutMs });
    const { proof } = JSON.parse(text) as { proof?: unknown };
    const asked = `${new URL(url).hostname}:${portOf(url)}`;
    const expected = createHmac("sha256", server.identity_secret).update(`identity ${challenge} ${asked}`).digest();
    const isProof = typeof proof === "string" && /^[0-9a-f]{64}$/.test(proof);
    return isProof && timingSafeEqual(Buffer.from(proof, "hex"), expected) ? "given" : "none";
  } catch (error) {
    return (error as { code?: string }).code === "timeout" ? "awaited" : "none";
  }
}
