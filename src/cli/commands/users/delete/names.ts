import { isUuid } from "../../../../wire/ids.ts";
import { normalizeEmail } from "../../../../wire/text/fold.ts";
import type { Context } from "../../../context.ts";
import { UsageError } from "../../../errors.ts";
import { readInput } from "../../../files.ts";
import { shortIdHint } from "../../../list/columns.ts";
import { counted, say } from "../../../output/text.ts";
import type { DeleteOptions } from "./options.ts";

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

/** A cell of the chosen column, and the line at which its row begins. */
export interface Cell {
  readonly line: number;
  readonly text: string;
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

const NONE_DELETED = "No users were deleted.";

/**
 * The cells of a column of a spreadsheet in CSV (RFC 4180) with a heading, separated by commas, semicolons or tabs.
 * @param said how messages name the spreadsheet
 * @throws {CliError} for one without that column, or with a row that has more cells or fewer than the heading
 */
export function columnOf(text: string, column: string, said: string): Cell[] {
  const [heading, ...rows] = rowsOf(text, said);
  const names = heading?.cells.map((name) => name.trim()) ?? [];
  const places = names.flatMap((name, i) => (name.toLowerCase() === column.trim().toLowerCase() ? [i] : []));
  if (places.length !== 1)
    throw new UsageError(
      `--column: ${said} has ${places.length === 0 ? "no" : "more than one"} column "${column}". ${NONE_DELETED}`,
      `Its first line has: ${names.join(", ")}.`,
    );
  return rows.map(({ line, cells }) => {
    // What stands in the column may belong to another one.
    if (cells.length !== names.length)
      throw new UsageError(
        `Line ${line} of ${said} has ${cells.length} cells, and the first line has ${names.length}. ${NONE_DELETED}`,
        "Quote a cell that contains the separator.",
      );
    return { line, text: cells[places[0]!]!.trim() };
  });
}

/** The separator that the first line has most of. */
function separatorOf(text: string): string {
  const [first = ""] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/);
  const count = (separator: string): number => first.split(separator).length;
  return [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0]!;
}

/** Rows that are not blank. */
function rowsOf(text: string, said: string): Row[] {
  const separator = separatorOf(text);
  const cell = new RegExp(`("(?:[^"]|"")*"|[^"${separator}\\r\\n]*)(${separator}|\\r\\n|\\r|\\n|$)`, "y");
  const rows: Row[] = [];
  let cells: string[] = [];
  let [line, begins] = [1, 1];
  while (cell.lastIndex < text.length || cells.length > 0) {
    const found = cell.exec(text);
    if (!found) throw new UsageError(`Line ${line} of ${said} has a quote that does not end. ${NONE_DELETED}`);
    const [all, content = "", end] = found;
    cells.push(content.startsWith('"') ? content.slice(1, -1).replaceAll('""', '"') : content);
    line += all.split(/\r\n|\r|\n/).length - 1;
    if (end === separator) continue;
    if (cells.some((one) => one.trim() !== "")) rows.push({ line: begins, cells });
    [cells, begins] = [[], line];
  }
  return rows;
}
