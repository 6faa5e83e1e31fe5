import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { isObject, parsedJson } from "../../../text/json.ts";

const CHUNK_LENGTH = 1 << 20;

export interface Line {
  /** Without its end. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly number: number;
  /** Of its first byte in the file. */
  readonly offset: number;
  /** Whether its end is there. */
  readonly isWhole: boolean;
}

export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncIterable<Line[]> {
  let number = 0;
  let offset = 0;
  let rest: Buffer[] = [];
  const line = (tail: Buffer, isWhole: boolean): Line => {
    const bytes = rest.length > 0 ? Buffer.concat([...rest, tail]) : tail;
    const start = offset;
    rest = [];
    offset += bytes.length + 1;
    return { bytes, number: ++number, offset: start, isWhole };
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

/** The content of an open file up to a size. Can be read repeatedly. */
export async function* lineChunksOf(handle: FileHandle, size = Infinity): AsyncIterable<Buffer> {
  for (let position = 0; position < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_LENGTH, size - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** The CRC-32 of some bytes, as eight lower-case hexadecimal digits. */
export function checksum(content: string | Buffer): string {
  return hex(crc32(content));
}

export function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}

/**
 * A line of the journal: a JSON object whose last value is the checksum of everything before it.
 *
 *     {"number":17,"changes":[["put","users",{…}],["delete","states","…","…"]],"crc32":"5d1f00e2"}
 */
export function seal(object: object): string {
  const text = JSON.stringify(object).slice(0, -1);
  return `${text}${sealOf(text)}`;
}

function sealOf(content: string | Buffer): string {
  return `,"crc32":"${checksum(content)}"}`;
}
const SEAL_LENGTH = sealOf("").length;

/** The object in a sealed line. Undefined if the checksum does not match. */
export function unseal(line: Buffer): { readonly [name: string]: unknown } | undefined {
  const end = line.length - SEAL_LENGTH;
  if (end < 1) return undefined;
  const sealed = line.subarray(0, end);
  if (line.toString("latin1", end) !== sealOf(sealed)) return undefined;
  return parsedObject(`${sealed.toString()}}`);
}

/** @returns undefined if it is not a JSON object */
export function parsedObject(json: string): { readonly [name: string]: unknown } | undefined {
  const value = parsedJson(json);
  return isObject(value) ? value : undefined;
}
