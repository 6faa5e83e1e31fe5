import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { migratePostgres } from "../../src/server/store/postgres/migrate.ts";
import { openPostgresTarget } from "../../src/server/store/postgres/transfer.ts";
import { A, arrival, people } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

/** What a store of schema version 1 brought sign-ins into line with. */
const LOCKS_OF_VERSION_1 = `
  PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', instance, provider_name, provider_uid), 7821));
  PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', instance, folded_email), 7822));`;

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

async function functionText(url: string): Promise<string> {
  const [row] = await admin(url).unsafe(
    "SELECT pg_get_functiondef('svc.complete_sign_in'::regproc) AS text, (SELECT max(version) FROM svc.migrations) AS version",
  );
  return `${row!["version"] as number} ${row!["text"] as string}`;
}

/** Makes the store what version 1 of the schema was. */
async function downgrade(url: string): Promise<void> {
  const text = (await functionText(url)).replace(/^\d+ /, "").replace("\nBEGIN", `\nBEGIN${LOCKS_OF_VERSION_1}`);
  expect(text).toContain("7822");
  await execute(url, `${text}; DELETE FROM svc.migrations WHERE version > 1`);
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

it("PostgreSQL: a store of schema version 1 loses its advisory locks at the next start", async () => {
  const url = await createDatabase();
  const first = await open(url);
  await first.seed(people());
  await downgrade(url);
  const warnings: string[] = [];
  const store = await open(url, warnings);
  expect(warnings).toContainEqual(expect.stringMatching(/: updated the schema from version 1, version \d+\.$/));
  expect(await functionText(url)).toMatch(/^2 /);
  expect(await functionText(url)).not.toContain("advisory");
  // A process that was started before then signs in on.
  for (const own of [first, store]) await own.completeSignIn(arrival({ uid: "new" }));
  expect(await store.instances()).toHaveLength(2);
});

it("PostgreSQL: a role that may not update a store of schema version 1 is told who may", async () => {
  const url = await createDatabase();
  await migratePostgres(url);
  await downgrade(url);
  const own = new URL(await holdLocks(url, "1"));
  await execute(
    url,
    `GRANT USAGE ON SCHEMA svc TO ${own.username};
     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA svc TO ${own.username};
     REVOKE INSERT, UPDATE, DELETE ON svc.migrations FROM ${own.username}`,
  );
  onTestFinished(() => execute(url, `DROP OWNED BY ${own.username}`));
  await expect(open(own.href)).rejects.toThrow("Have the owner of the database run svc store migrate once.");
  await migratePostgres(url);
  expect(await (await open(own.href)).instances()).toEqual([]);
});
