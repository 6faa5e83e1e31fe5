import type * as FileSystem from "node:fs";
import type { Server } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { File, type Naming } from "./_disk-content.ts";

/** The file system of the machine, also where a test puts another one in its place. */
export const machine = createRequire(import.meta.url)("node:fs") as typeof FileSystem;

/** In memory where there is such a place. */
export const ROOT = process.platform === "linux" ? "/dev/shm" : tmpdir();
const PLACE = join(ROOT, "svc-disk-");

/** Whether a path is on a disk, or was before its last power cut. */
export function wasOnDisk(path: unknown): boolean {
  return typeof path === "string" && path.startsWith(PLACE) && !path.endsWith(".pid");
}

/** How likely it is that a write, a sync, or a change of a name fails. */
export interface Trouble {
  readonly write: number;
  readonly name: number;
  readonly sync: number;
}
const NO_TROUBLE: Trouble = { write: 0, name: 0, sync: 0 };

/** What a program has asked for, and waits for. */
interface Request {
  readonly what: string;
  readonly act: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A disk as bad as POSIX allows. What is not synced is kept or not by the page of 4 KiB, each as it was after any of its
 * changes. A name is kept for certain once its directory was synced; until then each change of names is kept or not, but
 * never before an earlier one of the same names. After a failed sync the pages that it was for are gone.
 *
 * It does one thing at a time, and chance decides which of those that it was asked for. So whatever happens depends on
 * the seed alone, never on how fast the machine is. A program sees real files; what a power cut leaves is laid out in
 * another directory.
 */
export class Disk {
  readonly random: () => number;
  directory = "";
  trouble: Trouble = NO_TROUBLE;
  /** After how many requests the power is cut. */
  cutAfter = Infinity;
  whenCut: Promise<void> = Promise.resolve();
  /** Everything that was done, the same for the same seed. */
  readonly log: string[] = [];
  /** What the program has open: it ends with the program. */
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

  /** How often it was started. */
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

  /** Does what is asked for in a life, at some time. A program that the power cut has ended never gets an answer. */
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
      // What the program does now, it asks for now.
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

  /** Ends the program. What it had asked for may have happened. */
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
        // There is no program to be told.
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

  /** When a sync of the directory begins; what comes later is not covered. @returns what it does when it succeeds */
  syncingNames(): () => void {
    const covered = new Set(this.#namings);
    return () => {
      for (const naming of this.#namings) if (covered.has(naming)) naming.apply(this.#durableNames);
      this.#namings = this.#namings.filter((naming) => !covered.has(naming));
    };
  }

  /** Cuts the power, lays out what is left, and goes on there. */
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

  /** Closes what the program has open, and removes the files. */
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
