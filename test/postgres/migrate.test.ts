// Below the faces: an upgrade is held between two of its statements.

import { expect, it, onTestFinished } from "vitest";
import { driverOf } from "../../src/server/store/move/index.ts";
import { openDatabaseAt } from "../../src/server/store/postgres/database/database.ts";
import { migrate, migratePostgres } from "../../src/server/store/postgres/migrate.ts";
import { MIGRATIONS } from "../../src/server/store/postgres/schema.ts";
import type { Store } from "../../src/server/store/store.ts";
import { A, arrival, id, people } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open, patient } from "./_store.ts";

awaitServer();

/** The next version of the schema. */
const NEXT = [...MIGRATIONS, "ALTER TABLE svc.users ADD COLUMN later text"];

async function filled(): Promise<{ url: string; store: Store }> {
  const url = patient(await createDatabase());
  const store = await open(url);
  await store.seed(people());
  return { url: url.replace(/\?.*/, ""), store };
}

function upgrade(url: string, warnings: string[] = [], steps = NEXT): ReturnType<typeof migrate> {
  const database = openDatabaseAt(url, (message) => warnings.push(message));
  onTestFinished(() => database.close());
  return migrate(database, steps);
}

/** A transaction of another program, which has begun with a statement. */
async function transaction(url: string, text: string): Promise<{ end(): Promise<unknown> }> {
  const sql = admin(url);
  await sql.unsafe(`BEGIN; ${text}`);
  return { end: () => sql.unsafe("COMMIT") };
}

const BUILDING = `pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'
  AND state = 'active' AND wait_event_type = 'Lock'`;

function building(url: string): () => Promise<object[]> {
  const sql = admin(url);
  return async () => [...(await sql.unsafe(`SELECT FROM ${BUILDING}`))];
}

it("An upgrade that waits for another one says so, and continues after it", async () => {
  const { url } = await filled();
  const other = await transaction(url, "LOCK TABLE svc.migrations IN SHARE ROW EXCLUSIVE MODE");
  const warnings: string[] = [];
  const upgraded = upgrade(url, warnings);
  await expect.poll(() => warnings, { timeout: 30_000 }).toContainEqual(expect.stringContaining("Waiting for it"));
  await other.end();
  expect(await upgraded).toMatchObject({ from: MIGRATIONS.length, to: NEXT.length });
});

it("An upgrade gives way to a transaction that has its table, so that sign-ins go on, and is done after it", async () => {
  const { url, store } = await filled();
  const other = await transaction(url, "SELECT FROM svc.users");
  const warnings: string[] = [];
  const upgraded = upgrade(url, warnings);
  await expect.poll(() => warnings, { timeout: 30_000 }).toContainEqual(expect.stringContaining("Trying again"));
  for (const uid of ["ada", "new", "newer"]) await store.completeSignIn(arrival({ uid }));
  expect(await store.deleteUser(A, id(2))).toBe(true);
  await other.end();
  expect(await upgraded).toMatchObject({ from: MIGRATIONS.length, to: NEXT.length });
  await store.completeSignIn(arrival({ uid: "newest" }));
  expect(warnings.filter((text) => text.includes("Trying again"))).toHaveLength(1);
});

it("An upgrade by a role that may not do it says who may", async () => {
  const { url } = await filled();
  const own = new URL(url);
  own.username = `app_${own.pathname.slice(1)}`;
  own.password = "x";
  await execute(url, `CREATE ROLE ${own.username} LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA svc TO ${own.username}`);
  await execute(url, `GRANT SELECT ON ALL TABLES IN SCHEMA svc TO ${own.username}`);
  onTestFinished(() => execute(url, `DROP OWNED BY ${own.username}; DROP ROLE ${own.username}`));
  await expect(upgrade(own.href)).rejects.toThrow("Have the owner of the database run svc store migrate once.");
});

it("An index is built while others write, and two builders share the work", async () => {
  const { url, store } = await filled();
  await execute(url, "DROP INDEX svc.sessions_email, svc.users_newest");
  const writer = await transaction(url, "UPDATE svc.sessions SET geo_data = '{}'; UPDATE svc.users SET name = name");
  const built = [upgrade(url, [], [...MIGRATIONS]), upgrade(url, [], [...MIGRATIONS])];
  await expect.poll(building(url), { timeout: 30_000 }).toHaveLength(1);
  // A plain CREATE INDEX would hold up all writers behind it.
  for (const uid of ["new", "newer"]) await store.completeSignIn(arrival({ uid }));
  await writer.end();
  expect((await Promise.all(built)).map(({ indexed }) => indexed).toSorted()).toEqual([false, true]);
  expect((await driverOf(url).check()).notes).toEqual([]);
});

it("An index whose building was interrupted is reported, and built again", async () => {
  const { url } = await filled();
  await execute(url, "DROP INDEX svc.sessions_email");
  const writer = await transaction(url, "UPDATE svc.sessions SET geo_data = '{}'");
  const failed = upgrade(url, [], [...MIGRATIONS]).catch((error: Error) => error.message);
  await expect.poll(building(url), { timeout: 30_000 }).toHaveLength(1);
  await admin(url).unsafe(`SELECT pg_cancel_backend(pid) FROM ${BUILDING}`);
  expect(await failed).toContain("canceling statement");
  await writer.end();

  const warnings: string[] = [];
  await open(url, warnings);
  expect(warnings.join()).toMatch(/the index sessions_email is missing or incomplete\. Run: svc store migrate/);
  expect(await migratePostgres(url)).toMatchObject({ indexed: true });
  expect((await driverOf(url).check()).damage).toEqual([]);
});
