import stringWidth from "string-width";
import { type Column, shortId } from "./columns.ts";

/** Columns give way to a narrow terminal down to this width. */
const MIN_WIDTH = 8;
/** Rather than cut a column to less than this, one that can be spared is left out. */
const READABLE = 16;
export const GAP = "  ";
/** The first part of a UUID, and an ellipsis. */
const SHORT_ID = 9;

/** What decides how a column gives way. Of the spare ones an empty one is left out first, then those with `goesFirst`. */
type LaidOut = Pick<Column<never>, "whole" | "isId" | "isCutLast" | "isSpare" | "goesFirst">;

/** @param cells the rows, headings included, that say how wide the columns are */
export function layOut(columns: readonly LaidOut[], cells: readonly (readonly string[])[], available: number) {
  const full = columns.map((_, i) => Math.max(...cells.map((row) => stringWidth(row[i]!))));
  // Ids go first: the start of one is enough for a person to tell it from the others.
  const isShortened = total(full) > available && columns.some(({ isId }, i) => isId && full[i]! > SHORT_ID);
  const natural = full.map((width, i) => (isShortened && columns[i]!.isId ? Math.min(width, SHORT_ID) : width));
  const shown = columns.map((_, i) => i);
  const isSpare = (i: number): boolean => columns[i]!.isSpare === true;
  const isEmpty = (i: number): boolean => cells.slice(1).every((row) => row[i] === "");
  const isFixed = (i: number): boolean => columns[i]!.whole === true || columns[i]!.isCutLast === true;
  const least = (i: number): number => (isFixed(i) ? natural[i]! : Math.min(natural[i]!, READABLE));
  while (total(shown.map(least)) > available) {
    const spare = [isEmpty, (i: number) => columns[i]!.goesFirst, () => true]
      .map((goes) => shown.findLastIndex((i) => isSpare(i) && goes(i)))
      .find((place) => place >= 0);
    if (spare === undefined) break;
    shown.splice(spare, 1);
  }
  const others = shown.map((i) => !isFixed(i));
  const last = shown.map((i) => columns[i]!.isCutLast === true);
  const widths = [others, last].reduce(
    (left, mayShrink) => shrunk(left, mayShrink, available),
    shown.map((i) => natural[i]!),
  );
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

/** Takes from the widest columns that may become narrower until a line fits. */
function shrunk(widths: readonly number[], mayShrink: readonly boolean[], available: number): number[] {
  const result = [...widths];
  while (total(result) > available) {
    const widest = Math.max(...result.filter((_, i) => mayShrink[i]));
    if (widest <= MIN_WIDTH) break;
    result[result.findIndex((width, i) => width === widest && mayShrink[i])] = widest - 1;
  }
  return result;
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
