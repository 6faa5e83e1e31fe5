import { setImmediate } from "node:timers/promises";

/** What a reader sees before, during and after an operation. */
export async function looksDuring(work: Promise<unknown>, look: () => Promise<string>): Promise<string[]> {
  const looks = [await look()];
  const progress = { done: false };
  const ended = work.finally(() => (progress.done = true));
  while (!progress.done) {
    looks.push(await look());
    await setImmediate();
  }
  await ended;
  return [...looks, await look()];
}
