import { randomFillSync } from "node:crypto";

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** Bytes from the system's generator. They are asked for in advance, as `crypto.randomUUID` does: a call costs microseconds. */
export function randomBytes(size: number): Buffer {
  // A new pool each time: what was handed out is never written again.
  if (used + size > pool.length) [pool, used] = [randomFillSync(Buffer.allocUnsafeSlow(POOL_BYTES + size)), 0];
  const bytes = pool.subarray(used, used + size);
  used += size;
  return bytes;
}
