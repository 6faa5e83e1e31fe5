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
