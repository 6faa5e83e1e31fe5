import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

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

/** @returns a function that takes the file away again, if it is still this server's */
export async function writeRunningServer(cwd: string, server: RunningServerFile): Promise<() => Promise<void>> {
  const path = pathIn(cwd);
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (made !== undefined) await writeFile(join(dirname(path), ".gitignore"), "*\n");
  await writeFile(path, `${JSON.stringify(server, null, 2)}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return async () => {
    if ((await read(path))?.pid === server.pid) await rm(path, { force: true });
  };
}

function pathIn(directory: string): string {
  return join(directory, ".svc", "server.json");
}

async function read(path: string): Promise<RunningServerFile | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as RunningServerFile;
  } catch {
    return undefined;
  }
}

/** A server that was killed leaves its file behind. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
