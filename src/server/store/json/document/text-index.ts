import { slices } from "../../slices.ts";
import type { Position } from "../../store.ts";
import type { Ordered } from "./ordered.ts";
import type { Term } from "../../../../wire/search/query.ts";
import { fold } from "../../../../wire/text/fold.ts";

/** Rows that are indexed before other requests get a turn. */
const BATCH = 256;

export interface Keyed<Row> {
  key(row: Row): string;
  /** The current row of a key. */
  current(key: string): Row | undefined;
}

/** Some of the matching rows, in their current form. */
interface TextMatches<Row> {
  readonly rows: Row[];
  /** Whether no row has changed since its text was recorded, so that all of these match. */
  readonly isFresh: boolean;
  /** Whether they are in the order of the list. */
  readonly isInOrder: boolean;
}

/**
 * The texts of rows, field by field, each in a column that is created when the field is first searched. Every row has a slot
 * in the columns. A row that changes gets a new slot behind all others, and its old one stays until too many are stale.
 */
export class TextIndex<Row extends { readonly id: string }> {
  readonly #rows: Keyed<Row>;
  readonly #ordered: Ordered<Row>;
  /** The keys of the rows, oldest first. Undefined until the first search. */
  #slots: string[] | undefined;
  /** While the slots are being built: the keys of rows added meanwhile, which follow the others. */
  #late: string[] | undefined;
  #making: Promise<void> | undefined;
  /** By field. A column that is being built has fewer texts than there are slots. */
  #columns = new Map<string, { readonly column: TextColumn; readonly made: Promise<unknown> }>();
  /** How many of the slots name a row that is gone, or has another slot by now. */
  #stale = 0;
  #isInOrder = true;
  #newest: Row | undefined;

  constructor(rows: Keyed<Row>, ordered: Ordered<Row>) {
    this.#rows = rows;
    this.#ordered = ordered;
  }

