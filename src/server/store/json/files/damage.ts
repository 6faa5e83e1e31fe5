/** A damaged place in a file. */
export interface Damage {
  readonly file: string;
  /** From 1. Absent for the file as a whole. */
  readonly line?: number;
  /** Of the line, in bytes. */
  readonly offset?: number;
  readonly what: string;
  /** The kind and key of the record there, as far as they can be read. */
  readonly of?: string | undefined;
}
/** Called for each damaged place. If it throws, the reading ends. */
export type Report = (damage: Damage) => void;

export const UNREADABLE = "checksum mismatch";
export const TWICE = "duplicate key";
export const NO_HEADER = "the first line is not the header of a store";

/** The damage of a gap between the numbers of two changes that are there. */
export function missingChanges(before: number, after: number): string {
  return after - before === 2 ? `change ${before + 1} is missing` : `changes ${before + 1} to ${after - 1} are missing`;
}

/** One sentence, e.g. `/app/.svc/db.json, line 7, offset 1024: checksum mismatch (users 0b6c…)`. */
export function damageText({ file, line, offset, what, of }: Damage): string {
  const place = line === undefined ? "" : `, line ${line}, offset ${offset}`;
  return `${file}${place}: ${what}${of === undefined ? "" : ` (${of})`}`;
}
