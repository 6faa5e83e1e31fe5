import { expect, it } from "vitest";
import { A, at, B, state } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { open } from "./_store.ts";

it("PostgreSQL: the oldest of too many outstanding sign-ins are dropped without waiting for locked rows", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await execute(
    url,
    `INSERT INTO svc.states (state, instance_id, provider, redirect_uri, created_at, expires_at)
     SELECT lpad(to_hex(n), 64, '0'), '${A}', 'google', 'http://localhost:3000/callback', '${at(0)}', '${at(600)}'
     FROM generate_series(1, 53000) AS n`,
  );
  await store.saveState(state(0, { instance_id: B }));
  // A callback, or another server, has locked the oldest one.
  const sql = admin(url);
  await sql.unsafe(`BEGIN; SELECT FROM svc.states WHERE state = '${state(1).state}' FOR UPDATE`);
  await Promise.all(Array.from({ length: 256 }, (_, n) => store.saveState(state(100_000 + n))));
  await sql.unsafe("COMMIT");
  const [row] = await sql.unsafe(`SELECT count(*)::int AS n FROM svc.states WHERE instance_id = '${A}'`);
  // All except that one and those saved after the last check.
  expect(row!["n"]).toBeLessThanOrEqual(50_000 + 1 + 128);
  expect(await store.find("states", state(1).state)).toEqual(state(1, { created_at: at(0), expires_at: at(600) }));
  expect(await store.find("states", state(2).state)).toBeUndefined();
  expect(await store.find("states", state(0).state)).toEqual(state(0, { instance_id: B }));
});

it("PostgreSQL: expired sign-ins are looked for every ten seconds, not at each start", async () => {
  const url = await createDatabase();
  const store = await open(url);
  const begin = (n: number, seconds: number): Promise<void> =>
    store.saveState(state(n, { created_at: at(seconds), expires_at: at(seconds + 600) }));
  const sql = admin(url);
  const left = async (): Promise<number[]> =>
    (await sql.unsafe("SELECT state FROM svc.states ORDER BY position")).map(({ state: hex }) => Number(`0x${hex}`));

  await begin(1, 0);
  await begin(2, 5);
  await begin(3, 602);
  expect(await left()).toEqual([2, 3]);
  await begin(4, 611);
  expect(await left()).toEqual([2, 3, 4]);
  await begin(5, 612);
  expect(await left()).toEqual([3, 4, 5]);
  // A clock that was set back does not end the looking.
  await begin(6, 1300);
  await begin(7, 0);
  await begin(8, 605);
  expect(await left()).toEqual([6, 7, 8]);
  await sql.unsafe(`DELETE FROM svc.states WHERE state = '${state(6).state}'`);
  await begin(9, 616);
  expect(await left()).toEqual([8, 9]);
});
