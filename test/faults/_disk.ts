import type * as FileSystem from "node:fs";
import type { Server } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { File, type Naming } from "./_disk-content.ts";

/** The machine's own file system, even while a test replaces it. */
export const machine = createRequire(import.meta.url)("node:fs") as typeof FileSystem;

/** In memory, if the machine has a file system there. */
export const ROOT = process.platform === "linux" ? "/dev/shm" : tmpdir();
const PLACE = join(ROOT, "svc-disk-");

/** Whether a path is on a disk, or was before its last power cut. */
export function wasOnDisk(path: unknown): boolean {
  return typeof path === "string" && path.startsWith(PLACE) && !path.endsWith(".pid");
}

/** The probability that a write, a sync or a rename fails. */
export interface Trouble {
  readonly write: number;
  readonly name: number;
  readonly sync: number;
}
const NO_TROUBLE: Trouble = { write: 0, name: 0, sync: 0 };

/** A request that a program waits for. */
interface Request {
  readonly what: string;
  readonly act: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A disk as bad as POSIX allows. After a power cut each unsynced page of 4 KiB is as it was after any of its changes. A
 * name is durable once its directory was synced; until then each renaming may be lost, but never while a later one of the
 * same names is kept. A failed sync loses its pages.
 *
 * It executes one request at a time, in random order, so that everything depends on the seed alone, never on the speed of
 * the machine. A program sees real files; the files after a power cut are written to another directory.
 */
export class Disk {
  readonly random: () => number;
  directory = "";
  trouble: Trouble = NO_TROUBLE;
  /** The number of requests after which the power is cut. */
  cutAfter = Infinity;
  whenCut: Promise<void> = Promise.resolve();
  /** Everything that was done, the same for the same seed. */
  readonly log: string[] = [];
  /** The handles that the program has open. They end with it. */
  readonly descriptors = new Set<number>();
  readonly servers = new Set<Server>();
  #life = 0;
  #done = 0;
  #isCut = false;
  #cut!: () => void;
  #requests: Request[] = [];
  #isWorking = false;
  #names = new Map<string, File>();
  #durableNames = new Map<string, File>();
  #namings: Naming[] = [];

  constructor(random: () => number) {
    this.random = random;
  }

  /** The number of starts. */
  get life(): number {
    return this.#life;
  }

  /** Whether a program that began in this life is still running. */
  isOn(life: number): boolean {
    return life === this.#life && !this.#isCut;
  }

  holds(path: string): boolean {
    return path === this.directory || dirname(path) === this.directory;
  }

  /** Executes a request of the current life at some time. A program that the power cut has ended gets no answer. */
  request<Result>(life: number, what: string, act: () => Result): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      if (!this.isOn(life)) return;
      this.#requests.push({ what, act, resolve, reject });
      if (!this.#isWorking) void this.#work(life);
    }) as Promise<Result>;
  }

  async #work(life: number): Promise<void> {
    this.#isWorking = true;
    while (this.#requests.length > 0) {
      // The program continues here, and makes its next requests.
      await setImmediate();
      if (!this.isOn(life)) return;
      if (this.#done++ === this.cutAfter) return this.cut();
      const [next] = this.#requests.splice(Math.floor(this.random() * this.#requests.length), 1);
      const { what, act, resolve, reject } = next!;
      try {
        const result = act();
        this.log.push(what);
        resolve(result);
      } catch (error) {
        this.log.push(`${what}: ${(error as NodeJS.ErrnoException).code}`);
        reject(error);
      }
    }
    this.#isWorking = false;
  }

  /** Ends the program. Its open requests may have been executed. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.log.push("cut");
    for (const { what, act } of this.#requests) {
      if (this.random() < 0.5) continue;
      this.log.push(`at the end: ${what}`);
      try {
        act();
      } catch {
        // The program has ended.
      }
    }
    this.#cut();
  }

  fails(kind: keyof Trouble): boolean {
    return this.random() < this.trouble[kind];
  }

  fileAt(path: string): File {
    const name = basename(path);
    const there = this.#names.get(name);
    if (there) return there;
    const file = new File();
    this.#name({ names: [name], apply: (names) => void names.set(name, file) });
    return file;
  }

  #name(naming: Naming): void {
    naming.apply(this.#names);
    this.#namings.push(naming);
  }

  renamed(from: string, to: string): void {
    const file = this.fileAt(from);
    const [old, fresh] = [basename(from), basename(to)];
    this.#name({
      names: [old, fresh],
      apply(names) {
        if (names.get(old) === file) names.delete(old);
        names.set(fresh, file);
      },
    });
  }

  /** A further name. The old one can be gone from the disk before this one is there. */
  linked(from: string, to: string): void {
    const file = this.fileAt(from);
    const fresh = basename(to);
    this.#name({ names: [fresh], apply: (names) => void names.set(fresh, file) });
  }

  removed(path: string): void {
    const name = basename(path);
    if (this.#names.has(name)) this.#name({ names: [name], apply: (names) => void names.delete(name) });
  }

  /** Begins a sync of the directory, which does not cover later changes. @returns a function to call when it succeeds */
  syncingNames(): () => void {
    const covered = new Set(this.#namings);
    return () => {
      for (const naming of this.#namings) if (covered.has(naming)) naming.apply(this.#durableNames);
      this.#namings = this.#namings.filter((naming) => !covered.has(naming));
    };
  }

  /** Cuts the power, writes what is left to a new directory, and continues there. */
  async restart(): Promise<void> {
    if (this.directory !== "") this.cut();
    const content = new Map([...this.#remainingNames()].map(([name, file]) => [name, file.remains(this.random)]));
    await this.end();
    this.directory = machine.mkdtempSync(PLACE);
    this.#names = new Map();
    for (const [name, bytes] of content) {
      machine.writeFileSync(join(this.directory, name), bytes);
      this.#names.set(name, new File(bytes));
    }
    this.#durableNames = new Map(this.#names);
    this.#namings = [];
    this.#requests = [];
    this.#isWorking = false;
    this.#isCut = false;
    this.#done = 0;
    this.cutAfter = Infinity;
    this.trouble = NO_TROUBLE;
    this.whenCut = new Promise((resolve) => (this.#cut = resolve));
  }

  #remainingNames(): Map<string, File> {
    const names = new Map(this.#durableNames);
    const dropped = new Set<string>();
    for (const naming of this.#namings) {
      const isLate = naming.names.some((name) => dropped.has(name));
      if (!isLate && this.random() < 0.5) naming.apply(names);
      else for (const name of naming.names) dropped.add(name);
    }
    return names;
  }

  /** Closes the program's handles and removes the files. */
  async end(): Promise<void> {
    const { directory } = this;
    this.#life++;
    this.directory = "";
    await Promise.all([...this.servers].map((server) => new Promise((resolve) => server.close(resolve))));
    this.servers.clear();
    for (const descriptor of this.descriptors) machine.closeSync(descriptor);
    this.descriptors.clear();
    if (directory !== "") machine.rmSync(directory, { recursive: true });
  }
}
