import { fold } from "../../wire/text/fold.ts";
import { ipNetwork } from "../ip-network.ts";

/** What is compared of a user or a session. */
export interface Named {
  readonly data: { readonly name: string; readonly ip_address?: string };
}

/** Values of a flag that the search language can't say. Their term finds more, of which only some is meant. */
export interface Finer {
  readonly field: string;
  isNeeded(value: string): boolean;
  /** Whether a row is meant. Undefined for a value with a wildcard, which goes with no finer one. */
  test(value: string): ((row: Named) => boolean) | undefined;
  inWords(value: string): string;
}

/** A value has no space: of several words the longest is asked for, which the fewest names have. */
export const hasWords: Finer = {
  field: "name",
  isNeeded: (value) => wordsOf(value).length > 1,
  test(value) {
    const words = wordsOf(fold(value));
    return value.includes("*") ? undefined : ({ data }) => words.every((word) => fold(data.name).includes(word));
  },
  inWords: (value) => `contains ${wordsOf(value).join(" and ")}`,
};

/** A network's addresses begin alike only if it ends at a dot or a colon. */
export const isInNetwork: Finer = {
  field: "ip_address",
  isNeeded: (value) => ipNetwork(value)?.isOne === false,
  test(value) {
    const network = ipNetwork(value);
    return network && (({ data }) => network.has(data.ip_address ?? ""));
  },
  inWords: (value) => `is in ${value}`,
};

export function longestWord(text: string): string {
  return wordsOf(text).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
