import { type FileHandle, open, stat } from "node:fs/promises";
import { resolve, dirname } from "node:path";
import { fileText, NotText } from "../disk/decode.ts";
import { openNamed, whyUnread } from "../disk/input.ts";
import { systemReason } from "../disk/system-reason.ts";
import { writeAtomically, createDirectories } from "../disk/write-atomically.ts";
import { jsonFault } from "../text/json.ts";
import type { Context } from "./context.ts";
import { CliError, EXIT, UsageError } from "./errors.ts";

/** More than a file of a million ids has. */
const MAX_INPUT_MIB = 64;

export async function readStdin({ stdin }: Pick<Context, "stdin">, said = "Standard input"): Promise<string> {
  return textOf(() => stdin, said);
}

/**
 * The text of a file, or of standard input if the name is `-`.
 * @param said how messages name it
 */
export async function readInput(context: Context, file: string, said: string = file): Promise<string> {
  return file === "-" ? readStdin(context, said) : textOf(() => openNamed(resolve(context.cwd, file)), said);
}

/** The value of such a text in JSON, unchecked: the server names the place of each fault. */
export async function readJson<Value>(context: Context, file: string, said: string = file): Promise<Value> {
  const text = await readInput(context, file, said);
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    throw new UsageError(`${said} is not JSON: ${jsonFault(error, text)}`);
  }
}

/** A seed that a person named: the path of a file, which the server reads, or what a pipe contains, which is read once. */
export async function seedInput<Seed>(context: Context, named: string): Promise<string | Seed> {
  const path = resolve(context.cwd, named);
  const there = await stat(path).catch(() => undefined);
  return there?.isFIFO() || there?.isCharacterDevice() ? readJson<Seed>(context, path) : path;
}

async function textOf(source: () => AsyncIterable<string | Uint8Array>, said: string): Promise<string> {
  try {
    return fileText(await bytesOf(source(), said));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof NotText)
      throw new UsageError(`${said} ${error.message}.`, "Save it as UTF-8; in a spreadsheet, as CSV UTF-8.");
    throw new UsageError(`${said} ${whyUnread(error)}.`);
  }
}

/** A device or a pipe may never end. */
async function bytesOf(stream: AsyncIterable<string | Uint8Array>, said: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > MAX_INPUT_MIB * 2 ** 20)
      throw new UsageError(`${said} has more than ${MAX_INPUT_MIB} MiB.`, "Split it.");
  }
  return Buffer.concat(chunks);
}

/**
 * Writes the file of `--output-file`, under its own name only when it is whole, and never in the place of another file.
 */
export function writeNewFile<Result>(path: string, fill: (file: FileHandle) => Promise<Result>): Promise<Result> {
  return writeAtomically(path, fill, { isNew: true }).catch((error: NodeJS.ErrnoException) => {
    if (!("syscall" in error)) throw error;
    if (error.code === "EEXIST")
      throw new UsageError(`--output-file: ${path} already exists.`, "Name another, or remove it.");
    throw new CliError(EXIT.failed, `--output-file: ${path} cannot be written: ${systemReason(error)}.`);
  });
}

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

/** @returns undefined if there is no such file */
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
