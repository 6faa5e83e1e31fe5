import { lstatSync } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "./sync-directory.ts";

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
