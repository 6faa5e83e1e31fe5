import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { open, rename, rm, link, mkdir, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

export interface AtomicWriteOptions {
  /** Called when the content is on the disk, right before the file gets its name. Throwing leaves all as it was. */
  readonly beforeNaming?: ((temporaryPath: string) => void) | undefined;
  /** Whether to fail with EEXIST rather than take another file's place. */
  readonly isNew?: boolean | undefined;
  /** Whether the file stays open after success, for appending. */
  readonly keepOpen?: boolean | undefined;
  /** Whether the owner of the directory gets the file, if root writes it: else the directory's own programs can't read it. */
  readonly forDirectory?: boolean | undefined;
}

/** The name of a file that is being written, beside its own: `<path>.<12 hex digits>.tmp`. */
export function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString("hex")}.tmp`;
}

/**
 * Writes a file that only its owner can read, and makes it durable: it has its name with all of its content or not at all,
 * also after a crash. A link at `path` is replaced, never followed.
 * @param fill writes the content, to the file's `temporaryName`
 * @returns what `fill` returned
 * @throws what `fill` and `beforeNaming` throw, and errors of the file system as they are
 */
export async function writeAtomically<Result>(
  path: string,
  fill: (file: FileHandle) => Promise<Result>,
  { beforeNaming, isNew = false, keepOpen = false, forDirectory = false }: AtomicWriteOptions = {},
): Promise<Result> {
  const temporary = temporaryName(path);
  const file = await open(temporary, keepOpen ? "ax+" : "wx", 0o600);
  try {
    const result = await fill(file);
    if (forDirectory) await giveToOwner(file, dirname(path));
    await file.sync();
    if (!keepOpen) await file.close();
    beforeNaming?.(temporary);
    await (isNew ? renameNew(temporary, path) : rename(temporary, path));
    await syncDirectory(dirname(path));
    return result;
  } catch (error) {
    // Closing and removing what is gone already changes nothing.
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** By the descriptor of a file that we made: whoever can write the directory may have put another in the place of its name. */
async function giveToOwner(file: FileHandle, directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  if ((await file.stat()).uid !== uid) await file.chown(uid, gid);
}

/** What file systems without hard links answer. */
const NO_LINKS: readonly unknown[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Renames a file, unless something has the new name already: then it fails with EEXIST. It never takes another file's
 * place; on a file system without hard links another process could use the moment between looking and renaming. A crash
 * leaves the file at least one of the names.
 * @param makeLink gives a file a further name
 */
export async function renameNew(from: string, to: string, makeLink = link): Promise<void> {
  try {
    await makeLink(from, to);
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code)) throw error;
    if (lstatSync(to, { throwIfNoEntry: false }))
      throw Object.assign(new Error(`${to} exists`, { cause: error }), { code: "EEXIST" });
    return rename(from, to);
  }
  // A disk may carry out the removal before the link.
  await syncDirectory(dirname(to));
  await rm(from);
}

/** Makes renames and removals in a directory durable. Windows can't open one, and some file systems can't sync one. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Shared folders of virtual machines have no such call. PostgreSQL continues there too (fsync_fname).
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Creates a directory and those above it that are missing. A link to a directory counts as one.
 *
 * Not by Node's `recursive` option: in a file system that has no directories to create, such as /proc, Node 20 tries for
 * ever.
 * @param mode of each directory that is created
 * @returns the first directory that was created; undefined if all were there
 * @throws errors of the file system as they are
 */
export async function createDirectories(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await createOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
  }
  const above = await createDirectories(dirname(path), mode);
  const made = await createOne(path, mode);
  return above ?? made;
}

async function createOne(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, mode);
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Some systems refuse to create what is there with another code than EEXIST.
    if (code !== "ENOENT" && (await stat(path).catch(() => undefined))?.isDirectory()) return undefined;
    throw error;
  }
}
