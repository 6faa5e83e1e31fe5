import { isUuid } from "../../../wire/ids.ts";
import { normalizeEmail } from "../../../text/email.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { readInput } from "../../files.ts";
import { hintForName, shortIdHint } from "../../list/columns.ts";
import { counted, quoted, say } from "../../output/text.ts";
import { asTerms } from "../../../wire/search/query-words.ts";
import { USER_FIELDS } from "../../../wire/search/fields.ts";
import { pastedAddress } from "../../search/flags.ts";

/** Ids in lower case, and e-mail addresses as they were given. */
export interface Names {
  /** Those of the arguments. */
  readonly typed: readonly string[];
  /** Those of a file or of standard input. */
  readonly listed: readonly string[];
  readonly tookStdin: boolean;
}

/** Where lists of users come from. */
export interface NameFlags {
  readonly file?: string;
  readonly column?: string;
}

/**
 * Reads what stands for users.
 * @param outcome what a failure means for what was to be done, such as ` No users were deleted.`
 * @throws {UsageError} for anything else than ids and addresses, or nothing where a list is expected
 */
export async function readNames(
  context: Context,
  args: readonly string[],
  { file, column }: NameFlags,
  outcome = "",
): Promise<Names> {
  const typed = args.filter((argument) => argument !== "-").map((argument) => checked(argument, outcome));
  const sources = new Set([...(args.includes("-") ? ["-"] : []), ...(file === undefined ? [] : [file])]);
  if (column !== undefined && sources.size === 0)
    throw new UsageError("--column needs a spreadsheet.", "Name it: --file leavers.csv --column email");
  const listed: string[] = [];
  for (const source of sources) {
    const said = source === "-" ? "standard input" : `"${source}"`;
    const text = await readInput(context, source, `--file: ${said}`);
    // Most likely the command before it failed, or the file was not passed on.
    if (text.trim() === "" && (source === "-" || column === undefined))
      throw new UsageError(
        source === "-" ? "No users on standard input." : `No users in ${said}.`,
        "Give one id or e-mail address a line.",
      );
    const cells = column === undefined ? linesOf(text) : await columnOf(text, column, said, outcome);
    const named = cells.filter((cell) => cell.text !== "");
    if (column !== undefined && named.length < cells.length)
      say(context, `${counted(cells.length - named.length, "row")} of ${said} without "${column}" left out.`);
    for (const cell of named) listed.push(checked(cell.text, outcome, `Line ${cell.line} of ${said}: `));
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
function checked(given: string, outcome: string, where = ""): string {
  const text = pastedAddress(given);
  if (isAddress(text)) return text;
  // Some programs write ids in capitals.
  if (isUuid(text.toLowerCase())) return text.toLowerCase();
  throw new UsageError(
    `${where}"${text.slice(0, 100)}" is not a user id or e-mail address.${outcome}`,
    where === "" ? hintForArgument(text) : (shortIdHint(text, "users") ?? ONE_A_LINE),
  );
}

const ONE_A_LINE = "Write one id or address a line. Of a spreadsheet, name the column: --column email";

function hintForArgument(text: string): string {
  const term = quoted(asTerms(text));
  if (/^-?\w+[:<>=]\S+$/.test(text))
    return `To find what this matches: svc users search ${term}. To delete it: svc users delete --query ${term} --dry-run`;
  if (/[:<>=*]/.test(text))
    return "To find or delete what a search matches: svc users search, svc users delete --query";
  if (Object.hasOwn(USER_FIELDS, text.split(",")[0]!)) return `To choose fields: --fields ${text}`;
  return hintForName(text);
}

/** A cell of the chosen column, and the line at which its row ends. */
interface Cell {
  readonly line: number;
  readonly text: string;
}

function linesOf(text: string): Cell[] {
  return text.split("\n").map((line, i) => ({ line: i + 1, text: line.trim() }));
}

/**
 * The cells of a column of a spreadsheet in CSV (RFC 4180) with a heading, separated by commas, semicolons or tabs.
 * @param said how messages name the spreadsheet
 * @throws {UsageError} for one without that column, or with a row that has more cells or fewer than the heading
 */
async function columnOf(text: string, column: string, said: string, outcome: string): Promise<Cell[]> {
  const { CsvError, parse } = await import("csv-parse/sync");
  let rows: { record: string[]; info: { lines: number } }[];
  try {
    const options = {
      delimiter: separatorOf(text),
      info: true,
      bom: true,
      trim: true,
      skip_empty_lines: true,
    } as const;
    rows = parse(text, { ...options, skip_records_with_empty_values: true }) as unknown as typeof rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(
      `${said} is not CSV: ${error.message}.${outcome}`,
      "Quote a cell that contains the separator, a quote or a line end.",
    );
  }
  const [heading, ...others] = rows;
  const names = heading?.record ?? [];
  const places = names.flatMap((name, i) => (name.toLowerCase() === column.trim().toLowerCase() ? [i] : []));
  if (places.length !== 1)
    throw new UsageError(
      `--column: ${said} has ${places.length === 0 ? "no" : "more than one"} column "${column}".${outcome}`,
      `Its first line has: ${names.join(", ")}.`,
    );
  return others.map(({ record, info }) => ({ line: info.lines, text: record[places[0]!]! }));
}

/** The separator that the first line has most of. */
function separatorOf(text: string): string {
  const [first = ""] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/);
  const count = (separator: string): number => first.split(separator).length;
  return [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0]!;
}
