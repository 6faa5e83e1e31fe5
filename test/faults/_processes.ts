// Below the faces: what is on the disk is read as the next start reads it.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { abandoned } from "../store/_abandoned.ts";
import { Book, holdingsOf, type Act, type Holdings } from "./_book.ts";

const full = process.env["SVC_FAULTS"] === "full";

/** A count: few for every commit, or many with `SVC_FAULTS=full`. */
export function figure(short: number, long: number): number {
  return full ? long : short;
}

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Whether a file can be made immutable, even for root. */
function canFix(): boolean {
  const path = join(mkdtempSync(join(tmpdir(), "svc-faults-")), "fixed");
  writeFileSync(path, "");
  const can = succeeds("chattr", "+i", path) && succeeds("chattr", "-i", path);
  rmSync(dirname(path), { recursive: true });
  return can;
}

/** Whether a file can be mounted as a disk whose errors can be injected. */
function canLoop(): boolean {
  const place = mkdtempSync(join(tmpdir(), "svc-faults-"));
  const [image, mountPoint] = [join(place, "image"), join(place, "mounted")];
  mkdirSync(mountPoint);
  const can =
    succeeds("truncate", "--size", "8M", image) &&
    succeeds("mkfs.ext4", "-q", image) &&
    succeeds("mount", "-o", "loop", image, mountPoint) &&
    succeeds("umount", mountPoint) &&
    existsSync("/sys/fs/ext4");
  rmSync(place, { recursive: true });
  return can;
}

/** Runs a command with its own processes and network, as in a container. */
export const CONTAINER = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;

/** The tools that cause faults, and whether this machine has them. */
export const tools = {
  // The names of system calls differ between machines.
  strace: process.arch === "x64" && succeeds("strace", "-f", "-o", "/dev/null", "true"),
  prlimit: succeeds("prlimit", "--version"),
  mount: process.geteuid?.() === 0 && succeeds("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"),
  loop: process.geteuid?.() === 0 && canLoop(),
  unshare: succeeds(CONTAINER[0], ...CONTAINER.slice(1), "true"),
  chattr: process.geteuid?.() === 0 && canFix(),
};

/** Call it once in a file: without the tools its tests are skipped with a message, but never under CI. */
export function needs(...names: (keyof typeof tools)[]): void {
  it(`has what it needs: ${names.join(", ")}`, ({ skip }) => {
    const missing = names.filter((name) => !tools[name]);
    const message = `this machine has no ${missing.join(", ")}, or does not let it be used; the tests that need it are left out`;
    // If the program exists, only root was missing.
    const isInstalled = missing.every((name) => succeeds("which", name === "loop" ? "mkfs.ext4" : name));
    if (!isInstalled && process.env["CI"]) throw new Error(message);
    skip(missing.length > 0, message);
  });
}

/** A directory for one test; `quick` is one in memory, if the machine has a file system there. */
export async function directory(kind: "real" | "quick" = "real"): Promise<string> {
  const place = kind === "quick" && process.platform === "linux" ? "/dev/shm" : tmpdir();
  const path = await mkdtemp(join(place, "svc-faults-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

let program: Promise<string> | undefined;

/** The worker, bundled into one file for Node. */
async function bundled(): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), "svc-worker-")), "worker.mjs");
  const entry = fileURLToPath(new URL("_worker.ts", import.meta.url));
  // The shared test data imports the test runner, which the worker does not use.
  const external = ["vitest", "node:*"];
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external,
    plugins: [
      {
        name: "no-vitest",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^vitest$/ }, () => ({ path: "vitest", namespace: "none" }));
          onLoad({ filter: /.*/, namespace: "none" }, () => ({
            contents:
              "export const afterEach = 0, beforeEach = 0, describe = 0, expect = 0, it = 0, onTestFinished = 0;",
          }));
        },
      },
    ],
  });
  process.once("exit", () => spawnSync("rm", ["-r", join(outfile, "..")]));
  return outfile;
}

