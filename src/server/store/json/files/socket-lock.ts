import { constants } from "node:fs";
import { chmod, open, readdir, rename, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const TRY_AGAIN_MS = 5;
const GIVE_UP_MS = 3000;
/** A socket's address has room for 108 bytes, and the name of a store may take more. */
const NAME_LENGTH = 40;
/** The machine's uptime in nanoseconds when it was created, and its process. */
const LOCK = /^\d{20}-(\d+)\.lock$/;
const UNFINISHED = /^(\d{20})-\d+\.lock\.new$/;
const FINISHED_AFTER_NS = 60_000_000_000n;

/** The lock, or the process that holds it. Undefined if sockets can't be created there. */
export type Attempt = Lock | { readonly owner: string } | undefined;

/** A store that is held for this process. */
export interface Lock {
  release(): Promise<void>;
  /** The id of another process that has the store now, or tries to take it: the lock did not reach it. */
  otherOwner(): Promise<string | undefined>;
}

/**
 * Locks a store by a socket in its directory. The lock ends with its process in any case, and processes in other
 * containers see it.
 *
 * Each candidate creates a socket whose name has its age, and only then looks at the others: of two candidates the later
 * one always sees the earlier. A candidate that sees no live one has the store. The younger of two gives way. Names are
 * never reused, so any process may remove a dead socket.
 */
export async function lockBySocket(path: string): Promise<Attempt> {
  const directory = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  // A short path, which stays valid when the directory is moved.
  const at = (name: string): string => `/proc/self/fd/${directory.fd}/${name}`;
  const prefix = `${basename(path).slice(0, NAME_LENGTH)}.`;
  const now = process.hrtime.bigint();
  const own = `${prefix}${String(now).padStart(20, "0")}-${process.pid}.lock`;
  const server = createServer((stranger) => stranger.destroy());
  const release = async (): Promise<void> => {
    await rm(at(own), { force: true }).catch(() => undefined);
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await directory.close();
  };
  try {
    // Others must never see it before it listens: they would take it for dead.
    if (!(await listens(server, at(`${own}.new`)))) {
      await release();
      return undefined;
    }
    await chmod(at(`${own}.new`), 0o600);
    await rename(at(`${own}.new`), at(own));
    for (const until = performance.now() + GIVE_UP_MS; ; await delay(TRY_AGAIN_MS)) {
      const names = (await readdir(at(""))).filter((name) => name.startsWith(prefix));
      const locks = names.filter((name) => LOCK.test(name.slice(prefix.length)));
      const others = await living(locks.filter((name) => name !== own).map(at));
      if (others.length === 0 && locks.includes(own)) {
        const crashed = names.filter((name) => isCrashed(name.slice(prefix.length), now));
        await Promise.all(crashed.map((name) => rm(at(name), { force: true })));
        return { release, otherOwner: () => otherOwner(path, prefix, own) };
      }
      const elder = others.map((name) => basename(name)).find((name) => name < own);
      if (elder === undefined && performance.now() < until) continue;
      await release();
      const owner = basename(elder ?? others[0] ?? own).slice(prefix.length);
      return { owner: LOCK.exec(owner)?.[1] ?? "" };
    }
  } catch (error) {
    await release();
    throw error;
  }
}

/** By its path: the other owner may have put another directory in the place of ours. */
async function otherOwner(path: string, prefix: string, own: string): Promise<string | undefined> {
  const directory = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY).catch(() => undefined);
  if (!directory) return undefined;
  try {
    const at = `/proc/self/fd/${directory.fd}/`;
    const pids = (await readdir(at))
      .filter((name) => name.startsWith(prefix) && name !== own)
      .map(async (name) => {
        const pid = LOCK.exec(name.slice(prefix.length))?.[1];
        return pid !== undefined && (await isAlive(at + name)) ? pid : undefined;
      });
    return (await Promise.all(pids)).find((pid) => pid !== undefined);
  } finally {
    await directory.close();
  }
}

/** Whether a candidate was gone before its socket had its name. */
function isCrashed(name: string, now: bigint): boolean {
  const [, made] = UNFINISHED.exec(name) ?? [];
  const age = made === undefined ? 0n : now - BigInt(made);
  // A time far ahead of ours was created before the machine was restarted.
  return age < -FINISHED_AFTER_NS || age > FINISHED_AFTER_NS;
}

/** False: not on this file system. */
async function listens(server: Server, path: string): Promise<boolean> {
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen(path, () => resolve(undefined));
  });
  if (error && !["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EINVAL", "ENOENT"].includes(error.code ?? ""))
    throw error;
  server.unref();
  return error === undefined;
}

/** The sockets whose process is alive. Others are removed. */
async function living(paths: readonly string[]): Promise<string[]> {
  const alive = await Promise.all(paths.map(isAlive));
  await Promise.all(paths.filter((_, n) => !alive[n]).map((path) => rm(path, { force: true })));
  return paths.filter((_, n) => alive[n]);
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
