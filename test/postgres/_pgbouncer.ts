import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

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
  const directory = await mkdtemp(join(tmpdir(), "svc-pgbouncer-"));
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
    child = spawn(PROGRAM, ["-q", file], { ...owner, cwd: "/", stdio: "ignore" });
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
      await sleep(50);
    }
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

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
