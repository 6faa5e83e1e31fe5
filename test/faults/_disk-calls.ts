import type * as FileSystem from "node:fs/promises";
import { Server } from "node:net";
import { basename } from "node:path";
import { callbackify } from "node:util";
import { vi } from "vitest";
import { machine, wasOnDisk, type Disk } from "./_disk.ts";
import type { File } from "./_disk-content.ts";

/** The disk that is in use. */
let disk: Disk | undefined;

export function use(next: Disk | undefined): void {
  disk = next;
}

/** What a call of a program returns after the power cut: it never settles. */
const never = <Result>(): Promise<Result> => new Promise(() => {});

type Call = (path: string, ...rest: unknown[]) => Promise<unknown>;

/** `node:fs/promises` on the disk in use. Calls that are not modelled throw, so that none bypasses the disk. */
export function fileSystem(): typeof FileSystem {
  const remove = changing("rm", (own, path) => own.removed(path));
  const calls: Record<string, Call> = {
    open: call("open", async (own, path, flags, mode) => open(own, path, flags as string | number, mode as number)),
    rename: changing("rename", (own, from, to) => own.renamed(from, to as string)),
    link: changing("link", (own, from, to) => own.linked(from, to as string)),
    rm: remove,
    unlink: remove,
  };
  for (const name of ["access", "chmod", "lstat", "mkdir", "readdir", "realpath", "stat"] as const)
    calls[name] = call(name, async (_, path, ...rest) => onMachine(name, path, ...rest));
  for (const name of ["appendFile", "copyFile", "cp", "truncate", "writeFile"] as const)
    calls[name] = call(name, () => notModelled(name));
  return { ...machine.promises, default: machine.promises, ...calls } as unknown as typeof FileSystem;
}

const handles = new Map<number, Handle>();

/** Which file on the disk a descriptor is of. Undefined for one of the machine's, which may have got the number since. */
function handleOf(fd: number): Handle | undefined {
  const handle = handles.get(fd);
  return handle?.fd === fd ? handle : undefined;
}

/** `node:fs` on the disk in use: the calls by descriptor of whoever writes with callbacks. */
export function callbacks(): typeof machine {
  type Done<Result extends unknown[]> = (error: Error | null, ...result: Result) => void;
  const write = (fd: number, bytes: Buffer, from: number, length: number, _: null, done: Done<[number]>): void => {
    const handle = handleOf(fd);
    if (!handle) return machine.write(fd, bytes, from, length, null, done);
    const part = Math.min(length, NODE_WRITES);
    callbackify(async () => (await handle.write(bytes, from, part)).bytesWritten)(done);
  };
  const fdatasync = (fd: number, done: Done<[]>): void => {
    const handle = handleOf(fd);
    if (!handle) return machine.fdatasync(fd, done);
    callbackify(() => handle.datasync())(done);
  };
  return { ...machine, default: machine, write, fdatasync } as unknown as typeof machine;
}

/** A call that the disk handles if its path is on it, and the machine otherwise. */
function call(
  name: keyof typeof FileSystem,
  act: (own: Disk, path: string, ...rest: unknown[]) => Promise<unknown>,
): Call {
  return async (path, ...rest) => {
    if (!wasOnDisk(path)) return (machine.promises[name] as Call)(path, ...rest);
    return disk?.holds(path) && disk.isOn(disk.life) ? act(disk, path, ...rest) : never();
  };
}

function changing(name: "rename" | "link" | "rm", note: (own: Disk, path: string, ...rest: unknown[]) => void): Call {
  return call(name, (own, path, ...rest) =>
    own.request(own.life, `${name} ${nameOf(own, path)}`, () => {
      if (own.fails("name")) throw failure("EIO");
      onMachine(name, path, ...rest);
      note(own, path, ...rest);
    }),
  );
}

function onMachine(name: keyof typeof FileSystem, ...args: unknown[]): unknown {
  return (machine[`${name}Sync` as "statSync"] as (...args: unknown[]) => unknown)(...args);
}

function notModelled(name: string): never {
  throw new Error(`${name} is not modelled`);
}

function nameOf(own: Disk, path: string): string {
  return path === own.directory ? "." : basename(path).replace(/[0-9a-f]{12}/, "*");
}

