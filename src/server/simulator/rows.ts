import { fold } from "../../wire/text/fold.ts";
import type { PersonaRecord } from "../store/records.ts";

/** People in their order, which can be searched in both directions. */
export class Rows {
  readonly all: readonly PersonaRecord[];
  /** The texts of all rows in one string, so that a search reads memory sequentially. */
  #text: string | undefined;
  /** Where each row begins, and where the last one ends. */
  #starts = new Uint32Array();

  constructor(all: readonly PersonaRecord[]) {
    this.all = all;
  }

  /** The first row, from a row on, that contains a searchable text; undefined if there is none. */
  next(wanted: string, from: number): number | undefined {
    if (from >= this.all.length) return undefined;
    return wanted === "" ? from : this.#rowOf(this.#texts().indexOf(wanted, this.#starts[from]));
  }

  /** The last row before a row that contains a searchable text; undefined if there is none. */
  previous(wanted: string, before: number): number | undefined {
    const end = Math.min(before, this.all.length);
    if (end <= 0) return undefined;
    return wanted === "" ? end - 1 : this.#rowOf(this.#texts().lastIndexOf(wanted, this.#starts[end]! - 1));
  }

  /** Made by the first search: most servers never get one. */
  #texts(): string {
    if (this.#text !== undefined) return this.#text;
    const texts = this.all.map((persona) => searchable(textOf(persona)));
    this.#starts = new Uint32Array(texts.length + 1);
    texts.forEach((text, row) => {
      this.#starts[row + 1] = this.#starts[row]! + text.length + 1;
    });
    return (this.#text = `${texts.join("\n")}\n`);
  }

  #rowOf(position: number): number | undefined {
    if (position < 0) return undefined;
    let [low, high] = [0, this.all.length];
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

/** The text that a search looks in: what the picker shows, without the providers' account numbers. */
function textOf({ name, email, accounts }: PersonaRecord): string {
  return [name ?? "", email, ...textsIn(accounts).filter((text) => /\D/.test(text))].join(" @");
}

/** All texts in the accounts, whatever their schema. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
