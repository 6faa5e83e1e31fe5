import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { A, all, records, user } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

/** Undefined if the server is too old to have the setting. */
async function databaseWith(setting: string, milliseconds: number): Promise<string | undefined> {
  const url = await createDatabase();
  const [row] = await admin(url).unsafe(`SELECT current_setting('${setting}', true) AS value`);
  if (row!["value"] === null) return undefined;
  await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting} = ${milliseconds}`);
  return url;
}

it("PostgreSQL: an idle_session_timeout of the database does not end svc's connections", async ({ skip }) => {
  const url = (await databaseWith("idle_session_timeout", 2_000)) ?? skip();
  const store = await open(url);
  // Given as it connects: before its first statement it could be idle for too long.
  const sql = admin(`${url}?idle_session_timeout=0`);
  const connections = async (): Promise<readonly unknown[]> =>
    sql.unsafe(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'svc' ORDER BY pid",
    );
  await Promise.all(Array.from({ length: 3 }, () => store.instances()));
  const before = await connections();
  expect(before.length).toBeGreaterThan(0);
  await delay(2_500);
  expect(await connections()).toEqual(before);
});

it("PostgreSQL: a transaction_timeout of the database does not end a long list", async ({ skip }) => {
  const url = (await databaseWith("transaction_timeout", 2_000)) ?? skip();
  const store = await open(url);
  await store.seed(records({ users: Array.from({ length: 1500 }, (_, n) => user(n)) }));
  let count = 0;
  for await (const rows of store.users(A, {})) {
    if (count === 0) await delay(2_500);
    count += rows.length;
  }
  expect(count).toBe(1500);
  expect(await all(store.users(A, { limit: 2 }))).toHaveLength(2);
});
