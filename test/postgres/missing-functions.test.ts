// Below the faces: the functions of the schema are a table of its own.

import { expect, it } from "vitest";
import { MIGRATIONS } from "../../src/server/store/postgres/schema.ts";
import { runCli } from "../_cli.ts";
import { A, arrival, people } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

const OWN_FUNCTIONS = `SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE pronamespace = 'svc'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e') ORDER BY 1`;
const OWN_TRIGGERS = `SELECT tgname || ' of ' || tgrelid::regclass AS name FROM pg_trigger
  WHERE tgrelid::regclass::text LIKE 'svc.%' AND NOT tgisinternal ORDER BY 1`;

/** Its functions and triggers. */
async function routines(url: string): Promise<string[]> {
  const sql = admin(url);
  const rows = [...(await sql.unsafe(OWN_FUNCTIONS)), ...(await sql.unsafe(OWN_TRIGGERS))];
  return rows.map((row) => row["name"] as string);
}

const svc = (url: string, ...argv: string[]): ReturnType<typeof runCli> => runCli(argv, { env: { SVC_STORE: url } });

it("PostgreSQL: a function that was dropped makes a server not ready, and svc store migrate puts it back", async () => {
  const url = await createDatabase();
  const store = await open(url);
  await store.seed(people());
  await execute(url, "DROP FUNCTION svc.complete_sign_in");
  await expect(store.completeSignIn(arrival({ uid: "ada" }))).rejects.toThrow("Run: svc store migrate");
  await expect(store.probe()).rejects.toThrow(/ lacks svc\.complete_sign_in\(.*\)\. Run: svc store migrate$/);
  const checked = await svc(url, "store", "check");
  expect([checked.code, checked.stdout + checked.stderr]).toEqual([
    1,
    expect.stringMatching(/The store lacks svc\.complete_sign_in\(.*\)\. Run: svc store migrate/),
  ]);
  const migrated = await svc(url, "store", "migrate");
  expect([migrated.code, migrated.stderr]).toEqual([
    0,
    expect.stringMatching(/: put back svc\.complete_sign_in\(.*\)\. It has version \d+ already\./),
  ]);
  await store.probe();
  await store.completeSignIn(arrival({ uid: "ada" }));
  expect((await svc(url, "store", "check")).code).toBe(0);
});

it("PostgreSQL: a start puts back every function and trigger that was dropped, and says so", async () => {
  const url = await createDatabase();
  await (await open(url)).close();
  const before = await routines(url);
  expect(before.length).toBe(10);
  for (const name of before.slice(0, 5)) await execute(url, `DROP FUNCTION ${name} CASCADE`);
  const warnings: string[] = [];
  await open(url, warnings);
  expect(await routines(url)).toEqual(before);
  const said = warnings.filter((text) => text.includes("put back"));
  expect(said.length).toBe(1);
  for (const name of ["svc.save_state", "svc.note_revision()", "the trigger time_added of svc.sessions"])
    expect(said[0]).toContain(name);
});

it("PostgreSQL: a server of the version before starts on the newer schema, and warns", async () => {
  const url = await createDatabase();
  const first = await open(url);
  await first.seed(people());
  const next = MIGRATIONS.length + 1;
  await execute(
    url,
    `ALTER TABLE svc.users ADD COLUMN later text;
     INSERT INTO svc.migrations (version, oldest) VALUES (${next}, ${MIGRATIONS.length})`,
  );
  const warnings: string[] = [];
  const again = await open(url, warnings);
  await again.completeSignIn(arrival({ uid: "new" }));
  expect((await again.counts()).users).toBe((await first.counts()).users);
  expect(await again.findUser(A, "none")).toBeUndefined();
  expect(warnings).toContainEqual(
    expect.stringContaining(`has the schema version ${next} of a newer svc, which this one may serve.`),
  );
  // A copy would leave the new column out.
  for (const command of ["check", "migrate"])
    expect((await svc(url, "store", command)).stderr).toContain("created by a newer svc");
  await execute(url, `UPDATE svc.migrations SET oldest = ${next} WHERE version = ${next}`);
  await expect(open(url)).rejects.toThrow("created by a newer svc");
});
