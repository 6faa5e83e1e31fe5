import { constants, readFileSync } from "node:fs";
import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { writePrivateFile } from "../credentials/private-file.ts";

const MAX_BYTES = 2 ** 24;

/** What `svc serve` leaves in `.svc/server.json` for the commands that are run beside it. */
export interface RunningServerFile {
  readonly pid: number;
  readonly url: string;
  readonly api_url: string;
  /** Of a server with `--https`, in PEM. */
  readonly certificate?: string | undefined;
  readonly instances: readonly {
    readonly id: string;
    readonly name: string;
    readonly subdomain: string;
    readonly url: string;
    readonly publishable_key: string;
    readonly secret_key: string;
  }[];
}

/** The server that runs in a directory, or in one above it. */
export async function findRunningServer(cwd: string): Promise<RunningServerFile | undefined> {
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const server = await read(pathIn(directory));
    if (server && isAlive(server.pid)) return server;
    if (directory === dirname(directory)) return undefined;
  }
}

/**
 * A second server in one directory does not hide the first.
 * @returns a function that takes the file away again, or the process id of the server that has it already
 */
export async function writeRunningServer(
  cwd: string,
  server: RunningServerFile,
): Promise<(() => Promise<void>) | number> {
  const path = pathIn(cwd);
  const other = await read(path);
  if (other && other.pid !== server.pid && isAlive(other.pid)) return other.pid;
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (made !== undefined) await writeFile(join(dirname(path), ".gitignore"), "*\n", { mode: 0o600 });
  // Made under a name that nobody can guess, and then put in its place: a link that lies there is never written through.
  await writePrivateFile(path, `${JSON.stringify(server, null, 2)}\n`);
  return async () => {
    if ((await read(path))?.pid === server.pid) await rm(path, { force: true });
  };
}

function pathIn(directory: string): string {
  return join(directory, ".svc", "server.json");
}

async function read(path: string): Promise<RunningServerFile | undefined> {
  try {
    // Without waiting: a pipe would have us wait for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const there = await file.stat();
      // In a shared directory above, anybody could lay one for us to send tokens to. What came with a repository or an
      // archive is ours as well, but can be read by others, which what we write never can.
      const isOurs = process.getuid === undefined || (there.uid === process.getuid() && (there.mode & 0o077) === 0);
      if (!isOurs || !there.isFile() || there.size > MAX_BYTES) return undefined;
      const server = JSON.parse(await file.readFile("utf8")) as RunningServerFile | null;
      return server && Array.isArray(server.instances) ? server : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** A server that was killed leaves its file behind. */
function isAlive(pid: number): boolean {
  // 0 and negative numbers would mean whole groups of processes.
  if (!Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    return process.kill(pid, 0) && !isZombie(pid);
  } catch {
    // Somebody else's process did not write a file of ours.
    return false;
  }
}

/** One that has ended and that nobody has buried yet, as in a container. */
function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
