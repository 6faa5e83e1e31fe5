import { normalizeEmail } from "../../../../wire/text/email.ts";
import { isUuid } from "../../../../wire/ids.ts";
import type { Context } from "../../../context.ts";
import { CliError } from "../../../errors.ts";
import { EXIT } from "../../../exit-codes.ts";
import { readInput } from "../../../input.ts";
import { shortIdHint } from "../../../list/short-id.ts";

/** Ids in lower case, and e-mail addresses as they were given. */
export interface Names {
  /** Those of the arguments. */
  readonly typed: readonly string[];
  /** Those of a file or of standard input. */
  readonly listed: readonly string[];
  readonly tookStdin: boolean;
}

/** Reads what stands for the users to delete. @throws {CliError} if there is nothing, or something else */
export async function readNames(context: Context, args: readonly string[], file?: string): Promise<Names> {
  if (args.length === 0 && file === undefined)
    throw new CliError(
      EXIT.usage,
      "No users given.",
      "Give ids or e-mail addresses, - or --file <file> to read them, or --query 'email:*@acme.test'.",
    );
  const typed = args.filter((argument) => argument !== "-").map((argument) => checked(argument));
  const sources = new Set([...(args.includes("-") ? ["-"] : []), ...(file === undefined ? [] : [file])]);
  const listed: string[] = [];
  for (const source of sources) {
    const said = source === "-" ? "standard input" : `"${source}"`;
    const lines = (await readInput(context, source, `--file: ${said}`)).split("\n").map((line) => line.trim());
    for (const [i, line] of lines.entries()) if (line !== "") listed.push(checked(line, `Line ${i + 1} of ${said}: `));
  }
  return { typed, listed, tookStdin: sources.has("-") };
}

/**
 * A name that can stand for one user only. With an operator or a wildcard in it, it is a search; with a quote, a comma or a
 * semicolon, it is a row of a spreadsheet.
 */
export function isAddress(text: string): boolean {
  return !/[:<>=*,;"]/.test(text) && normalizeEmail(text) !== undefined;
}

/** @param where it stands in a list, in words; empty for an argument */
function checked(text: string, where = ""): string {
  if (isAddress(text)) return text;
  // Some programs write ids in capitals.
  if (isUuid(text.toLowerCase())) return text.toLowerCase();
  throw new CliError(
    EXIT.usage,
    `${where}"${text.slice(0, 100)}" is not a user id or e-mail address. No users were deleted.`,
    hintFor(text, where !== ""),
  );
}

function hintFor(text: string, isListed: boolean): string | undefined {
  if (!isListed && /[:<>=*]/.test(text)) return "To delete what a search matches: --query 'email:*@acme.test'";
  const short = shortIdHint(text, "users");
  return (
    short ?? (isListed ? "Write one id or address a line, without a heading, quotes or other columns." : undefined)
  );
}
