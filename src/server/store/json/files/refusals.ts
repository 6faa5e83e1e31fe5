/** What goes wrong with the files of a store: damage, the refusals of `svc serve` and `svc store`, and failed writes. */
import { statSync, type Stats } from "node:fs";
import { VERSION } from "../../records.ts";
import { StorageUnavailable, StoreRefused, type StoreFault } from "../../store.ts";

export interface Damage {
  readonly file: string;
  /** From 1. Absent for the file as a whole. */
  readonly line?: number;
  /** Of the line, in bytes. */
  readonly offset?: number;
  readonly what: string;
  /** The kind and key of the record there, as far as they can be read. */
  readonly of?: string | undefined;
}

/** Called for each damaged place. If it throws, the reading ends. */
export type Report = (damage: Damage) => void;

export const UNREADABLE = "checksum mismatch";
export const TWICE = "duplicate key";
export const NO_HEADER = "the first line is not the header of a store";

/** The damage of a gap between the numbers of two changes that are there. */
export function missingChanges(before: number, after: number): string {
  return after - before === 2 ? `change ${before + 1} is missing` : `changes ${before + 1} to ${after - 1} are missing`;
}

/** One sentence, e.g. `/data/db.json, line 7, offset 1024: checksum mismatch (users 0b6c…)`. */
export function damageText({ file, line, offset, what, of }: Damage): string {
  const place = line === undefined ? "" : `, line ${line}, offset ${offset}`;
  return `${file}${place}: ${what}${of === undefined ? "" : ` (${of})`}`;
}

const unusable = (message: string, cause?: unknown): StoreRefused => new StoreRefused("unusable", message, { cause });
const damaged = (message: string): StoreRefused => new StoreRefused("damaged", message);
const locked = (message: string, cause?: unknown): StoreRefused => new StoreRefused("locked", message, { cause });

export const brokenLink = (path: string, error: unknown): StoreRefused =>
  unusable(`${path} is a link that leads nowhere (${codeOf(error)}).`, error);
export const foreignLink = (path: string): StoreRefused =>
  unusable(`${path} is a link, which svc never creates. Remove it.`);
export const notFile = (path: string): StoreRefused => unusable(`${path} is not a file. Choose another --store.`);
export const badDirectory = (path: string, error: unknown): StoreRefused =>
  unusable(`${path} can't be used as the store's directory (${codeOf(error)}). Choose another --store.`, error);
export const noStore = (path: string): StoreRefused =>
  unusable(`There is no store at ${path}. Check --store. svc serve creates a store.`);
export const alwaysChanging = (path: string): StoreRefused =>
  unusable(`${path} changed during every attempt to read it. Try again.`);
export const notEmpty = (path: string): StoreRefused =>
  unusable(`${path} is not empty. Nothing was changed. Move it away, or choose another path.`);
export const unfinishedCopy = (path: string, name: string): StoreRefused =>
  unusable(`A copy into ${path} was interrupted. Run svc store copy or import again to finish it, or remove ${name}.`);
export const sameKeys = (path: string, table: string, key: string): StoreRefused =>
  unusable(`${path}: two ${table} have the key ${key}. The import was not finished.`);
export const nothingRead = (path: string): StoreRefused =>
  unusable(`${path} is not an svc store, or nothing of it can be read. Nothing was changed.`);
export const noInstance = (path: string): StoreRefused =>
  damaged(`${path}: no instance can be read, so it cannot be repaired. Nothing was changed. Restore it from a backup.`);
export const notCompacted = (warnings: readonly string[]): StoreRefused => unusable(warnings.join("\n"));

/** @param owner the id of the process; empty if it is not known */
export const inUse = (path: string, owner: string): StoreRefused =>
  locked(
    `${path} is in use by ${owner === "" ? "another process" : `process ${owner}`}. Stop that one, or give this one another --store.`,
  );
export const inUseByServer = (path: string, cause: unknown): StoreRefused =>
  locked(`${path} is in use. The server that uses it compacts the journal itself: nothing to do.`, cause);

/** A running server has lost its store. */
export const taken = (path: string, owner: string): StoreRefused =>
  locked(`Process ${owner} has taken ${path}, so this server stops. Run one server for each file store.`);

export function unknownVersion(path: string, version: number): StoreRefused {
  const what =
    version > VERSION
      ? `was written by a newer svc (format ${version}). Update svc`
      : `has format ${version}, which no released svc has written`;
  return unusable(`${path} ${what}, or choose another --store.`);
}

export function refusalOf({ file, line, offset, what }: Damage): StoreRefused {
  if (what === NO_HEADER && line === 1)
    return damaged(
      `${file} is not an svc store, or its first line is damaged. Nothing was changed. If it is a store, keep what can be read with: svc store repair --store ${file}. Otherwise choose another --store.`,
    );
  const store = `--store ${file.replace(/\.journal(\.old)?$/, ".json")}`;
  const place = line === undefined ? "" : `line ${line}, offset ${offset}: `;
  return damaged(
    `${file} is damaged: ${place}${what}. Nothing was changed. See all that is wrong with: svc store check ${store}. Keep what can be read with: svc store repair ${store}.`,
  );
}

/** The error of a store that can't be opened, for any cause. */
export function notOpened(path: string, error: unknown): StoreRefused {
  if (error instanceof StoreRefused) return error;
  const { code } = error as NodeJS.ErrnoException;
  const remedy = code === "ENOSPC" || code === "EDQUOT" ? "Free some space on its disk" : "Choose another --store";
  return unusable(`${path} can't be opened (${code ?? String(error)}). ${remedy}.`, error);
}

/** The error of a store that can't be rewritten. It is unchanged. */
export function notWritten(path: string, error: unknown): StoreRefused {
  if (error instanceof StoreRefused) return error;
  const { code } = error as NodeJS.ErrnoException;
  return unusable(`${path} can't be written (${code ?? String(error)}). It was not changed.`, error);
}

const FAULTS: Readonly<Record<string, StoreFault>> = {
  ENOSPC: "store_full",
  EDQUOT: "store_full",
  EROFS: "store_read_only",
  EACCES: "store_read_only",
  EPERM: "store_read_only",
  ENOENT: "store_missing",
};

/** The system's own name for what failed, or why the store can't be written. */
export function codeOf(error: unknown): string {
  return error instanceof StorageUnavailable ? error.message : ((error as NodeJS.ErrnoException).code ?? String(error));
}

export function notWritable(path: string, error: unknown): StorageUnavailable {
  const code = FAULTS[codeOf(error)] ?? "store_unavailable";
  return new StorageUnavailable(`${path} could not be written (${codeOf(error)})`, { code, cause: error });
}

/** Of a file, or undefined if there is none. @throws {StorageUnavailable} if the system does not tell, as without permission */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw notWritable(path, error);
  }
}

/** By ourselves, at the end. */
export const closed = (path: string): StorageUnavailable =>
  new StorageUnavailable(`${path} is closed`, { code: "store_closed" });

/** A disk that takes too long. The store continues when it has answered. */
export const hanging = (path: string): StorageUnavailable =>
  new StorageUnavailable(`the disk of ${path} does not answer`);

/** A file that no longer exists. The store continues when it is back unchanged. */
export const missing = (path: string): StorageUnavailable =>
  new StorageUnavailable(`${path} no longer exists; nothing is written until it is back`, { code: "store_missing" });

/** A file that something else has written. */
export const changed = (path: string, what = "was changed by another process"): StorageUnavailable =>
  new StorageUnavailable(`${path} ${what}; nothing is written until the next start`, { code: "store_changed" });
