import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { admin, createDatabase } from "./_postgres.ts";
import { awaitServer, open } from "./_store.ts";

awaitServer();

it("PostgreSQL: a password that changes while svc runs is read again from the password file", async () => {
  const url = await createDatabase();
  const sql = admin(url);
  const role = `svc_role_${randomBytes(4).toString("hex")}`;
  const database = new URL(url).pathname.slice(1);
  await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'first'; ALTER DATABASE ${database} OWNER TO ${role}`);
  onTestFinished(async () => void (await sql.unsafe(`REASSIGN OWNED BY ${role} TO postgres; DROP ROLE ${role}`)));
  const file = join(temporaryDirectory(), "pgpass");
  const write = (password: string): Promise<void> => writeFile(file, `*:*:*:${role}:${password}\n`, { mode: 0o600 });
  await write("first");
  const address = new URL(url);
  Object.assign(address, { username: role, password: "" });
  address.searchParams.set("passfile", file);
  const warnings: string[] = [];
  const store = await open(address.href, warnings);
  warnings.length = 0;

  await sql.unsafe(`ALTER ROLE ${role} PASSWORD 'second'`);
  expect(await store.instances()).toEqual([]);
  await sql.unsafe(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
  const refusal = async (): Promise<string | undefined> =>
    store.instances().then(
      () => undefined,
      (error: unknown) => String(error),
    );
  // The first statements may still find that their connections are gone.
  while (!(await refusal())?.includes("password authentication failed")) await delay(20);
  await write("second");
  while ((await refusal()) !== undefined) await delay(20);
  expect(await store.instances()).toEqual([]);
  expect(warnings.join("\n")).toMatch(/is (still )?unavailable: password authentication failed for user "svc_role_/);
  expect(warnings.at(-1)).toMatch(/ is available again\.$/);
});
