/** C0 and C1 controls, and what changes the direction or vanishes: names come from strangers. */
// eslint-disable-next-line no-control-regex
export const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A joiner between two pictures makes one of them, such as a family of three; between letters it can't be seen. */
const JOINED_EMOJI = /(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]?)\u200d(?=\p{Extended_Pictographic})/gu;

/** Text that a terminal shows and does not obey. */
export function harmless(text: string): string {
  const parts = text.includes("\u200d") ? text.split(JOINED_EMOJI) : [text];
  const safe = parts.map((part) =>
    part.replace(HARMFUL, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`),
  );
  return safe.join("\u200d");
}

/**
 * The same for data, which is not to be changed more than a terminal's safety wants: the joiners of some scripts and emoji
 * stay. In a table they could make two names look alike.
 */
export function harmlessData(text: string): string {
  return text
    .split(/([\u200c\u200d])/)
    .map((part, i) => (i % 2 === 1 ? part : harmless(part)))
    .join("");
}

/** Characters that change the direction of text or are invisible, except the joiners of some scripts and of emoji. */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A name with its invisible characters shown: `[U+202E]txt.exe`, which a page would show as `exe.txt`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}
