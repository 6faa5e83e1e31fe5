import { VERSION } from "../../records.ts";
import { StoreRefused } from "../../store.ts";

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

/** Damage that ends a reading. */
export function refusalOf({ file, line, offset, what }: Damage): StoreRefused {
  if (what === NO_HEADER && line === 1)
    return new StoreRefused(
      "damaged",
      `${file} is not an svc store, or its first line is damaged. Nothing was changed. If it is a store, keep what can be read with: svc store repair --store ${file}. Otherwise choose another --store.`,
    );
  const store = `--store ${file.replace(/\.journal(\.old)?$/, ".json")}`;
  const place = line === undefined ? "" : `line ${line}, offset ${offset}: `;
  return new StoreRefused(
    "damaged",
    `${file} is damaged: ${place}${what}. Nothing was changed. See all that is wrong with: svc store check ${store}. Keep what can be read with: svc store repair ${store}.`,
  );
}

/** The refusal of a file whose format this svc does not know. */
export function unknownVersion(path: string, version: number): StoreRefused {
  const what =
    version > VERSION
      ? `was written by a newer svc (format ${version}). Update svc`
      : `has format ${version}, which no released svc has written`;
  return new StoreRefused("unusable", `${path} ${what}, or choose another --store.`);
}
