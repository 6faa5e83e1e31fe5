import { afterAll, beforeAll, beforeEach } from "vitest";

/** What the tests of a file share. It is opened again before a second try, which must not meet what the first has left. */
export function useFresh(open: () => Promise<void>, close: () => Promise<void> | void): void {
  beforeAll(open);
  beforeEach(async ({ task }) => {
    if (!task.result?.retryCount) return;
    await close();
    await open();
  });
  afterAll(close);
}
