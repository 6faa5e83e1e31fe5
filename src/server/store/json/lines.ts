import { createReadStream } from "node:fs";
import { crc32 } from "node:zlib";

/**
 * A line of either file: a JSON object whose last value is a checksum over all that stands before it.
 *
 *     {"sequence":17,"changes":[["put","users",{…}],["delete","states","…"]],"crc32":"5d1f00e2"}
 */
export function seal(object: object): { readonly line: string; readonly crc: number } {
  const text = JSON.stringify(object).slice(0, -1);
  const crc = crc32(text);
  return { line: `${text},"crc32":"${hex(crc)}"}`, crc };
}
const SEAL = Buffer.from(`,"crc32":"00000000"}`);
const DIGITS_AT = SEAL.indexOf("0");

/** Takes a line's checksum off, in place, which leaves its JSON. Undefined: it is not what was written. */
export function unseal(line: Buffer): string | undefined {
  const end = line.length - SEAL.length;
  if (end < 1 || checksumOf(line) !== crc32(line.subarray(0, end))) return undefined;
  line[end] = CLOSE;
  return line.toString("utf8", 0, end + 1);
}
const CLOSE = "}".charCodeAt(0);

/** The checksum that a sealed line carries. NaN: it carries none. */
export function checksumOf(line: Buffer): number {
  const start = line.length - SEAL.length;
  let checksum = 0;
  for (let i = 0; i < SEAL.length; i++) {
    const byte = line[start + i]!;
    const isDigit = i >= DIGITS_AT && i < DIGITS_AT + 8;
    if (isDigit) checksum = checksum * 16 + digit(byte);
    else if (byte !== SEAL[i]) return NaN;
  }
  return checksum;
}

function digit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  return byte >= 97 && byte <= 102 ? byte - 87 : NaN;
}

/** A checksum over a sequence of checksums: another order, or one left out, gives another. */
export function chain(before: number, checksum: number): number {
  const mixed = Math.imul(before ^ checksum, 0x9e37_79b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

export function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

export interface Line {
  /** Without its end. */
  readonly bytes: Buffer;
  /** Of its first byte in the file. */
  readonly offset: number;
  /** Whether its end is there. */
  readonly isWhole: boolean;
}

/**
 * Hands over a file's lines, one by one; a missing file has none.
 * @returns the file's length, undefined where there is none
 */
export async function eachLine(path: string, take: (line: Line) => void): Promise<number | undefined> {
  let offset = 0;
  let rest: Buffer[] = [];
  const give = (tail: Buffer, isWhole: boolean): void => {
    const bytes = rest.length > 0 ? Buffer.concat([...rest, tail]) : tail;
    rest = [];
    take({ bytes, offset, isWhole });
    offset += bytes.length + (isWhole ? 1 : 0);
  };
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        give(chunk.subarray(start, end), true);
        start = end + 1;
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
  if (rest.length > 0) give(Buffer.alloc(0), false);
  return offset;
}
