import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../disk/system-reason.ts";
import type { Context } from "./context.ts";
import { CliError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";

/** @throws {CliError} if it is not text in UTF-8, or in UTF-16 that says so */
export async function readStdin({ stdin }: Pick<Context, "stdin">, said = "Standard input"): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return decoded(Buffer.concat(chunks), said);
}

/**
 * The text of a file, or of standard input if the name is `-`.
 * @param said how messages name it
 * @throws {CliError} if it can't be read, or is not text in UTF-8, or in UTF-16 that says so
 */
export async function readInput(context: Context, file: string, said: string = file): Promise<string> {
  if (file === "-") return readStdin(context, said);
  const bytes = await readFile(resolve(context.cwd, file)).catch((error: unknown) => {
    throw new CliError(EXIT.usage, `${said} cannot be read: ${systemReason(error)}.`);
  });
  return decoded(bytes, said);
}

/** Excel writes its text in UTF-16, which begins with a byte order mark, and some programs write one before UTF-8. */
function decoded(bytes: Buffer, said: string): string {
  const mark = bytes.subarray(0, 2).toString("hex");
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
  if (encoding === "utf-8" && bytes.subarray(0, 2).includes(0) && bytes.length % 2 === 0)
    throw new CliError(EXIT.usage, `${said} is in UTF-16.`, "Save it as UTF-8.");
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(EXIT.usage, `${said} is not text in UTF-8.`, "In a spreadsheet, save it as CSV UTF-8.");
  }
}
