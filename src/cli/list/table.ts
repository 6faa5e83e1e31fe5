import type { Context } from "../context.ts";
import { relative } from "../format.ts";
import { colors, harmless } from "../output.ts";
import { plainText, type Column } from "./columns.ts";
import type { Chunks, Rows } from "./formats.ts";

/** Columns give way to a narrow terminal down to this width. */
const MIN_WIDTH = 8;
const GAP = "  ";
/** So many rows say how wide the columns are; those that follow keep to it. */
const MEASURED = 500;

type WidthOf = (text: string) => number;

/** A line for each row, as wide as the terminal. */
export async function* table<Row>(
  rows: Rows<Row>,
  columns: readonly Column<Row>[],
  context: Context,
  { utc }: { utc?: boolean },
): Chunks {
  const { stdout } = context;
  const now = context.now();
  const cellsOf = (row: Row): string[] =>
    columns.map((column) => harmless(wordsOf(column, row, utc ? undefined : now)));
  let widthOf: WidthOf | undefined;
  let widths: number[] = [];
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => fitted(text, widths[i]!, widthOf!, i === texts.length - 1))
      .join(GAP)
      .trimEnd();
  const titles = columns.map(({ title, name }) => title ?? name.toUpperCase());
  const begin = async function* (measured: readonly string[][]): Chunks {
    widthOf = await widthsOf(measured);
    widths = shrunk(
      titles.map((title, i) => Math.max(title.length, ...measured.map((cells) => widthOf!(cells[i]!)))),
      columns.map(({ whole }) => whole === true),
      stdout.isTTY ? (stdout.columns ?? 80) : Infinity,
    );
    yield `${colors(stdout, context).dim(line(titles))}\n`;
    for (const cells of measured) yield `${line(cells)}\n`;
  };

  let first: string[][] | undefined = [];
  for await (const row of rows) {
    const cells = cellsOf(row);
    if (!first) {
      yield `${line(cells)}\n`;
      continue;
    }
    if (first.push(cells) < MEASURED) continue;
    yield* begin(first);
    first = undefined;
  }
  if (first && first.length > 0) yield* begin(first);
}

/** A value for a person. */
export function wordsOf<Row>(column: Column<Row>, row: Row, now: Date | undefined): string {
  const value = column.value(row);
  if (column.words && typeof value === "boolean") return column.words[value ? 0 : 1];
  const text = plainText(value);
  return column.isTime && now && text !== "" ? relative(text, now) : text;
}

/** How wide a terminal shows texts. What knows of all the world's letters is only loaded where there are some. */
async function widthsOf(rows: readonly string[][]): Promise<WidthOf> {
  const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
  const { default: stringWidth } = rows.flat().every(isAscii) ? { default: undefined } : await import("string-width");
  return stringWidth ?? atMost;
}

/** A letter that comes later, beyond what was measured, is taken for a wide one: a line too short does no harm. */
function atMost(text: string): number {
  let width = 0;
  for (const character of text) width += character <= "~" || character === "…" ? 1 : 2;
  return width;
}

/** Takes from the widest columns until a line fits. */
function shrunk(widths: readonly number[], fixed: readonly boolean[], available: number): number[] {
  const result = [...widths];
  const total = (): number => result.reduce((sum, width) => sum + width, GAP.length * (result.length - 1));
  while (total() > available) {
    const widest = Math.max(...result.filter((_, i) => !fixed[i]));
    if (widest <= MIN_WIDTH) break;
    result[result.findIndex((width, i) => width === widest && !fixed[i])] = widest - 1;
  }
  return result;
}

function fitted(text: string, width: number, widthOf: WidthOf, isLast: boolean): string {
  const short = cut(text, width, widthOf);
  return isLast ? short : short + " ".repeat(Math.max(0, width - widthOf(short)));
}

function cut(text: string, width: number, widthOf: WidthOf): string {
  if (widthOf(text) <= width) return text;
  let short = "";
  for (const character of text) {
    if (widthOf(short + character) > width - 1) break;
    short += character;
  }
  return `${short}…`;
}
