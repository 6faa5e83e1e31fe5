import { setTimeout as sleep } from "node:timers/promises";
import { inTurn, signIn, users, type Server } from "../postgres/_serve.ts";

/** The results of a load of sign-ins. */
export interface Outcome {
  readonly tried: number;
  /** The e-mail addresses whose token arrived. */
  readonly acknowledged: readonly string[];
  /** The number of answers other than a token, by kind. */
  readonly failed: Readonly<Record<string, number>>;
  /** The longest time between two successful sign-ins, in milliseconds. */
  readonly longestOutageMs: number;
}

export interface Load {
  /** Resolves when that many more sign-ins have succeeded. */
  succeed(count: number): Promise<void>;
  stop(): Promise<Outcome>;
}

/** New users sign in without a pause, each step at the next server. */
export function startLoad(servers: readonly Server[], { workers = 8, prefix = "n" } = {}): Load {
  const next = inTurn(servers);
  const acknowledged: string[] = [];
  const failed: Record<string, number> = {};
  const state = { isOver: false, tried: 0, last: performance.now(), longest: 0 };

  const running = Array.from({ length: workers }, async () => {
    while (!state.isOver) {
      const email = `${prefix}${state.tried++}@load.test`;
      const outcome = await signIn(email, next);
      if (typeof outcome === "string") {
        acknowledged.push(email);
        state.longest = Math.max(state.longest, performance.now() - state.last);
        state.last = performance.now();
      } else {
        const what = outcome.location?.searchParams.get("error") ?? String(outcome.status);
        failed[what] = (failed[what] ?? 0) + 1;
        await sleep(20);
      }
    }
  });

  const ended = Promise.all(running);
  return {
    async succeed(count) {
      const wanted = acknowledged.length + count;
      // If the servers are gone there will never be more.
      while (acknowledged.length < wanted) await Promise.race([sleep(20), ended]);
    },
    async stop() {
      state.isOver = true;
      await ended;
      return { tried: state.tried, acknowledged, failed, longestOutageMs: Math.round(state.longest) };
    },
  };
}

/** The users who received a token but are unknown to the servers. */
export async function lost(outcome: Outcome, server: Server): Promise<string[]> {
  const there = new Set((await users(server)).map((user) => user.data.email));
  return outcome.acknowledged.filter((email) => !there.has(email));
}

/** A summary in one line. */
export function figures(title: string, { tried, acknowledged, failed, longestOutageMs }: Outcome): string {
  const failures = Object.entries(failed).map(([what, count]) => `${count} × ${what}`);
  return `${title}: ${tried} tried, ${acknowledged.length} acknowledged, ${failures.join(", ") || "0 failed"}, longest outage ${longestOutageMs} ms`;
}
