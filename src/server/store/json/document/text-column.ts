import type { Term } from "../../../../wire/search/query.ts";
import { fold } from "../../../../wire/text/fold.ts";

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
