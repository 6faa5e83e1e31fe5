/** What goes wrong with the files of a store: the refusals of `svc serve` and `svc store`, and failed writes. */
import { statSync } from "node:fs";
import { STORE_VERSION } from "../records.ts";
import { StorageUnavailable, StoreRefused, type StoreFault } from "../store.ts";

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
export const notEmpty = (path: string): StoreRefused =>
  unusable(`${path} is not empty. Nothing was changed. Move it away, or choose another path.`);
export const twice = (path: string, { message }: Error): StoreRefused =>
  unusable(`${path}: ${message}. The import was not finished.`);
export const notStore = (path: string, size: number): StoreRefused =>
  unusable(
    `${path} is not a store of svc${size === 0 ? ": it is empty" : ""}. Nothing was changed. Move it away, or choose another --store.`,
  );

/** Undefined if a layout is ours, or not known. @param version of the layout */
export function otherLayout(path: string, version = STORE_VERSION): StoreRefused | undefined {
  if (version === STORE_VERSION) return undefined;
  const [writer, remedy] = version > STORE_VERSION ? ["a newer svc", "Update svc"] : ["an older svc", "Use that one"];
  return unusable(
    `${path} was written by ${writer}, whose format is not ${STORE_VERSION}. ${remedy}, or choose another --store.`,
  );
}

/** @param owner the id of the process; empty if it is not known */
export const inUse = (path: string, owner: string): StoreRefused =>
  locked(
    `${path} is in use by ${owner === "" ? "another process" : `process ${owner}`}. Stop that one, or give this one another --store.`,
  );

export const taken = (path: string, owner: string): StoreRefused =>
  locked(`Process ${owner} has taken ${path}, so this server stops. Run one server for each file store.`);

/** A store with faults. @param faults a sentence for each, which names its file and its place */
export function damagedStore(path: string, faults: readonly string[]): StoreRefused {
  const more = faults.length > 1 ? ` ${faults.length - 1} more: svc store check --store ${path}.` : "";
  return damaged(
    `${faults[0]}.${more} Nothing was changed. If you have edited it, correct it there. Otherwise the store is damaged: restore a backup, or keep what can be read with: svc store export --readable --store ${path}`,
  );
}

export function doubtfulStore(path: string, doubts: readonly string[]): StoreRefused {
  return damaged(
    `${doubts.join(". ")}. Nothing was changed. If this is what you want: svc store check --accept --store ${path}. Otherwise restore a backup.`,
  );
}

export function notOpened(path: string, error: unknown): StoreRefused {
  if (error instanceof StoreRefused) return error;
  const code = codeOf(error);
  const remedy = code === "ENOSPC" || code === "EDQUOT" ? "Free some space on its disk" : "Choose another --store";
  return unusable(`${path} can't be opened (${code}). ${foreignOwner(error) ?? remedy}.`, error);
}

/** A sentence without its end. Undefined if a file is refused for another reason than its owner. */
function foreignOwner(error: unknown): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const user = process.getuid?.();
  if ((code !== "EACCES" && code !== "EPERM") || path === undefined || user === undefined) return undefined;
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || owner === user) return undefined;
  return `${path} belongs to user ${owner}, and svc runs as user ${user}: give it to that user, or choose another --store`;
}

export function notWritten(path: string, error: unknown): StoreRefused {
  if (error instanceof StoreRefused) return error;
  return unusable(`${path} can't be written (${codeOf(error)}). It was not changed.`, error);
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
  if (error instanceof StorageUnavailable) return error;
  const code = FAULTS[codeOf(error)] ?? "store_unavailable";
  return new StorageUnavailable(`${path} could not be written (${codeOf(error)})`, { code, cause: error });
}

export const closed = (path: string): StorageUnavailable =>
  new StorageUnavailable(`${path} is closed`, { code: "store_closed" });

/** A file that no longer exists. The store continues when it is back unchanged. */
export const missing = (path: string): StorageUnavailable =>
  new StorageUnavailable(`${path} no longer exists; nothing is written until it is back`, { code: "store_missing" });

/** A file that something else has written. */
export const changedFile = (path: string, what = "was changed by another process"): StorageUnavailable =>
  new StorageUnavailable(`${path} ${what}; nothing is written until the next start`, { code: "store_changed" });
