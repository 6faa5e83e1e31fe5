import { expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import type { Store } from "../../src/server/store/store.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { admin, startCluster } from "../postgres/_postgres.ts";
import { A, all, id, people, user } from "../store/_records.ts";

const idsOf = async (store: Store, isFresh = false): Promise<string[]> =>
  (await all(store.users(A, { isFresh }))).map(({ user: { id: own } }) => own);

it("Lists and searches are read from a replica while it keeps up, everything else from the primary", async () => {
  const primary = await startCluster();
  const standby = await primary.startStandby();
  const warnings: string[] = [];
  const address = new URL(primary.url("postgres"));
  address.search = `?search_hosts=127.0.0.1:${standby.port}&search_lag=2&statement_timeout=60&connect_timeout=60`;
  const store = await openPostgresStore(address.href, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  const replica = admin(standby.url("postgres"));
  const reads = async (): Promise<number> => {
    const query =
      "SELECT FROM pg_stat_activity WHERE application_name = 'svc' AND query LIKE '%FROM svc.users AS row%'";
    return (await replica.unsafe(query)).length;
  };

  await store.seed(people());
  await expect.poll(() => idsOf(store), { timeout: 60_000 }).toEqual([3, 2, 1].map(id));
  await expect.poll(async () => (await idsOf(store)) && (await reads()) > 0, { timeout: 60_000 }).toBe(true);

  // While it stands still, lists soon come from the primary, and what is read by id always does.
  await replica.unsafe("SELECT pg_wal_replay_pause()");
  await store.add({ users: [user(50)] });
  await store.deleteUser(A, id(1));
  expect(await store.findUser(A, id(50))).toBeDefined();
  expect(await store.findUser(A, id(1))).toBeUndefined();
  expect(await idsOf(store, true)).toEqual([50, 3, 2].map(id));
  await expect.poll(() => idsOf(store), { timeout: 60_000 }).toEqual([50, 3, 2].map(id));
  await expect
    .poll(() => idsOf(store).then(() => warnings.join()), { timeout: 60_000 })
    .toContain("behind the primary. Lists");
  const query = parseQuery("email:user50@acme.test", USER_FIELDS);
  expect(await all(store.users(A, { query }))).toHaveLength(1);
  await replica.unsafe("SELECT pg_wal_replay_resume()");
  await expect.poll(() => idsOf(store).then(() => warnings.join()), { timeout: 60_000 }).toContain("read there again");

  // One that is gone costs lists nothing but its name in the log.
  await replica.end({ timeout: 0 });
  await standby.control("stop", "-m", "immediate");
  await expect
    .poll(() => idsOf(store).then((ids) => [ids.length, warnings.at(-1)]), { timeout: 60_000 })
    .toEqual([3, expect.stringMatching(/^search_hosts .*Lists and searches are read from the primary\.$/)]);
});
