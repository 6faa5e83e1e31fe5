import { isObject } from "./json.ts";

/** No known word has this length, and comparing one with them takes long. */
const TOO_LONG = 64;

/** The known word closest to an unknown one. Undefined if none is close. */
export function closest(word: string, known: readonly string[]): string | undefined {
  if (word.length >= TOO_LONG) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  // Of a short word two edits change half.
  const most = word.replace(/^-+/, "").length <= 5 ? 1 : 2;
  return best && best.distance <= most ? best.candidate : undefined;
}

/**
 * What is wrong with options: they are not an object, or one of them is unknown and would be ignored. Undefined if nothing is.
 * @param of what takes the options, such as `createClient`
 */
export function optionProblem(of: string, given: unknown, known: readonly string[]): string | undefined {
  const missing = noOptions(of, given);
  if (missing !== undefined) return `${missing} ${listOf(known, "options")}`;
  const name = Object.keys(given as object).find((one) => !known.includes(one));
  return name === undefined ? undefined : `Unknown option of ${of}: ${name}. ${suggestion(name, known, "options")}`;
}

/** What is wrong with options whose names are checked elsewhere: they are not an object. Undefined if nothing is. */
export function noOptions(of: string, given: unknown): string | undefined {
  if (isObject(given)) return undefined;
  const what = Array.isArray(given) ? "an array" : given === undefined || given === null ? given : `a ${typeof given}`;
  return `${of} needs an object of options, not ${what}.`;
}

export function suggestion(name: string, known: readonly string[], what: string): string {
  if (known.length === 0) return `There are no ${what} here.`;
  const near = closest(name, known);
  return near === undefined ? listOf(known, what) : `Did you mean ${near}?`;
}

function listOf(known: readonly string[], what: string): string {
  return `The ${what} are ${known.toSorted().join(", ")}.`;
}

/** `one, two and three` */
export function enumerated(names: readonly string[], conjunction: "and" | "or"): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} ${conjunction} ${last}` : last;
}

/** The first of names of which there may be any number. */
export function few(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

/** Levenshtein's, with two neighbours in the wrong order as one edit (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
