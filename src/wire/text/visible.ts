/** Characters that change the direction of text or are invisible, except the joiners of some scripts and of emoji. */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A name with its invisible characters shown: `[U+202E]txt.exe`, which a page would show as `exe.txt`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}
