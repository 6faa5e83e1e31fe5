import type { Context } from "../context.ts";
import { relative } from "../output/format.ts";
import { colors, harmless } from "../output/text.ts";
import { plainText, type Column } from "./columns.ts";
import type { Chunks, Rows } from "./formats.ts";
import { layOut } from "./layout.ts";

/** So many rows say how wide the columns are; those that follow keep to it. */
const MEASURED = 500;

export interface TableOptions {
  readonly utc?: boolean;
  /** Told of the headings that there was no room for. */
  onHidden?(titles: readonly string[]): void;
}

/** A line for each row, as wide as the terminal. */
export async function* table<Row>(
  rows: Rows<Row>,
  columns: readonly Column<Row>[],
  context: Context,
  { utc, onHidden }: TableOptions = {},
): Chunks {
  const { stdout } = context;
  const now = utc ? undefined : context.now();
  const titles = columns.map(({ title, name }) => title ?? name.toUpperCase());
  const available = stdout.isTTY ? (stdout.columns ?? 80) : Infinity;
  const begin = async function* (first: readonly string[][]): AsyncGenerator<string, (cells: string[]) => string> {
    const { shown, line } = await layOut(columns, [titles, ...first], available);
    if (shown.length < columns.length) onHidden?.(titles.filter((_, i) => !shown.includes(i)));
    yield `${colors(stdout, context).dim(line(titles))}\n`;
    for (const cells of first) yield `${line(cells)}\n`;
    return line;
  };

  const first: string[][] = [];
  let line: ((cells: string[]) => string) | undefined;
  for await (const row of rows) {
    const cells = columns.map((column) => harmless(wordsOf(column, row, now)));
    if (line) yield `${line(cells)}\n`;
    else if (first.push(cells) === MEASURED) line = yield* begin(first);
  }
  if (!line && first.length > 0) yield* begin(first);
}

/** A value for a person. */
export function wordsOf<Row>(column: Column<Row>, row: Row, now: Date | undefined): string {
  const value = column.value(row);
  if (column.words && typeof value === "boolean") return column.words[value ? 0 : 1];
  const text = plainText(value);
  return column.isTime && now && text !== "" ? relative(text, now) : text;
}
