import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { systemReason } from "../../disk/system-reason.ts";
import { createDirectories } from "../../disk/create-directories.ts";
import { writeAtomically } from "../../disk/write-atomically.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/** Writes a file that only its owner can read, whole or not at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  try {
    await createDirectories(dirname(path), 0o700);
    await writeAtomically(path, (file) => file.writeFile(text));
  } catch (error) {
    throw new CliError(
      EXIT.failed,
      `${path} cannot be written: ${systemReason(error)}.`,
      "Check that the directory belongs to you.",
    );
  }
}

/**
 * @returns undefined if there is no such file
 * @throws {CliError} for one that can't be read, that is another's, or that others can change
 */
export async function readPrivateFile(path: string): Promise<{ text: string; mode: number } | undefined> {
  try {
    const file = await open(path);
    try {
      const { uid, mode } = await file.stat();
      // Root may read any user's files.
      const isForeign = process.getuid !== undefined && process.getuid() !== 0 && uid !== process.getuid();
      if (isForeign || (process.platform !== "win32" && (mode & 0o022) !== 0))
        throw new CliError(
          EXIT.failed,
          `${path} cannot be trusted: ${isForeign ? "it belongs to another user" : "others can change it"}.`,
          isForeign ? `Delete it, or set SVC_CONFIG_DIR to another directory.` : `Run: chmod 600 '${path}'`,
        );
      return { text: await file.readFile("utf8"), mode: mode & 0o777 };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (isAbsent(error)) return undefined;
    throw new CliError(EXIT.failed, `${path} cannot be read: ${systemReason(error)}.`);
  }
}

/** `HOME=/dev/null` is what some services have for a home. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
