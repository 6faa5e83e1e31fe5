import type { FileHandle } from "node:fs/promises";

const CHUNK_LENGTH = 1 << 20;

/** A line as it stands, without its end. */
export interface Line {
  readonly line: Buffer;
  readonly isWhole: boolean;
}

export async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncIterable<Line> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const tail = chunk.subarray(start, end);
      yield { line: rest.length > 0 ? Buffer.concat([...rest, tail]) : tail, isWhole: true };
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield { line: Buffer.concat(rest), isWhole: false };
}

/** A file's content as it is, or its first `size` bytes; as often as asked for. */
export async function* chunksOf(handle: FileHandle, size: number = Infinity): AsyncIterable<Buffer> {
  for (let position = 0; position < size;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_LENGTH, size - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}
