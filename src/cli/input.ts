import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../disk/system-reason.ts";
import type { Context } from "./context.ts";
import { CliError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";

export async function readStdin({ stdin }: Pick<Context, "stdin">): Promise<string> {
  let text = "";
  for await (const chunk of stdin) text += chunk.toString();
  return text;
}

/**
 * The text of a file, or of standard input if the name is `-`.
 * @param said how messages name it
 * @throws {CliError} if it can't be read
 */
export async function readInput(context: Context, file: string, said: string = file): Promise<string> {
  if (file === "-") return readStdin(context);
  return readFile(resolve(context.cwd, file), "utf8").catch((error: unknown) => {
    throw new CliError(EXIT.usage, `${said} cannot be read: ${systemReason(error)}.`);
  });
}
