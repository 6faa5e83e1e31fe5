import { constants, statSync, type Stats } from "node:fs";
import { chmod, lstat, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createDirectories, syncDirectory } from "../../../disk/write-atomically.ts";
import { badDirectory, brokenLink, foreignLink, notFile, notWritable } from "./refusals.ts";

/** Opens no link: what lies in a directory may have come with another person's repository. Windows has no such flag. */
export const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** For a file that need not be there: `stat(path).catch(absent)`. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

export function journalName(path: string): string {
  return join(dirname(path), `${basename(path, ".json")}.journal`);
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

/** @throws {StoreRefused} if a store's names have anything but files. Changes nothing */
export async function refuseOtherOwners(path: string): Promise<void> {
  for (const name of [path, journalName(path)]) {
    const there = await lstat(name).catch(absent);
    // Only db.json itself may be a link, and was followed by now.
    if (there?.isSymbolicLink()) throw foreignLink(name);
    if (there && !there.isFile()) throw notFile(name);
  }
}

/**
 * Removes what a crash left half-written, and makes the files private to their owner. Only for a path that has been read
 * as a store: a link may lead to any other file.
 */
export async function tidy(path: string): Promise<void> {
  for (const name of [path, journalName(path)]) await chmod(name, 0o600).catch(absent);
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

/** Of a file, or undefined if there is none. @throws {StorageUnavailable} if the system does not tell, as without permission */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw notWritable(path, error);
  }
}

/** In bytes; 0 if there is no file. @throws {StorageUnavailable} */
export function sizeOf(path: string): number {
  return statOf(path)?.size ?? 0;
}

/** Whether it is the same file. A file that is open, or that has a name, shares its numbers with no other. */
export function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one?.dev === other?.dev && one?.ino === other?.ino;
}
