import type { FileHandle } from "node:fs/promises";
import { systemReason } from "../../disk/system-reason.ts";
import { writeAtomically } from "../../disk/write-atomically.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";

/**
 * Writes the file of `--output-file`, under its own name only when it is whole, and never in the place of another file.
 * @throws {CliError} if it exists or cannot be written, and what `fill` throws
 */
export function writeNewFile<Result>(path: string, fill: (file: FileHandle) => Promise<Result>): Promise<Result> {
  return writeAtomically(path, fill, { isNew: true }).catch((error: unknown) => {
    throw isSystemError(error) ? notWritten(path, error) : error;
  });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function notWritten(path: string, error: NodeJS.ErrnoException): CliError {
  if (error.code === "EEXIST")
    return new CliError(EXIT.usage, `--output-file: ${path} already exists.`, "Name another, or remove it.");
  return new CliError(EXIT.failed, `--output-file: ${path} cannot be written: ${systemReason(error)}.`);
}
