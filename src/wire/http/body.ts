import { chunksOf, type Bytes } from "./fetch.ts";

const BYTE_ORDER_MARK = "\ufeff";

export class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";

  constructor(limit: number) {
    super(`longer than ${limit} bytes`);
  }
}

/** The whole text of a body of at most `limit` bytes. @throws {BodyTooLong}, and any error of the body itself */
export async function readText(body: Bytes, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const take = (chunk: Uint8Array): void => {
    length += chunk.length;
    if (length > limit) throw new BodyTooLong(limit);
    chunks.push(chunk);
  };
  // What is there already need not be waited for.
  if (Symbol.iterator in body) for (const chunk of body) take(chunk);
  else for await (const chunk of chunksOf(body)) take(chunk);
  return textOf(chunks);
}

/** UTF-8, without a byte order mark, as `fetch` has it. Where there is a Buffer, a TextDecoder takes several times as long. */
export function textOf(chunks: readonly Uint8Array[]): string {
  if (!("Buffer" in globalThis)) return decoded(chunks);
  const [first = Buffer.alloc(0)] = chunks;
  const { buffer, byteOffset, byteLength } = chunks.length > 1 ? Buffer.concat(chunks) : first;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function decoded(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}
