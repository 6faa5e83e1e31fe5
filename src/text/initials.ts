/** A word of a name. Marks and apostrophes belong to it: हिन्दी and O’Neill are one word each. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu;
/** Made with the first name, because loading its data takes a third of what Node itself takes to start. */
let letters: Intl.Segmenter | undefined;
/** Of one letter with its marks. */
const MAX_CODES = 3;

/** What is drawn for someone without a picture: the first letters of a name, and a hue in degrees. */
export function drawnFor(name: string): { readonly initials: string; readonly hue: number } {
  const graphemes = (letters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" }));
  const words = name.match(WORD) ?? ["?"];
  const first = (word: string): string => {
    const [{ segment } = { segment: "?" }] = graphemes.segment(word);
    return Array.from(segment.toUpperCase()).slice(0, MAX_CODES).join("");
  };
  return {
    initials: words.slice(0, 2).map(first).join(""),
    hue: Array.from(name).reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 360, 7),
  };
}
