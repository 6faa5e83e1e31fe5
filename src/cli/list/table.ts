import { plainText } from "../../wire/text/json.ts";
import { relativeTime } from "../../wire/text/time.ts";
import type { Context } from "../context.ts";
import { colors, harmless } from "../output/text.ts";
import type { Column } from "./columns.ts";
import type { Chunks, Rows } from "./formats.ts";

/** How many rows decide the widths; those that follow keep to them. */
const MEASURED = 500;

/** What a table leaves out on a narrow terminal. */
export interface Narrow {
  /** The names of the columns that there was no room for. */
  readonly hidden: readonly string[];
  readonly isShortened: boolean;
  readonly isCut: boolean;
}

export interface TableOptions {
  readonly utc?: boolean;
  /** Whether it may be wider than the terminal. */
  readonly isWide?: boolean;
  onNarrow?(what: Narrow): void;
}

/** A line for each row, as wide as the terminal. */
export async function* table<Row>(
  rows: Rows<Row>,
  columns: readonly Column<Row>[],
  context: Context,
  { utc, isWide, onNarrow }: TableOptions = {},
): Chunks {
  const { stdout } = context;
  const now = utc ? undefined : context.now();
  const titles = columns.map(({ title, name }) => title ?? name.toUpperCase());
  const available = isWide ? Infinity : widthOf(context);
  const begin = async function* (first: readonly string[][]): AsyncGenerator<string, (cells: string[]) => string> {
    // What it measures with takes longer to load than most commands, and a pipe gets no table.
    const { layOut } = await import("./layout.ts");
    const { shown, isShortened, isCut, line } = layOut(columns, [titles, ...first], available);
    const hidden = columns.filter((_, i) => !shown.includes(i)).map(({ name }) => name);
    if (hidden.length > 0 || isShortened || isCut) onNarrow?.({ hidden, isShortened, isCut });
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

/** As wide as `COLUMNS` says, else as the terminal; without one there is no limit. */
export function widthOf({ stdout, env }: Pick<Context, "stdout" | "env">): number {
  const named = /^[1-9]\d{0,4}$/.test(env["COLUMNS"] ?? "") ? Number(env["COLUMNS"]) : undefined;
  return named ?? (stdout.isTTY ? (stdout.columns ?? 80) : Infinity);
}

/** A value for a person. */
export function wordsOf<Row>(column: Column<Row>, row: Row, now: Date | undefined): string {
  const value = column.value(row);
  if (column.words && typeof value === "boolean") return column.words[value ? 0 : 1];
  const text = plainText(value);
  return column.isTime && now && text !== "" ? relativeTime(new Date(text), now) : text;
}
