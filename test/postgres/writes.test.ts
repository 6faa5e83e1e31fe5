// Below the faces: PostgreSQL's counters tell what one write changed.

import { expect, it } from "vitest";
import { driverOf } from "../../src/server/store/move/index.ts";
import { changeSetting } from "../../src/server/store/settings.ts";
import { all, A, arrival, id, people, sessionId } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

it("A repeated sign-in changes no index of users, identities and sessions", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await store.seed(people());
  const renewals = 20;
  for (let n = 0; n <= renewals; n++) await store.completeSignIn(arrival({ uid: "ada", time: 1000 + n }));
  const sql = admin(url);
  const updates = async (): Promise<unknown> => {
    const rows = await sql.unsafe(
      `SELECT relname AS name, n_tup_upd::int AS updates, n_tup_upd::int - n_tup_hot_upd::int AS indexed
       FROM pg_stat_user_tables WHERE schemaname = 'svc' AND relname IN ('users', 'identities', 'sessions') ORDER BY 1`,
    );
    return rows.map(({ name, updates: count, indexed }) => [name, count, indexed]);
  };
  // The server counts them a little later.
  await expect.poll(updates, { timeout: 30_000 }).toEqual([
    ["identities", renewals + 1, 0],
    ["sessions", renewals + 1, 0],
    ["users", renewals + 1, 0],
  ]);
  expect((await all(store.sessions(A, {}))).map(({ id: own }) => own)).toEqual([21, 23, 22].map(id));
});

it("Connections that planned for an empty database find rows by their keys once it has grown", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await store.seed(people());
  for (let round = 0; round < 100; round++)
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => store.completeSignIn(arrival({ uid: `new-${round}-${n}` }))),
    );
  // Connections report what they read when they end.
  await store.close();
  const sql = admin(url);
  const scans = async (): Promise<Record<string, number>> => {
    const rows = await sql.unsafe("SELECT indexrelname AS name, idx_scan::int AS scans FROM pg_stat_user_indexes");
    return Object.fromEntries(rows.map(({ name, scans: count }) => [name as string, count as number]));
  };
  await expect.poll(async () => (await scans())["session_times_pkey"]).toBeGreaterThanOrEqual(1000);
  const { users_pkey, identities_uid, sessions_pkey } = await scans();
  for (const count of [users_pkey, identities_uid, sessions_pkey]) expect(count).toBeGreaterThan(100);
});

it("The revision changes with instances, personas and settings, also by hand, and with nothing else", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await store.seed(people());
  const seen = [await store.revision!()];
  await store.completeSignIn(arrival({ uid: "new" }));
  await store.deleteUser(A, id(2));
  expect(await store.revision!()).toBe(seen[0]);
  for (const change of [
    () => changeSetting(store, "clock", () => ({ mode: "real" })),
    () => execute(url, "UPDATE svc.instances SET name = 'By hand'"),
    () => execute(url, "DELETE FROM svc.personas"),
    () => execute(url, "TRUNCATE svc.settings"),
    () => store.replace(people()),
  ]) {
    await change();
    seen.push(await store.revision!());
  }
  expect(new Set(seen).size).toBe(seen.length);
});

it("Sessions whose place in the list is lost or wrong are damage, and the statement that is named repairs them", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await store.seed(people());
  const before = await all(store.sessions(A, {}));
  await execute(url, "ALTER TABLE svc.sessions DISABLE TRIGGER USER");
  await execute(url, `UPDATE svc.sessions SET last_signin_at = now() WHERE session_id = '${sessionId(21)}'`);
  await execute(url, "ALTER TABLE svc.sessions ENABLE TRIGGER USER");
  await execute(url, `DELETE FROM svc.session_times WHERE id = '${id(22)}'`);
  const { damage } = await driverOf(url).check();
  expect(damage).toEqual([expect.stringContaining("lists miss 2, or have them in a wrong place. Run: ")]);
  await execute(url, damage[0]!.split("Run: ")[1]!);
  expect((await driverOf(url).check()).damage).toEqual([]);
  expect(await all(store.sessions(A, {}))).toHaveLength(before.length);
});

it("A count beyond 100,000 is PostgreSQL's estimate, and others are exact", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await store.seed(people());
  await execute(url, "ANALYZE svc.users; UPDATE pg_class SET reltuples = 250000 WHERE oid = 'svc.users'::regclass");
  await execute(url, "UPDATE pg_class SET reltuples = 90000 WHERE oid = 'svc.sessions'::regclass");
  expect(await store.counts()).toMatchObject({ users: 250_000, sessions: 4, instances: 2, states: 0 });
  expect(store.maxCounted).toBe(100_000);
});
