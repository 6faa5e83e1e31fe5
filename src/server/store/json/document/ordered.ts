import type { Position } from "../../store.ts";

/** The place of a removed row, so that binary search still finds the others. */
class Gap implements Position {
  readonly time: string;
  readonly id: string;

  constructor({ time, id }: Position) {
    this.time = time;
    this.id = id;
  }
}

/** How far from the end a late row is put in its place at once; further back, all rows are sorted when next read. */
const NEAR = 4096;

/** Rows by time, then by id. Adding the newest, and replacing or removing any, costs nothing that grows with the rows. */
export class Ordered<Row extends { readonly id: string }> {
  readonly #rows = new RowBlocks<Row | Gap>();
  #gaps = 0;
  #isSorted = true;
  readonly #time: (row: Row) => string;

  constructor(time: (row: Row) => string) {
    this.#time = time;
  }

  get size(): number {
    return this.#rows.length - this.#gaps;
  }

  /** Older rows first; of rows of one time those that are listed last. */
  compare(a: Row | Gap, b: Row | Gap): number {
    const byTime = order(this.#timeOf(a), this.#timeOf(b));
    return byTime === 0 ? order(b.id, a.id) : byTime;
  }

  add(row: Row): void {
    const last = this.#rows.at(this.#rows.length - 1);
    if (last === undefined || !this.#isSorted || this.compare(last, row) <= 0) {
      this.#rows.push(row);
      return;
    }
    const place = this.#place(row);
    if (this.#rows.length - place <= NEAR) this.#rows.insert(place, row);
    else {
      this.#rows.push(row);
      this.#isSorted = false;
    }
  }

  remove(row: Row): void {
    this.#rows.set(this.#indexOf(row), new Gap({ time: this.#time(row), id: row.id }));
    this.#gaps++;
    if (this.#gaps <= this.size + 64) return;
    this.#rows.replace(this.#rows.toArray().filter((other) => !(other instanceof Gap)));
    this.#gaps = 0;
  }

  replace(before: Row, after: Row): void {
    if (this.#time(before) === this.#time(after)) {
      this.#rows.set(this.#indexOf(before), after);
    } else {
      this.remove(before);
      this.add(after);
    }
  }

  /**
   * The rows as they are now, newest first, ties by id; all behind `after`, whether a row is there or not. They may be
   * read slowly: what is changed meanwhile does not show.
   */
  newestFirst(after?: Position): Iterable<Row> {
    this.sort();
    const start = after === undefined ? this.#rows.length : this.#place(new Gap(after));
    const view = this.#rows.view();
    return (function* () {
      for (let i = start - 1; i >= 0; i--) {
        const row = view.at(i);
        if (!(row instanceof Gap)) yield row;
      }
    })();
  }

  /** Those of the given rows that are listed behind `after`. */
  behind(rows: readonly Row[], after: Position | undefined): readonly Row[] {
    if (after === undefined) return rows;
    const place = new Gap(after);
    return rows.filter((row) => this.compare(row, place) < 0);
  }

  sort(): void {
    if (this.#isSorted) return;
    this.#rows.replace(this.#rows.toArray().toSorted((a, b) => this.compare(a, b)));
    this.#isSorted = true;
  }

  #indexOf(row: Row): number {
    this.sort();
    let index = this.#place(row);
    // There may be a gap at an earlier place of the row.
    while (this.#rows.at(index) !== row) {
      if (index >= this.#rows.length) throw new Error("A row to be removed is not there");
      index++;
    }
    return index;
  }

  /** Of the first row that is not before the given one. */
  #place(row: Row | Gap): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(this.#rows.at(middle)!, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #timeOf(row: Row | Gap): string {
    return row instanceof Gap ? row.time : this.#time(row);
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const BLOCK_ROWS = 1024;

/** Rows as they were at one moment. */
interface RowView<Row> {
  readonly length: number;
  at(index: number): Row;
}

/**
 * An array that can be read as it was while it is changed. A view shares its blocks; a writer that changes a block that a
 * view shares copies that block alone. So a view costs 8 bytes for 1,024 rows, however long it exists.
 */
export class RowBlocks<Row> {
  #blocks: Row[][] = [];
  /** The blocks that no view shares. */
  #own = new Set<Row[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): Row | undefined {
    return this.#blocks[Math.floor(index / BLOCK_ROWS)]?.[index % BLOCK_ROWS];
  }

  set(index: number, row: Row): void {
    this.#changeable(Math.floor(index / BLOCK_ROWS))[index % BLOCK_ROWS] = row;
  }

  push(row: Row): void {
    this.#changeable(Math.floor(this.#length / BLOCK_ROWS)).push(row);
    this.#length++;
  }

  /** Costs the more, the further from the end. */
  insert(index: number, row: Row): void {
    let moved: Row | undefined = row;
    let place = index % BLOCK_ROWS;
    for (let block = Math.floor(index / BLOCK_ROWS); moved !== undefined; block++) {
      const rows = this.#changeable(block);
      rows.splice(place, 0, moved);
      moved = rows.length > BLOCK_ROWS ? rows.pop() : undefined;
      place = 0;
    }
    this.#length++;
  }

  /** Puts these in the place of all. */
  replace(rows: readonly Row[]): void {
    this.#blocks = [];
    this.#own = new Set();
    this.#length = rows.length;
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      const block = rows.slice(start, start + BLOCK_ROWS);
      this.#blocks.push(block);
      this.#own.add(block);
    }
  }

  toArray(): Row[] {
    return this.#blocks.flat();
  }

  view(): RowView<Row> {
    const blocks = [...this.#blocks];
    this.#own.clear();
    return {
      length: this.#length,
      at: (index) => blocks[Math.floor(index / BLOCK_ROWS)]![index % BLOCK_ROWS]!,
    };
  }

  #changeable(block: number): Row[] {
    const rows = this.#blocks[block];
    if (rows && this.#own.has(rows)) return rows;
    const copy = rows?.slice() ?? [];
    this.#blocks[block] = copy;
    this.#own.add(copy);
    return copy;
  }
}
