import type { Stream } from "../context.ts";

/** Small writes cost more than what they carry. */
const BATCH = 32_768;

/** Writes as fast as it is read. If the reader has gone, it ends, and so does the source of the chunks. */
export async function writeAll(target: Pick<Stream, "write" | "ready">, chunks: AsyncIterable<string>): Promise<void> {
  let batch = "";
  for await (const chunk of chunks) {
    batch += chunk;
    if (batch.length < BATCH) continue;
    target.write(batch);
    batch = "";
    if (target.ready && !(await target.ready())) return;
  }
  if (batch !== "") target.write(batch);
}
