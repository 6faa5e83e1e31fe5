import * as fc from "fast-check";

/**
 * Any code point, lone surrogates too: what fast-check calls the unit "binary", without its map of a million characters,
 * which takes a second to make and stays for all files of a worker.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ff_ff }).map(String.fromCodePoint, (value) => {
  const point = typeof value === "string" ? value.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== value) throw new Error("not one character");
  return point;
});