function open(own: Disk, path: string, flags: string | number, mode?: number): Promise<Handle> {
  const name = nameOf(own, path);
  return own.request(own.life, `open ${name}`, () => {
    const descriptor = machine.openSync(path, flags, mode);
    own.descriptors.add(descriptor);
    const appends = typeof flags === "number" ? (flags & machine.constants.O_APPEND) !== 0 : flags.startsWith("a");
    const handle = new Handle(own, descriptor, name, path === own.directory ? undefined : own.fileAt(path), appends);
    handles.set(descriptor, handle);
    return handle;
  });
}

/** The most that Node writes at a time. */
const NODE_WRITES = 512 * 1024;

/** A file or directory that a program has open. */
class Handle {
  readonly #disk: Disk;
  readonly #life: number;
  readonly #descriptor: number;
  readonly #name: string;
  readonly #file: File | undefined;
  readonly #appends: boolean;
  /** Behind what was written, without a position, since it was opened. */
  #position = 0;

  constructor(own: Disk, descriptor: number, name: string, file: File | undefined, appends: boolean) {
    this.#disk = own;
    this.#life = own.life;
    this.#descriptor = descriptor;
    this.#name = name;
    this.#file = file;
    this.#appends = appends;
  }

  get fd(): number {
    return this.#life === this.#disk.life && this.#disk.descriptors.has(this.#descriptor) ? this.#descriptor : -1;
  }

  async close(): Promise<void> {
    if (this.fd === -1) return;
    machine.closeSync(this.#descriptor);
    handles.delete(this.#descriptor);
    this.#disk.descriptors.delete(this.#descriptor);
  }

  async chmod(mode: number): Promise<void> {
    machine.fchmodSync(this.fd, mode);
  }

  async stat(options?: object): Promise<unknown> {
    return machine.fstatSync(this.fd, options);
  }

  async read(buffer: Buffer, offset: number, length: number, position: number): Promise<object> {
    return { bytesRead: machine.readSync(this.fd, buffer, offset, length, position), buffer };
  }

  write(data: Buffer, from: number, length: number, position?: number): Promise<{ bytesWritten: number }> {
    if (!Buffer.isBuffer(data) || (position === undefined) !== this.#appends) return notModelled("such a write");
    const bytes = Buffer.from(data.subarray(from, from + length));
    return this.#request("write", () => {
      const fails = this.#disk.fails("write");
      const part = bytes.subarray(0, fails ? Math.floor(this.#disk.random() * length) : length);
      if (part.length > 0) {
        machine.writeSync(this.fd, part, 0, part.length, position ?? null);
        this.#file!.write(part, position);
      }
      if (fails) throw failure("ENOSPC");
      return { bytesWritten: part.length, buffer: data };
    });
  }

  truncate(length = 0): Promise<void> {
    return this.#request("truncate", () => {
      machine.ftruncateSync(this.fd, length);
      this.#file!.truncate(length);
    });
  }

  sync(): Promise<void> {
    const succeed = this.#file ? this.#file.syncing() : this.#disk.syncingNames();
    return this.#request("sync", () => {
      if (!this.#disk.fails("sync")) return succeed();
      this.#file?.failSync();
      throw failure("EIO");
    });
  }

  datasync(): Promise<void> {
    return this.sync();
  }

  writev(): never {
    return notModelled("writev");
  }

  /** As Node does it: in parts, each behind the last one. */
  async writeFile(data: Buffer | string): Promise<void> {
    const bytes = Buffer.from(data);
    for (let done = 0; done < bytes.length;) {
      const length = Math.min(bytes.length - done, NODE_WRITES);
      const { bytesWritten } = await this.write(bytes, done, length, this.#appends ? undefined : this.#position);
      done += bytesWritten;
      this.#position += bytesWritten;
    }
  }

  appendFile(): never {
    return notModelled("appendFile");
  }

  createWriteStream(): never {
    return notModelled("createWriteStream");
  }

  #request<Result>(what: string, act: () => Result): Promise<Result> {
    return this.#disk.request(this.#life, `${what} ${this.#name}`, act);
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: made to fail`), { code });
}

/** The kernel releases a lock when its process ends; here the power cut does. */
export function endLocksWithPower(): void {
  const listen = Server.prototype.listen as (...args: unknown[]) => Server;
  vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...args: unknown[]): Server {
    disk?.servers.add(this);
    return listen.apply(this, args);
  } as Server["listen"]);
}
