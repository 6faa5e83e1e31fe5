import type { Context } from "../context.ts";

const WIDTH = 24;

/** A bar on stderr on a terminal; nothing elsewhere. `to` says how much is done in all, and `end` takes the bar away. */
export function createProgress({ stderr, env }: Context, expected = 0) {
  const isWanted = stderr.isTTY && !env["CI"] && env["TERM"] !== "dumb";
  let isShown = false;
  const to = (count: number, total = expected): void => {
    if (!isWanted || total < 2) return;
    isShown = true;
    const done = Math.min(count, total);
    const full = Math.floor((done / total) * WIDTH);
    stderr.write(`\r\u001b[K[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] ${done} of ${total}`);
  };
  to(0);
  return { to, end: (): void => void (isShown && stderr.write("\r\u001b[K")) };
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const AFTER_MS = 1_000;
const EVERY_MS = 100;

/** Shows on a terminal, after a second, what is being waited for. @returns a function that takes it away */
export function startSpinner(
  { stderr, env }: Pick<Context, "env"> & Partial<Pick<Context, "stderr">>,
  host: string,
): () => void {
  if (!stderr?.isTTY || env["CI"] || env["TERM"] === "dumb") return () => undefined;
  const started = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    const elapsed = performance.now() - started;
    if (elapsed < AFTER_MS) return;
    isShown = true;
    const frame = FRAMES[Math.floor(elapsed / EVERY_MS) % FRAMES.length]!;
    stderr.write(`\r\u001b[K${frame} Waiting for ${host} (${Math.floor(elapsed / 1000)} s)`);
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    if (isShown) stderr.write("\r\u001b[K");
  };
}
