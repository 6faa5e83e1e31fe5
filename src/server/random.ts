import { randomFillSync } from "node:crypto";

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** Cryptographic random bytes. They are generated in advance, as `crypto.randomUUID` does: a system call costs microseconds. */
export function randomBytes(size: number): Buffer {
  // A new pool each time, so that bytes that were returned are never overwritten.
  if (used + size > pool.length) [pool, used] = [randomFillSync(Buffer.allocUnsafeSlow(POOL_BYTES + size)), 0];
  const bytes = pool.subarray(used, used + size);
  used += size;
  return bytes;
}
