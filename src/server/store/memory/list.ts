import { setImmediate } from "node:timers/promises";
import type { PageOptions, Position } from "../store.ts";
import { matcher, Row } from "./match.ts";

/** Rows that are looked at before other requests get a turn. */
const BATCH = 1000;

export interface ListKind<Record> {
  /** What the records are listed by, newest first; those of one time by `id`. */
  time(record: Record): string;
  /** The records of another table that belong to one, for fields `of` it. */
  readonly links?: (record: Record) => readonly object[];
}

/** One instance's users or sessions in the order of their list, from its end to its beginning. */
export class List<Record extends { readonly id: string }> {
  readonly #kind: ListKind<Record>;
  #rows: Row<Record>[] = [];

  constructor(kind: ListKind<Record>) {
    this.#kind = kind;
  }

  /** Adds a record without putting it in its place. Call `sort` after the last one. */
  load(record: Record): void {
    this.#rows.push(this.#rowOf(record));
  }

  sort(): void {
    this.#rows.sort(compare);
  }

  add(record: Record): void {
    const row = this.#rowOf(record);
    this.#rows.splice(this.#placeOf(row), 0, row);
  }

  remove(record: Record): void {
    this.#rows.splice(this.#placeOf(this.#rowOf(record)), 1);
  }

  /**
   * A page, newest first, in batches. What is deleted while it is read is left out, and the next takes its place.
   * @param present what to answer for a record; undefined if it is not there any more
   */
  async *find<Out>(
    { query = [], limit = Infinity, after }: PageOptions,
    present: (record: Record) => Out | undefined,
  ): AsyncIterable<Out[]> {
    const matches = matcher(query, this.#kind.links);
    const start = after ? this.#placeOf(after) : this.#rows.length;
    let rows = this.#rows;
    let found: Out[] = [];
    let left = limit;
    for (let place = start - 1; place >= 0 && left > 0; place--) {
      const row = rows[place]!;
      const shown = matches(row) ? present(row.record) : undefined;
      if (shown !== undefined) {
        found.push(shown);
        left--;
      }
      if ((start - place) % BATCH > 0) continue;
      // The list changes meanwhile.
      if (rows === this.#rows) rows = rows.slice(0, place);
      if (found.length > 0) yield found;
      found = [];
      await setImmediate();
    }
    if (found.length > 0) yield found;
  }

  /** Of the first row that is not listed behind a position. */
  #placeOf(position: Position): number {
    let low = 0;
    let high = this.#rows.length;
    // Most are newer than all others.
    if (high > 0 && compare(this.#rows[high - 1]!, position) < 0) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#rows[middle]!, position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rowOf(record: Record): Row<Record> {
    return new Row(record, this.#kind.time(record));
  }
}

/** Negative if the first is listed behind the second. */
function compare(a: Position, b: Position): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return a.id === b.id ? 0 : a.id > b.id ? -1 : 1;
}
