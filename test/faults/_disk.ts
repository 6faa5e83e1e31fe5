import { constants, promises as real } from "node:fs";
import type * as FileSystem from "node:fs/promises";
import { Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { vi } from "vitest";

const PAGE = 4096;

/** A change to a file that a power cut may undo. `lost` means that a sync failed: the disk has at most its length. */
type Edit = { readonly offset: number; bytes: Buffer } | { readonly length: number };
/** A change to a directory that a power cut may undo: a file gets a name, another one, or none. */
interface Naming {
  readonly names: readonly string[];
  apply(names: Map<string, File>): void;
}

class File {
  durable: Buffer = Buffer.alloc(0);
  edits: Edit[] = [];

  get length(): number {
    return this.edits.reduce(lengthAfter, this.durable.length);
  }
}

const lengthAfter = (length: number, edit: Edit): number =>
  "length" in edit ? edit.length : Math.max(length, edit.offset + edit.bytes.length);

const applied = (content: Buffer, edits: readonly Edit[]): Buffer => edits.reduce(edited, content);

function edited(content: Buffer, edit: Edit): Buffer {
  const end = "length" in edit ? edit.length : Math.max(content.length, edit.offset + edit.bytes.length);
  const next = Buffer.alloc(end);
  content.copy(next, 0, 0, Math.min(content.length, end));
  if ("bytes" in edit) edit.bytes.copy(next, edit.offset);
  return next;
}

/** What may go wrong at a call, and how likely. */
export interface Trouble {
  readonly write: number;
  readonly sync: number;
}

/**
 * A disk as the worst one that POSIX allows. What is not synced is kept or not by the page of 4 KiB, each as it was after
 * any of its changes. A name is kept for certain when its directory was synced; until then a change of names is kept or
 * not by itself, only never before another one of the same names. After a sync that failed the pages it was for are gone.
 *
 * The files that a program sees are real ones; what would be there after a power cut is made anew elsewhere.
 */
export class Disk {
  directory = "";
  /** Calls made so far; at `cutAt` and after it none returns any more. */
  calls = 0;
  cutAt = Infinity;
  trouble: Trouble = { write: 0, sync: 0 };
  readonly random: () => number;
  #names = new Map<string, File>();
  #durableNames = new Map<string, File>();
  #namings: Naming[] = [];
  /** What the program has open, which ends with it. */
  readonly locks = new Set<Server>();
  readonly handles = new Set<FileSystem.FileHandle>();
  /** How often it was started. */
  life = 0;
  #cut!: () => void;
  whenCut: Promise<void> = Promise.resolve();

  constructor(random: () => number) {
    this.random = random;
  }

  get isCut(): boolean {
    return this.calls >= this.cutAt;
  }

  holds(path: string): boolean {
    return this.directory !== "" && dirname(path) === this.directory && !path.endsWith(".lock");
  }

  /** Whatever is asked for after the power cut has no effect and no answer. */
  async call(life: number): Promise<void> {
    if (life === this.life && !this.isCut) this.calls++;
    if (life === this.life && !this.isCut) return;
    this.#cut();
    await new Promise<never>(() => {});
  }

  /** Whether one that began in that life goes on. */
  isOn(life: number): boolean {
    return life === this.life && !this.isCut;
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

  /** A further name. The old one can be gone from the disk sooner than this one is there. */
  linked(from: string, to: string): void {
    const file = this.fileAt(from);
    const fresh = basename(to);
    // The real one refuses it.
    if (this.#names.has(fresh)) return;
    this.#name({ names: [fresh], apply: (names) => void names.set(fresh, file) });
  }

  removed(path: string): void {
    const name = basename(path);
    if (this.#names.has(name)) this.#name({ names: [name], apply: (names) => void names.delete(name) });
  }

  /** When a sync begins; what comes later is not covered. @returns what is to be done when it has succeeded */
  syncing(path: string): () => void {
    if (path === this.directory) {
      const { length } = this.#namings;
      return () => {
        for (const naming of this.#namings.splice(0, length)) naming.apply(this.#durableNames);
      };
    }
    return () => undefined;
  }

  syncingFile(file: File): () => void {
    const { length } = file.edits;
    return () => {
      file.durable = applied(file.durable, file.edits.splice(0, length));
    };
  }

  failSync(file: File): void {
    let { length } = file.durable;
    file.edits = file.edits.map((edit): Edit => {
      length = lengthAfter(length, edit);
      return { length };
    });
  }

  /** Makes a directory of what the power cut has left, and goes on there. */
  async restart(): Promise<void> {
    await this.#drop();
    const kept = new Set<Naming>();
    const dropped = new Set<string>();
    for (const naming of this.#namings) {
      const isHeld = naming.names.some((name) => dropped.has(name));
      if (!isHeld && this.random() < 0.5) kept.add(naming);
      else for (const name of naming.names) dropped.add(name);
    }
    const names = new Map(this.#durableNames);
    for (const naming of kept) naming.apply(names);
    await this.#lay([...names].map(([name, file]) => [name, this.#remains(file)] as const));
  }

  async #lay(files: readonly (readonly [string, Buffer])[]): Promise<void> {
    const before = this.directory;
    // The real file system is told, not this one.
    this.directory = "";
    const directory = await real.mkdtemp(PLACE);
    this.#names = new Map();
    this.#namings = [];
    for (const [name, content] of files) {
      await real.writeFile(join(directory, name), content);
      const file = new File();
      file.durable = content;
      this.#names.set(name, file);
    }
    this.#durableNames = new Map(this.#names);
    if (before !== "") await real.rm(before, { recursive: true, force: true, maxRetries: 5 });
    this.calls = 0;
    this.cutAt = Infinity;
    this.life++;
    this.whenCut = new Promise((resolve) => (this.#cut = resolve));
    this.directory = directory;
  }

  #remains(file: File): Buffer {
    const pick = (): Buffer =>
      applied(file.durable, file.edits.slice(0, Math.floor(this.random() * (file.edits.length + 1))));
    if (file.edits.length === 0) return file.durable;
    const content = Buffer.alloc(pick().length);
    for (let start = 0; start < content.length; start += PAGE)
      pick()
        .subarray(start, start + PAGE)
        .copy(content, start);
    return content;
  }

  async #drop(): Promise<void> {
    for (const server of this.locks) server.close();
    this.locks.clear();
    await Promise.all([...this.handles].map((handle) => handle.close().catch(() => undefined)));
    this.handles.clear();
  }

  async copyTo(place: string): Promise<void> {
    await real.cp(this.directory, place, { recursive: true });
  }

  async end(): Promise<void> {
    const { directory } = this;
    this.directory = "";
    this.life++;
    await this.#drop();
    if (directory !== "") await real.rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** In memory where there is such a place. */
export const ROOT = process.platform === "linux" ? "/dev/shm" : tmpdir();
const PLACE = join(ROOT, "svc-disk-");

/** The disk that is in use. */
let disk: Disk | undefined;

export function use(next: Disk | undefined): void {
  disk = next;
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: made to fail`), { code });
}

/** The disk that holds a file or is it, once for all of those that have ended. */
function watching(path: unknown): Disk | undefined {
  if (typeof path !== "string" || !path.startsWith(PLACE) || path.endsWith(".lock")) return undefined;
  return disk?.holds(path) || path === disk?.directory ? disk : ended;
}
const ended = new Disk(Math.random);
ended.cutAt = 0;

async function open(path: string, flags: string | number, mode?: number): Promise<FileSystem.FileHandle> {
  const own = watching(path);
  if (!own) return real.open(path, flags, mode);
  const { life } = own;
  await own.call(life);
  const handle = await real.open(path, flags, mode);
  own.handles.add(handle);
  if (path === own.directory) return watchedDirectory(own, handle, path);
  const appends = typeof flags === "number" ? (flags & constants.O_APPEND) !== 0 : flags.startsWith("a");
  return watchedFile(own, handle, own.fileAt(path), appends);
}

function watchedDirectory(own: Disk, handle: FileSystem.FileHandle, path: string): FileSystem.FileHandle {
  const { life } = own;
  const sync = async (): Promise<void> => {
    const done = own.syncing(path);
    await own.call(life);
    if (own.random() < own.trouble.sync) throw failure("EIO");
    done();
  };
  return Object.assign(handle, { sync, datasync: sync });
}

function watchedFile(own: Disk, handle: FileSystem.FileHandle, file: File, appends: boolean): FileSystem.FileHandle {
  const { life } = own;
  const write = handle.write.bind(handle) as (...args: unknown[]) => Promise<unknown>;
  const truncate = handle.truncate.bind(handle);
  const sync = async (): Promise<void> => {
    const done = own.syncingFile(file);
    await own.call(life);
    if (own.random() < own.trouble.sync) {
      own.failSync(file);
      throw failure("EIO");
    }
    done();
  };
  // Begun is begun: whether it has happened when the power is cut, nobody knows.
  return Object.assign(handle, {
    sync,
    datasync: sync,
    async write(data: Buffer, from: number, length: number, position?: number) {
      if (!Buffer.isBuffer(data) || (typeof position === "number") === appends)
        throw new Error("such a write is not modelled");
      const fails = own.random() < own.trouble.write;
      const part = fails ? Math.floor(own.random() * length) : length;
      if (part > 0 && own.isOn(life))
        file.edits.push({ offset: position ?? file.length, bytes: Buffer.from(data.subarray(from, from + part)) });
      await own.call(life);
      if (part > 0) await write(data, from, part, position);
      if (fails) throw failure("ENOSPC");
      return { bytesWritten: part, buffer: data };
    },
    async truncate(length = 0) {
      if (own.isOn(life)) file.edits.push({ length });
      await own.call(life);
      await truncate(length);
    },
    writev: notModelled("writev"),
    writeFile: notModelled("writeFile"),
    appendFile: notModelled("appendFile"),
    createWriteStream: notModelled("createWriteStream"),
  });
}

function notModelled(name: string): () => never {
  return () => {
    throw new Error(`${name} is not modelled`);
  };
}

/** `node:fs/promises` over the disk in use. What is not modelled is refused, so that nothing gets past it. */
export function fileSystem(): typeof FileSystem {
  const changing =
    <Args extends [string, ...unknown[]]>(
      action: (...args: Args) => Promise<unknown>,
      note: (own: Disk, ...args: Args) => void,
    ) =>
    async (...args: Args): Promise<void> => {
      const own = watching(args[0]);
      if (own) {
        const { life } = own;
        if (own.isOn(life)) note(own, ...args);
        await own.call(life);
      }
      await action(...args);
    };
  const remove = changing(real.rm as (path: string, options?: object) => Promise<void>, (own, path) =>
    own.removed(path),
  );
  const refuse = (name: "writeFile" | "appendFile" | "truncate" | "copyFile" | "cp"): object => ({
    [name]: changing(real[name] as (path: string) => Promise<unknown>, notModelled(name)),
  });
  return {
    ...real,
    default: real,
    open,
    rename: changing(real.rename as (from: string, to: string) => Promise<void>, (own, from, to) =>
      own.renamed(from, to),
    ),
    link: changing(real.link as (from: string, to: string) => Promise<void>, (own, from, to) => own.linked(from, to)),
    rm: remove,
    unlink: remove,
    ...(["writeFile", "appendFile", "truncate", "copyFile", "cp"] as const).reduce(
      (all, name) => ({ ...all, ...refuse(name) }),
      {},
    ),
  } as unknown as typeof FileSystem;
}

/** A lock of the kernel ends with its process; here with the power cut. */
export function endLocksWithPower(): void {
  const listen = Server.prototype.listen as (...args: unknown[]) => Server;
  vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...args: unknown[]): Server {
    disk?.locks.add(this);
    return listen.apply(this, args);
  } as Server["listen"]);
}
