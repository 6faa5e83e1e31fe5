import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { signIn, type Front } from "../postgres/_serve.ts";
import type { Patroni } from "./_patroni.ts";

/** When something succeeded, on `performance.now()`. */
type Moments = number[];

/** Users who sign in through a balancer, and of whom every third is deleted. */
export interface ClusterLoad {
  readonly moments: Moments;
  readonly acknowledged: Set<string>;
  /** Whose deletion was confirmed, by address. */
  readonly deleted: Map<string, string>;
  readonly failed: Record<string, number>;
  stop(): Promise<void>;
}

export function startClusterLoad(front: Front, prefix: string, workers: number): ClusterLoad {
  const state = { isOver: false, count: 0 };
  const load = {
    moments: [] as Moments,
    acknowledged: new Set<string>(),
    deleted: new Map<string, string>(),
    failed: {} as Record<string, number>,
  };
  const fail = (what: string): void => void (load.failed[what] = (load.failed[what] ?? 0) + 1);
  const running = Array.from({ length: workers }, async () => {
    while (!state.isOver) {
      const n = state.count++;
      const email = `${prefix}${n}@load.test`;
      const outcome = await signIn(email, () => front).catch((error: Error) => error);
      if (typeof outcome !== "string") {
        fail(
          outcome instanceof Error
            ? outcome.message
            : (outcome.location?.searchParams.get("error") ?? String(outcome.status)),
        );
        await sleep(50);
        continue;
      }
      load.moments.push(performance.now());
      load.acknowledged.add(email);
      if (n % 3 === 0) {
        const id = subjectOf(outcome);
        const { status } = await front.send(`/api/v1/users/${id}`, "DELETE").catch(() => ({ status: 599 }));
        // Of a deletion that was not confirmed nothing is known.
        load.acknowledged.delete(email);
        if (status < 300) load.deleted.set(email, id);
        else fail(`deletion ${status}`);
      }
      // Two busy cores also run the cluster.
      await sleep(20);
    }
  });
  return {
    ...load,
    async stop() {
      state.isOver = true;
      await Promise.all(running);
    },
  };
}

function subjectOf(token: string): string {
  const [, claims = ""] = token.split(".");
  return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { sub: string }).sub;
}

/** A program that knows all nodes and writes a row at a time: what it can't do, no other can. */
export interface Reference {
  readonly moments: Moments;
  /** How often it could write again after it could not. */
  outages(): number;
  stop(): Promise<void>;
}

export function startReference(cluster: Patroni): Reference {
  const state = { isOver: false, hasFailed: false, outages: 0 };
  const moments: Moments = [];
  const write = async (url: string): Promise<void> => {
    const sql = postgres(url, { max: 1, connect_timeout: 1, fetch_types: false, onnotice: () => {} });
    try {
      while (!state.isOver) {
        await inTime(sql`INSERT INTO public.reference DEFAULT VALUES`);
        moments.push(performance.now());
        if (state.hasFailed) state.outages++;
        state.hasFailed = false;
        await sleep(50);
      }
    } finally {
      sql.end({ timeout: 0 }).catch(() => undefined);
    }
  };
  const running = (async () => {
    while (!state.isOver)
      for (const node of cluster.nodes) {
        await write(node.url("svc")).catch(() => undefined);
        // The node may be a standby: only without one that accepts writes is it an outage.
        state.hasFailed ||= performance.now() - (moments.at(-1) ?? 0) > 200;
        await sleep(20);
      }
  })();
  return {
    moments,
    outages: () => state.outages,
    async stop() {
      state.isOver = true;
      await running;
    },
  };
}

async function inTime<T>(work: PromiseLike<T>, ms = 1000): Promise<T> {
  const late = sleep(ms).then(() => Promise.reject(new Error("late")));
  return Promise.race([work, late]);
}

/** The longest time without a moment, of those that ended after `since`, and when it ended. */
export function gap(moments: Moments, since: number): { readonly ms: number; readonly end: number } {
  let longest = { ms: 0, end: since };
  moments.forEach((moment, n) => {
    const before = moments[n - 1] ?? moment;
    if (moment > since && moment - before > longest.ms) longest = { ms: moment - before, end: moment };
  });
  return longest;
}

/** The most connections of a role there were at a time, by the name that they give. */
export function watchConnections(
  cluster: Patroni,
  role: string,
): { readonly most: Record<string, number>; stop(): Promise<void> } {
  const state = { isOver: false };
  const most: Record<string, number> = {};
  const look = async (url: string): Promise<void> => {
    const sql = postgres(url, { max: 1, connect_timeout: 1, fetch_types: false, onnotice: () => {} });
    try {
      while (!state.isOver) {
        const rows = await inTime(
          sql`SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity WHERE usename = ${role} GROUP BY 1`,
        );
        for (const { name, count } of rows as unknown as { name: string; count: number }[])
          most[name] = Math.max(most[name] ?? 0, count);
        await sleep(200);
      }
    } finally {
      sql.end({ timeout: 0 }).catch(() => undefined);
    }
  };
  const running = cluster.nodes.map(async (node) => {
    while (!state.isOver) {
      await look(node.url("svc")).catch(() => undefined);
      await sleep(200);
    }
  });
  return {
    most,
    async stop() {
      state.isOver = true;
      await Promise.all(running);
    },
  };
}
