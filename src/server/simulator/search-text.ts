import { fold } from "../../wire/text/fold.ts";

/** The texts of many rows in one string, so that a search reads memory sequentially. */
export class SearchText {
  readonly #text: string;
  /** Where each row begins, and where the last one ends. */
  readonly #starts: Uint32Array;

  constructor(rows: readonly string[]) {
    const texts = rows.map(searchable);
    this.#starts = new Uint32Array(rows.length + 1);
    texts.forEach((text, row) => {
      this.#starts[row + 1] = this.#starts[row]! + text.length + 1;
    });
    this.#text = `${texts.join("\n")}\n`;
  }

  /** The first row, from a row on, that contains a searchable text; undefined if there is none. */
  next(wanted: string, from: number): number | undefined {
    return this.#rowOf(this.#text.indexOf(wanted, this.#starts[from]));
  }

  /** The last row before a row that contains a searchable text; undefined if there is none. */
  previous(wanted: string, before: number): number | undefined {
    const end = this.#starts[before]! - 1;
    return end < 0 ? undefined : this.#rowOf(this.#text.lastIndexOf(wanted, end));
  }

  #rowOf(position: number): number | undefined {
    if (position < 0) return undefined;
    let [low, high] = [0, this.#starts.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Text in the form that is compared: case-folded, on one line. */
export function searchable(text: string): string {
  return fold(text).replaceAll("\n", " ");
}
