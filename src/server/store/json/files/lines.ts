import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { parsedJson } from "../../../../wire/text/json.ts";

const CHUNK_LENGTH = 1 << 20;

/**
 * A line of either file: a JSON object whose last value is a checksum of everything before it.
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

/** Removes a line's checksum in place, which leaves its JSON. Undefined if the checksum does not match. */
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

/** A record's line as it was sealed: all but a table's last are followed by a comma. */
export function withoutComma(line: Buffer): Buffer {
  return line.at(-1) === COMMA ? line.subarray(0, -1) : line;
}
const COMMA = ",".charCodeAt(0);

/** A checksum over a sequence of checksums: another order, or one left out, gives another. */
export function chain(before: number, checksum: number): number {
  const mixed = Math.imul(before ^ checksum, 0x9e37_79b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Eight lower-case hexadecimal digits. */
export function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

/** @returns undefined if it is not a JSON object */
export function parseObject(json: string | undefined): Record<string, unknown> | undefined {
  const value = json === undefined ? undefined : parsedJson(json);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

export interface Line {
  /** Without its end. */
  readonly bytes: Buffer;
  /** Of its first byte in the file. */
  readonly offset: number;
  /** Whether its end is there. */
  readonly isWhole: boolean;
}

/** Hands over a file's lines, one by one. @returns the file's length */
export async function eachLine(content: AsyncIterable<Buffer>, take: (line: Line) => void): Promise<number> {
  let length = 0;
  for await (const lines of lineBatches(content))
    for (const line of lines) {
      take(line);
      length = line.offset + line.bytes.length + (line.isWhole ? 1 : 0);
    }
  return length;
}

/** A file's lines, as they come. */
export async function* lineBatches(chunks: AsyncIterable<Buffer>): AsyncIterable<Line[]> {
  let offset = 0;
  let rest: Buffer[] = [];
  const line = (tail: Buffer, isWhole: boolean): Line => {
    const bytes = rest.length > 0 ? Buffer.concat([...rest, tail]) : tail;
    const start = offset;
    rest = [];
    offset += bytes.length + 1;
    return { bytes, offset: start, isWhole };
  };
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      lines.push(line(chunk.subarray(start, end), true));
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
    yield lines;
  }
  if (rest.length > 0) yield [line(Buffer.alloc(0), false)];
}

/** The content of the file at a path. */
export function readFrom(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: CHUNK_LENGTH });
}

/** A file's content, or its first `size` bytes. Can be read repeatedly. */
export async function* chunksOf(handle: FileHandle, size: number = Infinity, from = 0): AsyncIterable<Buffer> {
  for (let position = from; position < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_LENGTH, size - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}