  /** Whether two versions of a row have the same texts in the fields that were searched so far. */
  isSame(before: Row, after: Row): boolean {
    return [...this.#columns.keys()].every((field) => textOf(before, field) === textOf(after, field));
  }

  add(row: Row): void {
    const slots = this.#slots ?? this.#late;
    if (slots === undefined) return;
    if (this.#newest !== undefined && this.#ordered.compare(this.#newest, row) > 0) this.#isInOrder = false;
    else this.#newest = row;
    for (const [field, { column }] of this.#columns)
      if (column.size === slots.length) column.append(textOf(row, field));
    slots.push(this.#rows.key(row));
  }

  /** Notes that a row is gone, or is about to be added again. */
  drop(): void {
    if (this.#slots === undefined && this.#late === undefined) return;
    this.#stale++;
    if (this.#stale <= this.#ordered.size + 64) return;
    // The next search creates it again.
    this.#slots = undefined;
    this.#late = undefined;
    this.#columns = new Map();
    this.#stale = 0;
    this.#isInOrder = true;
  }

  /**
   * The rows whose field satisfies any of the terms, block by block from the last slot, without duplicates.
   * @param after where a page begins: blocks of rows before it alone are skipped, as far as their order is certain
   */
  async *matches(field: string, terms: readonly TextTerm[], after?: Position): AsyncIterable<TextMatches<Row>> {
    const column = await this.#column(field);
    const slots = this.#slots!;
    const isInOrder = this.#isInOrder;
    const seen = new Set<Row>();
    for (let block = Math.ceil(column.size / BLOCK_ROWS) - 1; block >= 0; block--) {
      const isFresh = this.#stale === 0 && slots === this.#slots;
      const oldest = isFresh && isInOrder && after ? this.#rows.current(slots[block * BLOCK_ROWS]!) : undefined;
      if (oldest && this.#ordered.behind([oldest], after).length === 0) continue;
      const rows: Row[] = [];
      for (const slot of column.matchesInBlock(block, terms).toReversed()) {
        const row = this.#rows.current(slots[slot]!);
        if (row === undefined || seen.has(row)) continue;
        if (!isFresh) seen.add(row);
        rows.push(row);
      }
      yield { rows, isFresh, isInOrder };
      await slices.next();
    }
  }

  /** The column of a field, created when it is first searched. */
  async #column(field: string): Promise<TextColumn> {
    while (this.#slots === undefined)
      await (this.#making ??= this.#makeSlots().finally(() => (this.#making = undefined)));
    const slots = this.#slots;
    let entry = this.#columns.get(field);
    if (!entry) {
      const column = new TextColumn();
      entry = { column, made: this.#fill(column, field, slots) };
      this.#columns.set(field, entry);
    }
    await entry.made;
    // The slots may have been given up meanwhile.
    return slots === this.#slots ? entry.column : this.#column(field);
  }

  async #makeSlots(): Promise<void> {
    const late: string[] = [];
    this.#late = late;
    const keys: string[] = [];
    this.#newest = undefined;
    for (const row of this.#ordered.newestFirst()) {
      this.#newest ??= row;
      keys.push(this.#rows.key(row));
      if (keys.length % BATCH === 0) await slices.next();
      if (late !== this.#late) return;
    }
    this.#slots = keys.toReversed().concat(late);
    this.#late = undefined;
  }

  async #fill(column: TextColumn, field: string, slots: readonly string[]): Promise<void> {
    while (column.size < slots.length && slots === this.#slots) {
      await slices.next();
      const end = Math.min(column.size + BATCH, slots.length);
      for (let slot = column.size; slot < end; slot++) {
        const row = this.#rows.current(slots[slot]!);
        column.append(row === undefined ? null : textOf(row, field));
      }
    }
  }
}

function textOf(row: object, field: string): string | null {
  return (row as Record<string, string | null>)[field] ?? null;
}

/** Texts in one block: a search looks through that many before others get their turn. */
export const BLOCK_ROWS = 8192;

/**
 * The folded texts of one field, one after the other in a buffer, so that a search reads memory in a straight line and
 * touches no record that does not match.
 */
export class TextColumn {
  readonly #blocks: Block[] = [];
  #size = 0;
  get size(): number {
    return this.#size;
  }

  /** Null matches nothing, as an empty text does: no search is for one. */
  append(text: string | null): void {
    if (this.#size % BLOCK_ROWS === 0) this.#blocks.push(new Block());
    this.#blocks.at(-1)!.append(text === null ? "" : fold(text));
    this.#size++;
  }

  /** The numbers, ascending within the block, of the texts in a block that satisfy any of the terms. */
  matchesInBlock(block: number, terms: readonly TextTerm[]): number[] {
    const texts = this.#blocks[block]!;
    const rows = terms.length === 1 ? texts.matches(terms[0]!) : union(terms.map((term) => texts.matches(term)));
    for (let i = 0; i < rows.length; i++) rows[i]! += block * BLOCK_ROWS;
    return rows;
  }
}

/** A term over text, folded and in bytes. */
export interface TextTerm {
  readonly operator: "is" | "starts" | "ends" | "contains";
  readonly value: Buffer;
}

/** @returns undefined if the columns can't decide: they don't distinguish null from empty */
export function textTerm({ operator, value }: Term): TextTerm | undefined {
  if (operator !== "is" && operator !== "starts" && operator !== "ends" && operator !== "contains") return undefined;
  if (value === "") return undefined;
  return { operator, value: Buffer.from(fold(value)) };
}

class Block {
  #bytes = Buffer.allocUnsafeSlow(BLOCK_ROWS * 16);
  readonly #ends = new Uint32Array(BLOCK_ROWS + 1);
  #count = 0;

  append(text: string): void {
    const start = this.#ends[this.#count]!;
    // A UTF-16 unit becomes three bytes at most.
    if (start + text.length * 3 > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, start + text.length * 3));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    this.#ends[++this.#count] = start + this.#bytes.write(text, start);
    if (this.#count === BLOCK_ROWS) this.#bytes = Buffer.from(this.#bytes.subarray(0, this.#ends[this.#count]));
  }

  matches({ operator, value }: TextTerm): number[] {
    return operator === "contains" ? this.#containing(value) : this.#atEdge(operator, value);
  }

  #containing(value: Buffer): number[] {
    const ends = this.#ends;
    const bytes = this.#bytes.subarray(0, ends[this.#count]);
    const rows: number[] = [];
    let row = 0;
    for (let at = bytes.indexOf(value); at >= 0;) {
      while (ends[row + 1]! <= at) row++;
      const isWithin = at + value.length <= ends[row + 1]!;
      if (isWithin) rows.push(row);
      at = bytes.indexOf(value, isWithin ? ends[row + 1]! : at + 1);
    }
    return rows;
  }

  #atEdge(operator: TextTerm["operator"], value: Buffer): number[] {
    const ends = this.#ends;
    const bytes = this.#bytes;
    const { length } = value;
    const rows: number[] = [];
    for (let row = 0; row < this.#count; row++) {
      const start = ends[row]!;
      const room = ends[row + 1]! - start - length;
      if (room < 0 || (room > 0 && operator === "is")) continue;
      const from = operator === "ends" ? start + room : start;
      let same = 0;
      while (same < length && bytes[from + same] === value[same]) same++;
      if (same === length) rows.push(row);
    }
    return rows;
  }
}

function union(lists: readonly number[][]): number[] {
  return [...new Set(lists.flat())].toSorted((a, b) => a - b);
}
