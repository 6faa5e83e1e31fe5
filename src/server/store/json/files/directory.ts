import { constants, createReadStream } from "node:fs";
import { chmod, lstat, readdir, realpath, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  createDirectories,
  syncDirectory,
  writeAtomically,
  type AtomicWriteOptions,
} from "../../../../disk/write-atomically.ts";
import { badDirectory, brokenLink, foreignLink, notFile, unfinishedCopy } from "./refusals.ts";

/** Opens no link: what lies in a directory may have come with another person's repository. Windows has no such flag. */
export const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** For a file that need not be there: `stat(path).catch(absent)`. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** The journal: the changes since `db.json`. */
export function journalName(path: string): string {
  return join(dirname(path), `${basename(path, ".json")}.journal`);
}

/** The journal that is being compacted into `db.json`. */
export function oldName(path: string): string {
  return `${journalName(path)}.old`;
}

/** The files of a store, in the order in which a change moves from the last to the first. */
export function filesOf(path: string): readonly string[] {
  return [path, oldName(path), journalName(path)];
}

/** The target of a link, so that the file is replaced and not the link. */
export async function followed(path: string): Promise<string> {
  const link = await lstat(path).catch(() => undefined);
  if (!link?.isSymbolicLink()) return path;
  try {
    return await realpath(path);
  } catch (error) {
    throw brokenLink(path, error);
  }
}

/** @throws {StoreRefused} if a store's names have anything but files, or it was not filled to the end. Changes nothing */
export async function refuseOthers(path: string): Promise<void> {
  for (const name of filesOf(path)) {
    const there = await lstat(name).catch(absent);
    // Only db.json itself may be a link, and was followed by now.
    if (there?.isSymbolicLink()) throw foreignLink(name);
    if (there && !there.isFile()) throw notFile(name);
  }
  const [name] = await unfinished(path);
  if (name !== undefined && !(await stat(path).catch(absent))) throw unfinishedCopy(path, name);
}

/**
 * Removes what a crash left half-written, and makes the files private to their owner. Only for a path that has been read
 * as a store: a link may lead to any other file.
 */
export async function tidy(path: string): Promise<void> {
  for (const name of filesOf(path)) await chmod(name, 0o600).catch(() => undefined);
  // A copy that got as far as the store itself only has to be cleared away.
  for (const name of await unfinished(path)) await rm(name);
  for (const name of await readdir(dirname(path))) {
    const isOurs = [path, journalName(path)].some((file) => name.startsWith(`${basename(file)}.`));
    if (isOurs && name.endsWith(".tmp")) await rm(join(dirname(path), name));
  }
}

/** The files of a store whose modes let everyone on the machine read them. */
export async function readableFiles(path: string): Promise<string[]> {
  const modeOf = async (name: string): Promise<number> => (await stat(name).catch(() => undefined))?.mode ?? 0;
  if (process.platform === "win32" || ((await modeOf(dirname(path))) & 0o001) === 0) return [];
  const names = [path, journalName(path)];
  const modes = await Promise.all(names.map(modeOf));
  return names.filter((_, i) => (modes[i]! & 0o004) !== 0);
}

/** The directory of a copy into a store until it is complete. */
export function unfinishedName(path: string, fingerprint: string): string {
  return `${path}.${fingerprint.slice(0, 16)}.copy`;
}

export async function unfinished(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(".copy"))
    .map((name) => join(dirname(path), name));
}

/** A durable copy of a file of the store. */
export function copyFile(from: string, to: string, options?: AtomicWriteOptions): Promise<void> {
  const fill = async (file: FileHandle): Promise<void> => {
    for await (const chunk of createReadStream(from)) await file.writeFile(chunk as Buffer);
  };
  return writeAtomically(to, fill, options);
}

/** The store contains keys: what we make is private to its owner. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    const made = await createDirectories(path, 0o700);
    if (made === undefined) return;
    await chmod(path, 0o700);
    for (let at = path; at.length >= made.length; at = dirname(at)) await syncDirectory(dirname(at));
  } catch (error) {
    throw badDirectory(path, error);
  }
}
