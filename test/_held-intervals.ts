import { syncBuiltinESMExports } from "node:module";
import nodeTimers from "node:timers";
import { onTestFinished, vi } from "vitest";

/** How often a server looks for slow connections. */
export const LOOK_MS = 500;

/**
 * Until the test ends, what our code begins to do at an interval is done by the test alone: not by the time, which a busy
 * machine passes unnoticed, and for which a test would wait.
 * @returns what has been begun since to be done this often
 */
export function heldIntervals(milliseconds: number): () => (() => void)[] {
  const begun = vi.spyOn(nodeTimers, "setInterval").mockImplementation(() => setTimeout(() => undefined));
  syncBuiltinESMExports();
  onTestFinished(() => {
    begun.mockRestore();
    syncBuiltinESMExports();
  });
  return () => begun.mock.calls.filter(([, every]) => every === milliseconds).map(([look]) => look);
}
