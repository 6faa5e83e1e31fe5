import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

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
