import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { people, state } from "../store/_records.ts";
import { admin, execute, startCluster } from "./_postgres.ts";
import { open } from "./_store.ts";

const HANGING = /commits? waits? for the synchronous standby, which does not answer/;
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
  // The server takes the setting over a moment later.
  let n = 0;
  const save = (): Promise<string> => store.saveState(state(n++)).then(() => "saved", String);
  await expect.poll(save, { timeout: 60_000 }).not.toBe("saved");

  // Far more than there are connections, and each is given up long before its commit ends.
  let most = 0;
  const reasons = new Set<string>();
  const isKnown = (): boolean => [...reasons].some((reason) => HANGING.test(reason));
  for (let round = 0; round < 4 || !isKnown(); round++) {
    const saved = Array.from({ length: 3 * POOL_SIZE }, save);
    for (const outcome of await Promise.all(saved)) reasons.add(outcome);
    most = Math.max(most, await connections());
  }
  expect([...reasons]).not.toContain("saved");
  const probed = (): Promise<string> => store.probe().then(() => "ready", String);
  await expect.poll(probed, { timeout: 60_000 }).toMatch(HANGING);
  expect(store.hangingCommits?.()).toBeGreaterThan(0);
  await delay(1000);
  expect(Math.max(most, await connections())).toBeLessThanOrEqual(MOST);

  await standbys("");
  await expect.poll(probed, { timeout: 60_000 }).toBe("ready");
  expect(await save()).toBe("saved");
  expect(await connections()).toBeLessThanOrEqual(MOST);
  expect(warnings.at(-1)).toMatch(/is available again\.$/);
}, 240_000);
