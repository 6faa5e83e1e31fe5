import { constants } from "node:fs";
import { chmod, open, readdir, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Warn } from "../store.ts";
import { absent } from "./directory.ts";
import { inUse } from "./refusals.ts";

const TRY_AGAIN_MS = 5;
const GIVE_UP_MS = 3000;
/** A socket's address has room for 108 bytes, and the name of a store may take more. */
const NAME_LENGTH = 40;
/** The machine's uptime in nanoseconds when it was created, and its process. */
const LOCK = /^\d{20}-(\d+)\.lock$/;

/** A store that is held for this process. */
export interface Lock {
  release(): Promise<void>;
  /** The id of another process that has the store now, or tries to take it: the lock did not reach it. */
  otherOwner(): Promise<string | undefined>;
}

/**
 * Locks the store for this process. The kernel ends the lock with the process, even if that is killed.
 * @throws {StoreRefused} naming the process that has it
 */
export function lockStore(path: string, warn: Warn): Promise<Lock> {
  return process.platform === "linux" ? lockBySocket(path, warn) : lockByFile(path);
}

/**
 * Locks a store by a socket in its directory, which processes in other containers see.
 *
 * Each candidate creates a socket whose name has its age, and only then looks at the others: of two candidates the later
 * one always sees the earlier. A candidate that sees no live one has the store. The younger of two gives way. Names are
 * never reused, so any process may remove a dead socket.
 */
async function lockBySocket(path: string, warn: Warn): Promise<Lock> {
  const locks = await openLocks(path);
  const own = `${String(process.hrtime.bigint()).padStart(20, "0")}-${process.pid}.lock`;
  const server = createServer((stranger) => stranger.destroy());
  const release = async (): Promise<void> => {
    await rm(locks.at(own), { force: true }).catch(() => undefined);
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await locks.close();
  };
  try {
    const failure = await listenError(server, locks.at(own));
    if (failure) {
      warn(`${dirname(path)} can't have a lock (${failure.code}). Run one server for this store.`);
      return { release, otherOwner: async () => undefined };
    }
    await chmod(locks.at(own), 0o600).catch(absent);
    for (const until = performance.now() + GIVE_UP_MS; ; await delay(TRY_AGAIN_MS)) {
      const names = await locks.names();
      if (!names.includes(own)) break;
      const others = await living(locks, names, own);
      if (others.length === 0) return { release, otherOwner: () => otherOwner(path, own) };
      const elder = others.find((name) => name < own);
      if (elder === undefined && performance.now() < until) continue;
      throw inUse(path, LOCK.exec(elder ?? others[0]!)![1]!);
    }
  } catch (error) {
    await release();
    throw error;
  }
  // Another candidate saw it before it listened, and took it for dead.
  await release();
  return lockBySocket(path, warn);
}

/** The locks and candidates of a store, by their names behind the store's own. */
async function openLocks(path: string) {
  const directory = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  // A short path, which stays valid when the directory is moved.
  const inside = `/proc/self/fd/${directory.fd}`;
  const prefix = `${basename(path).slice(0, NAME_LENGTH)}.`;
  return {
    at: (name: string) => `${inside}/${prefix}${name}`,
    names: async () =>
      (await readdir(inside)).filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
    close: () => directory.close(),
  };
}

type Locks = Awaited<ReturnType<typeof openLocks>>;

/** By its path: the other owner may have put another directory in the place of ours. */
async function otherOwner(path: string, own: string): Promise<string | undefined> {
  const locks = await openLocks(path).catch(() => undefined);
  if (!locks) return undefined;
  try {
    const [other] = await living(locks, await locks.names(), own);
    return other === undefined ? undefined : LOCK.exec(other)![1];
  } finally {
    await locks.close();
  }
}

/** The others' locks whose process is alive. The rest is removed. */
async function living({ at }: Locks, names: readonly string[], own: string): Promise<string[]> {
  const others = names.filter((name) => name !== own && LOCK.test(name));
  const alive = await Promise.all(others.map((name) => isAlive(at(name))));
  await Promise.all(others.filter((_, n) => !alive[n]).map((name) => rm(at(name), { force: true })));
  return others.filter((_, n) => alive[n]);
}

function listenError(server: Server, path: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen(path, () => resolve(undefined)).unref();
  });
}

/** Any other failure than these comes from a process that is there: it does not answer, or belongs to another user. */
async function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });
}

/** `O_EXLOCK`, which Node has no name for: BSD and macOS lock a file as they open it, and libuv opens one for itself on Windows. */
const EXCLUSIVELY = process.platform === "win32" ? 0x10000000 : 0x20;
const HELD: readonly unknown[] = ["EAGAIN", "EWOULDBLOCK", "EBUSY"];

async function lockByFile(path: string): Promise<Lock> {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NONBLOCK ?? 0) | EXCLUSIVELY;
  try {
    const handle = await open(`${path}.lock`, flags, 0o600);
    return { release: () => handle.close(), otherOwner: async () => undefined };
  } catch (error) {
    throw HELD.includes((error as NodeJS.ErrnoException).code) ? inUse(path, "") : error;
  }
}
