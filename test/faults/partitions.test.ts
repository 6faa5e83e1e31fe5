// Below the faces: a store is checked and copied without a server.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMaintenance, driverOf } from "../../src/server/store/move/index.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { ROOT } from "../_paths.ts";
import { testStore } from "../store/_conformance.ts";
import { A, arrival, contentOf, id, people, user } from "../store/_records.ts";
import { admin, createDatabase, execute } from "../postgres/_postgres.ts";
import { patient, useEmptiedStore } from "../postgres/_store.ts";

const SCRIPT = readFile(join(ROOT, "docs/partition.sql"), "utf8");

/** Partitions a store's tables as the documents say. */
async function partition(url: string): Promise<void> {
  await execute(url, `BEGIN; ${await SCRIPT}; COMMIT`);
  expect(await createMaintenance(() => {}).migrate(url)).toMatchObject({ indexed: true });
}

/** Partitions that lack an index are reported. */
const warn = (message: string): void => expect(message).toContain("fsync=off");

let url: string;
const open = useEmptiedStore(warn, async (created) => {
  url = created;
  await partition(url);
});

testStore("postgres, partitioned by instance", open, { isInOrder: false });

it("A store that is partitioned later keeps its records, checks clean, and says which value is taken", async () => {
  const database = await createDatabase();
  let store = await openPostgresStore(patient(database), { warn: () => {} });
  await store.seed(people());
  await store.completeSignIn(arrival({ uid: "new", n: 50 }));
  const before = await contentOf(store);
  await store.close();
  await partition(database);

  store = await openPostgresStore(patient(database), { warn });
  expect(await contentOf(store)).toEqual(before);
  await expect(store.add({ users: [user(60, { email: "ADA@acme.test" })] })).rejects.toThrow(
    "users.email: another record has the same",
  );
  await expect(store.add({ users: [user(1, { email: "other@acme.test" })] })).rejects.toThrow(
    "users.id: another record has the same",
  );
  await store.close();
  expect(await driverOf(database).check()).toMatchObject({ damage: [], dangling: [], notes: [] });
  expect(await createMaintenance(() => {}).migrate(database)).toMatchObject({ indexed: false });
});

it("A lookup of a user and of its records reads the partition of its instance alone", async () => {
  const sql = admin(url);
  for (const statement of [
    `SELECT FROM svc.users WHERE instance_id = '${A}' AND id = '${id(1)}'`,
    `SELECT FROM svc.identities WHERE instance_id = '${A}' AND provider = 'google' AND uid = 'ada'`,
    `SELECT FROM svc.sessions WHERE instance_id = '${A}' AND user_id = '${id(1)}'`,
  ]) {
    const plan = (await sql.unsafe(`EXPLAIN ${statement}`)).map((row) => String(row["QUERY PLAN"])).join("\n");
    // A bitmap names its partition twice: once for the index, once for the rows.
    expect(new Set(plan.match(/ on (users|identities|sessions)_\d+/g)).size).toBe(1);
  }
});
