import { normalizeEmail } from "../../../../wire/text/fold.ts";
import { isUuid } from "../../../../wire/ids.ts";
import type { Context } from "../../../context.ts";
import { UsageError } from "../../../errors.ts";
import { readInput } from "../../../files.ts";
import { shortIdHint } from "../../../list/ids.ts";
import { counted, say } from "../../../output/text.ts";
import type { DeleteOptions } from "./options.ts";
import { columnOf, type Cell } from "./spreadsheet.ts";

/** Ids in lower case, and e-mail addresses as they were given. */
export interface Names {
  /** Those of the arguments. */
  readonly typed: readonly string[];
  /** Those of a file or of standard input. */
  readonly listed: readonly string[];
  readonly tookStdin: boolean;
}

/** Reads what stands for the users to delete. @throws {CliError} if there is nothing, or something else */
export async function readNames(
  context: Context,
  args: readonly string[],
  { file, column }: Pick<DeleteOptions, "file" | "column">,
): Promise<Names> {
  if (args.length === 0 && file === undefined)
    throw new UsageError(
      "No users given.",
      "Give ids or e-mail addresses, - or --file <file> to read them, or --query 'email:*@acme.test'.",
    );
  const typed = args.filter((argument) => argument !== "-").map((argument) => checked(argument));
  const sources = new Set([...(args.includes("-") ? ["-"] : []), ...(file === undefined ? [] : [file])]);
  if (column !== undefined && sources.size === 0)
    throw new UsageError("--column needs a spreadsheet.", "Name it: --file leavers.csv --column email");
  const listed: string[] = [];
  for (const source of sources) {
    const said = source === "-" ? "standard input" : `"${source}"`;
    const text = await readInput(context, source, `--file: ${said}`);
    // Most likely the command before it failed, or the file was not passed on.
    if (source === "-" && text.trim() === "")
      throw new UsageError("No users on standard input.", "Give one id or e-mail address a line.");
    const cells = column === undefined ? linesOf(text) : columnOf(text, column, said);
    const named = cells.filter((cell) => cell.text !== "");
    if (column !== undefined && named.length < cells.length)
      say(context, `${counted(cells.length - named.length, "row")} of ${said} without "${column}" left out.`);
    for (const cell of named) listed.push(checked(cell.text, `Line ${cell.line} of ${said}: `));
  }
  return { typed, listed, tookStdin: sources.has("-") };
}

function linesOf(text: string): Cell[] {
  return text.split("\n").map((line, i) => ({ line: i + 1, text: line.trim() }));
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
  throw new UsageError(
    `${where}"${text.slice(0, 100)}" is not a user id or e-mail address. No users were deleted.`,
    hintFor(text, where !== ""),
  );
}

function hintFor(text: string, isListed: boolean): string | undefined {
  if (!isListed && /[:<>=*]/.test(text)) return "To delete what a search matches: --query 'email:*@acme.test'";
  const short = shortIdHint(text, "users");
  if (short !== undefined) return short;
  if (isListed) return "Write one id or address a line. Of a spreadsheet, name the column: --column email";
  return /^[\w.+-]+$/.test(text) ? `Find the user with: svc users search email.contains=${text}` : undefined;
}
