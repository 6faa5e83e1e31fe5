import { isUtf8 } from "node:buffer";

/** Bytes that are not text. Its message continues a sentence that begins with the file's name. */
export class NotText extends Error {}

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of bytes in UTF-8, without a byte order mark.
 * @throws {NotText} with the line and the byte, both counted from 1, of what is not UTF-8
 */
export function utf8Text(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return decoder.decode(bytes);
  const good = validLength(bytes);
  const line = bytes.subarray(0, good).reduce((lines, byte) => (byte === LINE_FEED ? lines + 1 : lines), 1);
  throw new NotText(`is not text in UTF-8 (line ${line}, byte ${good + 1})`);
}

/**
 * The text of a file that a person or another program made: UTF-8, or UTF-16 with a byte order mark, as Excel writes it.
 * @throws {NotText} if it is neither
 */
export function fileText(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
  if (mark === "fffe" || mark === "feff") return utf16Text(bytes, mark === "fffe" ? "utf-16le" : "utf-16be");
  if (bytes.subarray(0, 2).includes(0) && bytes.length % 2 === 0)
    throw new NotText("is in UTF-16 without a byte order mark");
  return utf8Text(bytes);
}

function utf16Text(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be"): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new NotText("begins as text in UTF-16, and is not");
  }
}

/** How many bytes, from the first, are whole characters of UTF-8. */
function validLength(bytes: Uint8Array): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (startsValid(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  // A character that was begun and not continued is no whole one.
  while (good > 0 && !isUtf8(bytes.subarray(0, good))) good--;
  return good;
}

/** Whether some text in UTF-8 begins so. */
function startsValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

const LINE_FEED = 0x0a;
