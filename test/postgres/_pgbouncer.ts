import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
export const hasPgBouncer = existsSync(PROGRAM);

/** A PgBouncer in front of a server, in transaction mode. */
export interface PgBouncer {
  /** The address of the same database through it. */
  url(direct: string): string;
  /** Ends it at once, and starts it again. */
  restart(): Promise<void>;
}

/** @param settings lines of `pgbouncer.ini` */
export async function startPgBouncer(direct: string, settings: readonly string[] = []): Promise<PgBouncer> {
  const server = new URL(direct);
  const directory = temporaryDirectory();
  const port = await freePort();
  const file = join(directory, "pgbouncer.ini");
  const users = join(directory, "users.txt");
  await writeFile(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${server.port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${users}`,
    "pool_mode = transaction",
    "default_pool_size = 5",
    "max_client_conn = 200",
    ...settings,
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (owner.uid !== undefined) for (const path of [directory, file, users]) await chown(path, owner.uid, owner.gid);
  let child: ChildProcess;

  async function start(): Promise<void> {
    child = spawn(PROGRAM, [file], { ...owner, cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    // On the port another program could answer.
    while (!said.includes("process up")) {
      const [more] = (await Promise.race([once(child.stderr!, "data"), once(child, "exit")])) as [
        Buffer | number | null,
      ];
      if (!Buffer.isBuffer(more)) throw new Error(`pgbouncer ended with ${more}: ${said}`);
      said += more.toString();
    }
    child.stderr!.resume();
  }

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }

  await start();
  onTestFinished(stop);
  return {
    url(address) {
      const through = new URL(address);
      through.port = String(port);
      return through.href;
    },
    async restart() {
      await stop();
      await start();
    },
  };
}
