import stringWidth from "string-width";
import { type Column, shortId } from "./columns.ts";

/** Columns give way to a narrow terminal down to this width. */
const MIN_WIDTH = 8;
/** Rather than cut a column to less than this, a later one is left out. */
const READABLE = 16;
export const GAP = "  ";
/** The first part of a UUID, and an ellipsis. */
const SHORT_ID = 9;

/** How a table's columns give way: ids are shortened, then spare columns are left out and texts cut, the last ones first. */
type LaidOut = Pick<Column<never>, "isId" | "isSpare">;

/** @param cells the rows, headings included, that say how wide the columns are */
export function layOut(columns: readonly LaidOut[], cells: readonly (readonly string[])[], available: number) {
  const full = columns.map((_, i) => cells.reduce((widest, row) => Math.max(widest, stringWidth(row[i]!)), 0));
  const isShortened = total(full) > available && columns.some(({ isId }, i) => isId && full[i]! > SHORT_ID);
  const natural = full.map((width, i) => (isShortened && columns[i]!.isId ? Math.min(width, SHORT_ID) : width));
  const shown = columns.map((_, i) => i);
  const lastText = columns.findLastIndex(({ isId, isSpare }) => !isId && !isSpare);
  const least = (i: number): number => (i === lastText ? Math.min(natural[i]!, READABLE) : natural[i]!);
  while (total(shown.map(least)) > available) {
    const spare = shown.findLastIndex((i) => columns[i]!.isSpare);
    if (spare < 0) break;
    shown.splice(spare, 1);
  }
  const widths = shown.map((i) => natural[i]!);
  // The last text gives way down to what is readable, and only then the others.
  const last = shown.indexOf(lastText);
  if (last >= 0) widths[last] = Math.max(least(lastText), widths[last]! - Math.max(0, total(widths) - available));
  for (let i = widths.length - 1; i >= 0; i--) {
    const excess = Math.max(0, total(widths) - available);
    widths[i] = Math.max(Math.min(widths[i]!, MIN_WIDTH), widths[i]! - excess);
  }
  return {
    /** The columns that there is room for, by their place. */
    shown,
    isShortened,
    /** Whether values are too long for their columns. */
    isCut: shown.some((place, i) => widths[i]! < natural[place]!),
    /** The cells of a row in one line. */
    line: (row: readonly string[]): string =>
      shown
        .map((place, i) => {
          const text = isShortened && columns[place]!.isId ? shortId(row[place]!) : row[place]!;
          return padded(cut(text, widths[i]!), i === shown.length - 1 ? 0 : widths[i]!);
        })
        .join(GAP)
        .trimEnd(),
  };
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

/** A text with spaces behind it, up to this many columns of a terminal. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/** The beginning of a text, with an ellipsis if it has more columns than these. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  // A letter with its accents, and an emoji of several, are cut as a whole.
  let short = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(short + segment) > width - 1) break;
    short += segment;
  }
  return `${short}…`;
}
