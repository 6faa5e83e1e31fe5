import type { Context } from "../context.ts";

const WIDTH = 24;

export interface Progress {
  /** Says how much is done in all. */
  to(count: number): void;
  /** Takes the bar away again. */
  end(): void;
}

/** A bar on stderr on a terminal; nothing elsewhere. */
export function createProgress({ stderr, env }: Context, total: number): Progress {
  if (!stderr.isTTY || env["CI"] || env["TERM"] === "dumb" || total < 2)
    return { to: () => undefined, end: () => undefined };
  const to = (count: number): void => {
    const done = Math.min(count, total);
    const full = Math.floor((done / total) * WIDTH);
    stderr.write(`\r\u001b[K[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] ${done} of ${total}`);
  };
  to(0);
  return { to, end: () => void stderr.write("\r\u001b[K") };
}
