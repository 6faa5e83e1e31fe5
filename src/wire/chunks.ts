import type { Bytes } from "./fetch.ts";

/** The chunks of a body as they arrive. */
export async function* chunksOf(body: Bytes): AsyncGenerator<Uint8Array, void> {
  if (!("getReader" in body) || Symbol.asyncIterator in body) return yield* body as AsyncIterable<Uint8Array>;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); part.value; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}
