import { chunksOf, type Bytes } from "./fetch.ts";

/** Of UTF-8, without a byte order mark, as `fetch` has it. Making one takes longer than decoding most bodies. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

export class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";

  constructor(limit: number) {
    super(`longer than ${limit} bytes`);
  }
}

/** The whole of a body of at most `limit` bytes. @throws {BodyTooLong}, and any error of the body itself */
export async function readBytes(body: Bytes, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(body)) {
    length += chunk.length;
    if (length > limit) throw new BodyTooLong(limit);
    chunks.push(chunk);
  }
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(length);
  let end = 0;
  for (const chunk of chunks) {
    whole.set(chunk, end);
    end += chunk.length;
  }
  return whole;
}

/** The text of an answer, read as `fetch` reads it. @throws as `readBytes` */
export async function readText(body: Bytes, limit: number): Promise<string> {
  return (decoder ??= new TextDecoder()).decode(await readBytes(body, limit));
}
