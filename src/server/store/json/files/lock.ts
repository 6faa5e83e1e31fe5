import { hash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NO_LINK } from "./directory.ts";
import { inUse } from "./refusals.ts";

const TRY_AGAIN_MS = 5;
const GIVE_UP_MS = 3000;
/** A socket's address has room for 108 bytes, and the name of a store may take more. */
const NAME_LENGTH = 40;
/** The machine's uptime in nanoseconds when it was created, and its process. */
const LOCK = /^\d{20}-(\d+)\.lock$/;
const UNFINISHED = /^(\d{20})-\d+\.lock\.new$/;
const FINISHED_AFTER_NS = 60_000_000_000n;

/** A store that is held for this process. */
export interface Lock {
  release(): Promise<void>;
  /** The id of another process that has the store now, or tries to take it: the lock did not reach it. */
  otherOwner(): Promise<string | undefined>;
}

/**
 * Locks the store for this process. The lock ends with the process, even if that is killed.
 * @throws {StoreRefused} naming the process that has it
 */
export async function lockStore(path: string): Promise<Lock> {
  return (process.platform === "linux" ? await lockBySocket(path) : undefined) ?? lockByNote(path);
}

/**
 * Locks a store by a socket in its directory, which processes in other containers see.
 *
 * Each candidate creates a socket whose name has its age, and only then looks at the others: of two candidates the later
 * one always sees the earlier. A candidate that sees no live one has the store. The younger of two gives way. Names are
 * never reused, so any process may remove a dead socket.
 * @returns undefined if sockets can't be created there
 */
async function lockBySocket(path: string): Promise<Lock | undefined> {
  const locks = await openLocks(path);
  const now = process.hrtime.bigint();
  const own = `${String(now).padStart(20, "0")}-${process.pid}.lock`;
  const server = createServer((stranger) => stranger.destroy());
  const release = async (): Promise<void> => {
    await rm(locks.at(own), { force: true }).catch(() => undefined);
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await locks.close();
  };
  try {
    // Others must never see it before it listens: they would take it for dead.
    const unfinished = locks.at(`${own}.new`);
    if (!(await listens(server, unfinished))) {
      await release();
      return undefined;
    }
    await chmod(unfinished, 0o600);
    await rename(unfinished, locks.at(own));
    for (const until = performance.now() + GIVE_UP_MS; ; await delay(TRY_AGAIN_MS)) {
      const names = await locks.names();
      const others = await living(locks, names, own);
      if (others.length === 0 && names.includes(own)) {
        const crashed = names.filter((name) => isCrashed(name, now));
        await Promise.all(crashed.map((name) => rm(locks.at(name), { force: true })));
        return { release, otherOwner: () => otherOwner(path, own) };
      }
      const elder = others.find((name) => name < own);
      if (elder === undefined && performance.now() < until) continue;
      throw inUse(path, LOCK.exec(elder ?? others[0] ?? own)![1]!);
    }
  } catch (error) {
    await release();
    throw error;
  }
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

/** Whether a candidate was gone before its socket had its name. */
function isCrashed(name: string, now: bigint): boolean {
  const [, made] = UNFINISHED.exec(name) ?? [];
  const age = made === undefined ? 0n : now - BigInt(made);
  // A time far ahead of ours was created before the machine was restarted.
  return age < -FINISHED_AFTER_NS || age > FINISHED_AFTER_NS;
}

/** False: not on this file system. */
async function listens(server: Server, path: string): Promise<boolean> {
  const error = await listenError(server, path);
  if (error && !["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EINVAL", "ENOENT"].includes(error.code ?? ""))
    throw error;
  return error === undefined;
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

/** For a directory that can't have sockets: a lock of the system, and a note with its owner. */
async function lockByNote(path: string): Promise<Lock> {
  const note = `${path}.pid`;
  const hasNames = process.platform === "linux" || process.platform === "win32";
  const release = await (hasNames ? bindName(path) : lockFile(note));
  if (!release) throw inUse(path, /^\d+$/m.exec(await readFile(note, "utf8").catch(() => ""))?.[0] ?? "");
  try {
    const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
    await writeFile(note, `${process.pid}\n`, { flag: O_WRONLY | O_CREAT | O_TRUNC | NO_LINK, mode: 0o600 });
  } catch (error) {
    await release();
    throw error;
  }
  return {
    otherOwner: () => noted(note),
    async release() {
      // What is left of it does no harm.
      await rm(note, { force: true }).catch(() => undefined);
      await release();
    },
  };
}

/** The process that a note names, if that is another one and alive. */
async function noted(note: string): Promise<string | undefined> {
  const pid = Number(await readFile(note, "utf8").catch(() => ""));
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return undefined;
  }
  return String(pid);
}

/** A name that only one process can bind: an abstract socket on Linux, a named pipe on Windows. */
async function bindName(path: string): Promise<(() => Promise<void>) | undefined> {
  const { dev, ino } = await stat(dirname(path), { bigint: true });
  const id = hash("sha256", `${dev} ${ino} ${basename(path)}`, "hex").slice(0, 32);
  const server = createServer((stranger) => stranger.destroy());
  const name = process.platform === "win32" ? `\\\\.\\pipe\\svc-store-${id}` : `\0svc-store-${id}`;
  const error = await listenError(server, name);
  if (error?.code === "EADDRINUSE") return undefined;
  if (error) throw error;
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** BSD and macOS lock a file as they open it. */
async function lockFile(note: string): Promise<(() => Promise<void>) | undefined> {
  const O_EXLOCK = 0x20;
  try {
    const handle = await open(note, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK, 0o600);
    return () => handle.close();
  } catch (error) {
    if (["EAGAIN", "EWOULDBLOCK"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
