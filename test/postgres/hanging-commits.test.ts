import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { people, state } from "../store/_records.ts";
import { admin, execute, startCluster } from "./_postgres.ts";
import { open } from "./_store.ts";

const POOL_SIZE = 4;
/** One more looks whether commits hang. */
const MOST = POOL_SIZE + 1;

it("PostgreSQL: commits that wait for a missing standby keep their connections, and svc opens no others", async () => {
  const cluster = await startCluster();
  const url = cluster.url("postgres");
  const warnings: string[] = [];
  const store = await open(`${url}?pool_size=${POOL_SIZE}&statement_timeout=2`, warnings);
  await store.seed(people());
  const standbys = async (names: string): Promise<void> => {
    await execute(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await execute(url, "SELECT pg_reload_conf()");
  };
  const sql = admin(url);
  const connections = async (): Promise<number> => {
    const rows = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'svc'";
    return (await sql.unsafe(rows))[0]!["n"] as number;
  };
  await standbys("absent");

  // Far more than there are connections, and each is given up long before its commit ends.
  let n = 0;
  let most = 0;
  const reasons = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const saved = Array.from({ length: 3 * POOL_SIZE }, () => store.saveState(state(n++)));
    for (const outcome of await Promise.allSettled(saved))
      reasons.add(outcome.status === "fulfilled" ? "saved" : String(outcome.reason));
    most = Math.max(most, await connections());
  }
  expect([...reasons]).not.toContain("saved");
  expect([...reasons].at(-1)).toMatch(/commits? waits? for the synchronous standby, which does not answer/);
  await expect(store.probe()).rejects.toThrow(/commits? waits? for the synchronous standby/);
  expect(store.hangingCommits?.()).toBeGreaterThan(0);
  await delay(1000);
  expect(Math.max(most, await connections())).toBeLessThanOrEqual(MOST);

  await standbys("");
  await expect.poll(() => store.probe().then(() => "ready"), { timeout: 60_000 }).toBe("ready");
  await store.saveState(state(n));
  expect(await connections()).toBeLessThanOrEqual(MOST);
  expect(warnings.at(-1)).toMatch(/is available again\.$/);
}, 240_000);
