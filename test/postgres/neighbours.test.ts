// Below the faces: another role holds locks meanwhile, for single operations.

import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { migratePostgres } from "../../src/server/store/postgres/migrate.ts";
import { openPostgresTarget } from "../../src/server/store/postgres/transfer.ts";
import { A, arrival, people } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

/** A role that may only connect, and holds advisory locks until the test ends. @returns its address */
async function holdLocks(url: string, ...keys: string[]): Promise<string> {
  const own = new URL(url);
  own.username = `neighbour_${randomBytes(4).toString("hex")}`;
  own.password = "x";
  await execute(url, `CREATE ROLE ${own.username} LOGIN PASSWORD 'x'`);
  onTestFinished(() => execute(url, `DROP ROLE ${own.username}`));
  await admin(own.href).unsafe(`SELECT ${keys.map((key) => `pg_advisory_lock(${key})`).join(", ")}`);
  return own.href;
}

it("T60: a neighbour who may only connect can't make a first start, a seed or a copy wait", async () => {
  const url = await createDatabase();
  await holdLocks(url, "7820, 0", "7820, 1");
  const warnings: string[] = [];
  const store = await open(url, warnings);
  await store.seed(people());
  await store.replace(people());
  expect(await store.instances()).toHaveLength(2);
  const empty = await createDatabase();
  await holdLocks(empty, "7820, 0", "7820, 1");
  const target = await openPostgresTarget(empty);
  onTestFinished(() => target.close());
  expect(await target.begin("print")).toBe(0);
  expect(warnings.join()).not.toContain("Waiting");
});

it("T60: a neighbour who may only connect can't make the sign-in of an address fail", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await store.seed(people());
  const { uid, email, provider } = arrival({ uid: "new", email: "new@acme.test" });
  await holdLocks(url, `hashtextextended('${A} ${provider} ${uid}', 7821)`, `hashtextextended('${A} ${email}', 7822)`);
  const { user } = await store.completeSignIn(arrival({ uid, email }));
  expect(user.email).toBe(email);
});

it("T60: a neighbour who may only connect can lock nothing of the store's", async () => {
  const url = await createDatabase();
  await migratePostgres(url);
  const neighbour = admin(await holdLocks(url, "1"));
  for (const text of ["LOCK TABLE svc.migrations", "SELECT FROM svc.users FOR SHARE", "CREATE SCHEMA svc2"])
    await expect(neighbour.begin((sql) => sql.unsafe(text))).rejects.toThrow("permission denied");
});
