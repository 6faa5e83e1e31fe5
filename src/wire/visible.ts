/** What turns the direction of a text, or stands in it unseen. The joiners of some scripts and of emoji are left alone. */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A name as it is written: `[U+202E]txt.exe` where a page would show `exe.txt`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}
