import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../_free-port.ts";

const PASSWORD = "pw-of-the-superuser";
const PREFIX = "svc-patroni-";
const DEBIAN = "/usr/lib/postgresql";
/** A node that Patroni can't bring back, as on a busy machine, must not take all the time that the test has. */
const WITHIN_MS = 120_000;

/** The newest PostgreSQL of the system: Patroni needs pg_basebackup and pg_rewind. */
const binaries = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(DEBIAN, version, "bin"))
      .find((place) => existsSync(join(place, "pg_rewind")))
  : undefined;

/** What this machine lacks; empty if a cluster can run. */
export const missingForPatroni = [
  ...["patroni", "etcd", "haproxy", "pgbouncer"].filter((name) => spawnSync("which", [name]).status !== 0),
  ...(binaries === undefined ? ["postgresql"] : []),
];

/** Ends a cluster when the process that started it is gone, however it ended. */
const REAPER = `
const [pid, directory] = process.argv.slice(1);
const { readFileSync, rmSync } = require("node:fs");
const end = (pid) => { try { process.kill(pid, "SIGKILL"); } catch {} };
const timer = setInterval(() => {
  try { return void process.kill(Number(pid), 0); } catch {}
  clearInterval(timer);
  try { readFileSync(directory + "/pids", "utf8").trim().split("\\n").forEach((each) => end(Number(each))); } catch {}
  for (const node of ["n1", "n2"])
    try { end(Number(readFileSync(directory + "/" + node + "/data/postmaster.pid", "utf8").split("\\n")[0])); } catch {}
  setTimeout(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }), 500);
}, 300);
`;

export interface Node {
  readonly name: string;
  readonly port: number;
  /** The port of Patroni's own API. */
  readonly api: number;
  /** The address of a database there, with the password. */
  url(database: string): string;
  /** The processes of PostgreSQL, the main one first. */
  postgres(): number[];
  /** Sends a signal to Patroni and all processes of PostgreSQL there. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
}

export interface Patroni {
  readonly nodes: readonly Node[];
  /** Where the superuser is asked for. */
  readonly user: { readonly name: string; readonly password: string };
  readonly owner: { uid?: number; gid?: number };
  readonly directory: string;
  /** The one that accepts writes. */
  primary(): Promise<Node | undefined>;
  /** Resolves when a server other than the one given accepts writes. @param withinMs after which it rejects */
  untilPrimary(but?: Node, withinMs?: number): Promise<Node>;
  /** Resolves when there is a primary, and the others follow it. Rejects with what Patroni says of them. */
  untilWhole(): Promise<Node>;
  switchover(): Promise<void>;
  /** Changes Patroni's configuration of the cluster. */
  configure(settings: object): Promise<void>;
  stop(): Promise<void>;
}

function systemUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((one) => one.startsWith("postgres:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** etcd, and two nodes that replicate from one to the other. */
export async function startPatroni(): Promise<Patroni> {
  const owner = systemUser();
  const directory = await mkdtemp(`/tmp/${PREFIX}`);
  await chmod(directory, 0o755);
  const own = async (path: string): Promise<void> => {
    if (owner.uid !== undefined) await chown(path, owner.uid, owner.gid!);
  };
  spawn(process.execPath, ["-e", REAPER, String(process.pid), directory], { detached: true, stdio: "ignore" }).unref();
  const children: ChildProcess[] = [];
  const env = { PATH: `${process.env["PATH"]}:${binaries}`, LC_ALL: "C", HOME: directory };
  const start = async (name: string, program: string, args: readonly string[]): Promise<ChildProcess> => {
    const place = join(directory, name);
    await mkdir(place, { mode: 0o700, recursive: true });
    await own(place);
    // Each leads a group, so that what it starts ends with it.
    const child = spawn("sh", ["-c", `exec "$@" >>${place}/log 2>&1`, name, program, ...args], {
      ...owner,
      env,
      cwd: place,
      stdio: "ignore",
      detached: true,
    });
    children.push(child);
    await appendFile(join(directory, "pids"), `${child.pid}\n`);
    return child;
  };

  const [client, peer] = [await freePort(), await freePort()];
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  await start("etcd", "etcd", [
    "--data-dir",
    join(directory, "etcd/data"),
    "--unsafe-no-fsync",
    "--listen-client-urls",
    at(client),
    "--advertise-client-urls",
    at(client),
    "--listen-peer-urls",
    at(peer),
    "--initial-advertise-peer-urls",
    at(peer),
    "--initial-cluster",
    `default=${at(peer)}`,
    "--heartbeat-interval",
    "500",
    "--election-timeout",
    "3000",
  ]);
  await answers(`${at(client)}/health`);

  const nodes: Node[] = [];
  for (const name of ["n1", "n2"]) {
    const [port, api] = [await freePort(), await freePort()];
    const place = join(directory, name);
    await mkdir(place, { mode: 0o700 });
    await own(place);
    const file = join(place, "patroni.json");
    await writeFile(file, JSON.stringify(configuration(name, { place, port, api, etcd: client })));
    await own(file);
    const child = await start(name, "patroni", [file]);
    const postgres = (): number[] => {
      const pid = join(place, "data/postmaster.pid");
      const main = existsSync(pid) ? Number(readFileSync(pid, "utf8").split("\n")[0]) : NaN;
      return Number.isNaN(main) ? [] : [main, ...childrenOf(main)];
    };
    nodes.push({
      name,
      port,
      api,
      url: (database) => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`,
      postgres,
      signal(signal) {
        // Stopped first, Patroni starts nothing, and PostgreSQL no process.
        for (const pid of [child.pid!, ...childrenOf(child.pid!), ...postgres()]) send(pid, signal);
      },
    });
    await answers(`${at(api)}/health`);
  }

  const roleOf = async ({ api }: Node): Promise<string> => {
    // The time can end while the answer is read.
    const answer = fetch(`${at(api)}/patroni`, { signal: AbortSignal.timeout(1000) }).then((found) => found.json());
    const { state, role } = (await answer.catch(() => ({}))) as { state?: string; role?: string };
    return state === "running" ? role! : "none";
  };
  const isPrimary = async (node: Node): Promise<boolean> => ["master", "primary"].includes(await roleOf(node));
  async function primary(): Promise<Node | undefined> {
    const found = await Promise.all(nodes.map(isPrimary));
    return nodes.find((_, n) => found[n]);
  }
  async function untilPrimary(but?: Node, withinMs = WITHIN_MS): Promise<Node> {
    const started = performance.now();
    for (;;) {
      const found = await Promise.all(
        nodes.filter((node) => node !== but).map(async (node) => [node, await isPrimary(node)] as const),
      );
      const first = found.find(([, is]) => is);
      if (first) return first[0];
      if (performance.now() - started > withinMs) throw new Error("no node became the primary");
      await sleep(50);
    }
  }
  const ask = async (path: string, method: string, body: object): Promise<void> => {
    const leader = await untilPrimary();
    const answer = await fetch(`${at(leader.api)}/${path}`, { method, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };

  const cluster: Patroni = {
    nodes,
    owner,
    directory,
    user: { name: "postgres", password: PASSWORD },
    primary,
    untilPrimary,
    async untilWhole() {
      for (const started = performance.now(); ; await sleep(100)) {
        const leader = await untilPrimary();
        const answer = fetch(`${at(leader.api)}/cluster`, { signal: AbortSignal.timeout(5000) }).then((found) =>
          found.json(),
        );
        const { members = [] } = (await answer.catch(() => ({}))) as { members?: { role: string; state: string }[] };
        // Patroni promotes no other than the one that it has written down as synchronous.
        if (members.some(({ role, state }) => role === "sync_standby" && ["running", "streaming"].includes(state)))
          return leader;
        if (performance.now() - started > WITHIN_MS) throw new Error(`no standby follows: ${JSON.stringify(members)}`);
      }
    },
    async switchover() {
      const leader = await untilPrimary();
      await ask("switchover", "POST", { leader: leader.name, candidate: nodes.find((node) => node !== leader)!.name });
    },
    configure: (settings) => ask("config", "PATCH", settings),
    async stop() {
      const servers = nodes.flatMap((node) => node.postgres());
      // A stopped process ends by SIGKILL, too.
      for (const { pid } of children) for (const each of [pid!, ...childrenOf(pid!)]) send(each, "SIGKILL");
      for (const pid of servers) send(pid, "SIGKILL");
      await Promise.all(
        children
          .filter((child) => child.exitCode === null && child.signalCode === null)
          .map((child) => once(child, "exit")),
      );
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
  return cluster;
}

function configuration(
  name: string,
  { place, port, api, etcd }: { place: string; port: number; api: number; etcd: number },
): object {
  const listen = `127.0.0.1:${port}`;
  return {
    scope: "svc",
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      // The shortest that Patroni takes.
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        maximum_lag_on_failover: 1_048_576,
        master_start_timeout: 0,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 60,
            wal_keep_size: "64MB",
            hot_standby: "on",
            fsync: "off",
            wal_level: "replica",
          },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, { auth: "scram-sha-256" }, "no-sync"],
    },
    postgresql: {
      listen,
      connect_address: listen,
      data_dir: join(place, "data"),
      bin_dir: binaries,
      authentication: {
        superuser: { username: "postgres", password: PASSWORD },
        replication: { username: "replicator", password: PASSWORD },
        rewind: { username: "rewinder", password: PASSWORD },
      },
      parameters: { unix_socket_directories: "" },
      pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"],
      pgpass: join(place, "pgpass"),
    },
    watchdog: { mode: "off" },
  };
}

async function answers(url: string): Promise<void> {
  for (const started = performance.now(); ; await sleep(100)) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
    if (answer?.ok) return;
    if (performance.now() - started > WITHIN_MS) throw new Error(`${url} does not answer`);
  }
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
