import { UsageError } from "../../../errors.ts";

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
