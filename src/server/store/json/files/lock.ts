import { hash } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, dirname } from "node:path";
import { NO_LINK } from "./directory.ts";
import { inUse } from "./refusals.ts";
import { lockBySocket, type Lock } from "./socket-lock.ts";

export type { Lock };

/**
 * Locks the store for this process. The lock ends with the process, even if that is killed.
 * @throws {StoreRefused} naming the process that has it
 */
export async function lockStore(path: string): Promise<Lock> {
  const attempt = process.platform === "linux" ? await lockBySocket(path) : undefined;
  if (attempt && "owner" in attempt) throw inUse(path, attempt.owner);
  return attempt ?? lockByNote(path);
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
  const bound = await new Promise<boolean>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen(name, () => resolve(true));
  });
  if (!bound) return undefined;
  server.unref();
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
