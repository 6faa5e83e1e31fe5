import type { Context } from "../context.ts";

const WIDTH = 24;

export interface Progress {
  step(): void;
  /** Takes the bar away again. */
  end(): void;
}

/** A bar on stderr for a person who waits there; nothing for anybody else. */
export function createProgress({ stderr, env }: Context, total: number): Progress {
  if (!stderr.isTTY || env["CI"] || env["TERM"] === "dumb" || total < 2)
    return { step: () => undefined, end: () => undefined };
  let done = 0;
  const draw = (): void => {
    const full = Math.floor((done / total) * WIDTH);
    stderr.write(`\r[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] ${done} of ${total}`);
  };
  draw();
  return {
    step() {
      done++;
      draw();
    },
    end: () => void stderr.write("\r\u001b[K"),
  };
}