/** A process that has a store. The book records its requests and answers. */
export class Worker {
  readonly book: Book;
  readonly warnings: string[] = [];
  /** The reasons of refusals. */
  readonly refusals: { what: string; kind: string; reason?: string; message: string }[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<[number | null, NodeJS.Signals | null]>;
  #open = 0;
  #waiting: (() => void)[] = [];

  private constructor(child: ChildProcess, book: Book) {
    this.#child = child;
    this.book = book;
    this.#ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  }

  /** @param under a command that runs it */
  static async start(path: string, { book = new Book(), under = [] as readonly string[] } = {}): Promise<Worker> {
    program ??= bundled();
    const [command, ...args] = [...under, process.execPath, await program, path];
    // One thread, because strace counts by thread, and system calls that strace sees.
    const env = { ...process.env, UV_THREADPOOL_SIZE: "1", UV_USE_IO_URING: "0" };
    const child = spawn(command!, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    child.stdin!.on("error", () => undefined);
    const worker = new Worker(child, book);
    const ready = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout! }).on("line", (line) => {
        if (line === "ready") resolve();
        else worker.#heard(line);
      });
    });
    onTestFinished(() => worker.kill());
    await Promise.race([ready, worker.#ended]);
    return worker;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  #heard(line: string): void {
    const [sign, what] = [line[0], line.slice(2)];
    if (sign === "~") return void this.warnings.push(what);
    const isAct = /^(save|take|in|end|out) /.test(what);
    if (sign === "?" && isAct) this.book.asked(what as Act);
    if (sign === "=" && isAct) this.book.acknowledged(what as Act);
    if (sign === "!") {
      const [, name, why] = /^(.*?) (\{.*)$/.exec(what)!;
      if (isAct) this.book.refused(name as Act);
      this.refusals.push({ what: name!, ...(JSON.parse(why!) as { kind: string; message: string }) });
    }
    if (sign === "?") this.#open++;
    else if (--this.#open === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  send(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  /** Sends requests one after another and waits for the answers. False if the process ended. */
  async run(...lines: string[]): Promise<boolean> {
    for (const line of lines) {
      const done = new Promise<true>((resolve) => this.#waiting.push(() => resolve(true)));
      this.send(line);
      if (!(await Promise.race([done, this.#ended.then(() => false)]))) return false;
    }
    return true;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Stops it, so that nothing happens meanwhile. */
  async pause(): Promise<void> {
    this.signal("SIGSTOP");
    while (!/\) [TtZX] /.test(await readFile(`/proc/${this.pid}/stat`, "utf8").catch(() => ") X "))) await delay(1);
  }

  async kill(): Promise<void> {
    // A killed tracer leaves its process running, and a stopped one ignores other signals.
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** Resolves when all of its output was read. */
  async ended(): Promise<[number | null, NodeJS.Signals | null]> {
    return this.#ended;
  }
}

/** The number of seconds that strace may take to detach from a process that has ended. */
const PATIENCE_S = 5;

/** Attaches strace to a process. @returns a function that detaches it */
export async function attach(pid: number, args: readonly string[]): Promise<() => Promise<void>> {
  const tracer = spawn("strace", ["-f", "-p", String(pid), ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(tracer, "close");
  // Sometimes strace waits forever for a thread of a process that it killed, and the process stays a zombie.
  let seen = 0;
  const watch = setInterval(() => {
    if (isZombie(pid) && ++seen > PATIENCE_S) tracer.kill("SIGKILL");
  }, 1000);
  void ended.then(() => clearInterval(watch));
  await Promise.race([once(tracer.stderr, "data"), ended]);
  tracer.stderr.resume();
  expect(tracer.exitCode).toBeNull();
  return async () => {
    tracer.kill("SIGINT");
    await ended;
  };
}

function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

export interface Recovered {
  readonly found: Holdings;
  readonly warnings: readonly string[];
}

/** What a start on a copy of these files finds. A worker that has them is stopped meanwhile. */
export async function recovered(path: string, book: Book, worker?: Worker): Promise<Recovered> {
  await worker?.pause();
  const copy = await abandoned(path).finally(() => worker?.signal("SIGCONT"));
  const warnings: string[] = [];
  const store = await openFileStore(copy, { warn: (message) => warnings.push(message) });
  try {
    return { found: await holdingsOf(store, book.states), warnings };
  } finally {
    await store.close();
    await rm(join(copy, ".."), { recursive: true, force: true });
  }
}
