/**
 * Rows by time, then by id, kept so that adding the newest costs nothing: a replaced or removed row stays
 * in place until enough of them have gathered, and is told from a live one by asking its table.
 */
export class Ordered<Row> {
  #rows: Row[] = [];
  #live = 0;
  #sorted = true;
  readonly #compare: (a: Row, b: Row) => number;
  readonly #isLive: (row: Row) => boolean;

  constructor(time: (row: Row) => string, id: (row: Row) => string, isLive: (row: Row) => boolean) {
    this.#compare = (a, b) => order(time(a), time(b)) || order(id(b), id(a));
    this.#isLive = isLive;
  }

  add(row: Row): void {
    const last = this.#rows.at(-1);
    if (last !== undefined && this.#compare(last, row) > 0) this.#sorted = false;
    this.#rows.push(row);
    this.#live++;
  }

  /** To be told after a row is gone from its table, or replaced there. */
  dropped(): void {
    this.#live--;
    if (this.#rows.length > 2 * this.#live + 64) this.#rows = this.#rows.filter(this.#isLive);
  }

  /** The live rows as they are now, newest first, ties by id. */
  newestFirst(after?: Row, limit: number = Infinity): Row[] {
    this.#sort();
    const page: Row[] = [];
    for (
      let i = after === undefined ? this.#rows.length - 1 : this.#position(after) - 1;
      i >= 0 && page.length < limit;
      i--
    ) {
      const row = this.#rows[i]!;
      if (this.#isLive(row)) page.push(row);
    }
    return page;
  }

  #sort(): void {
    if (this.#sorted) return;
    this.#rows.sort(this.#compare);
    this.#sorted = true;
  }

  /** Of the first row that is not before the given one. */
  #position(row: Row): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#rows[middle]!, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
