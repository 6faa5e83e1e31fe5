// Below the faces: a copy is interrupted at a known record.

import { describe, expect, it, onTestFinished } from "vitest";
import { MIGRATIONS } from "../../src/server/store/postgres/schema.ts";
import { checkPostgres } from "../../src/server/store/postgres/check.ts";
import { openPostgresSource, openPostgresTarget } from "../../src/server/store/postgres/transfer.ts";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { MOVED_NAMES, type Entry } from "../../src/server/store/records.ts";
import { runCli } from "../_cli.ts";
import { A, arrival, id, people, sessionId, state } from "../store/_records.ts";
import { createDatabase, execute } from "./_postgres.ts";
import { open, awaitServer } from "./_store.ts";

awaitServer();

/** Moves a session away from its user, as a restore without triggers can. */
const orphan = (n: number): string =>
  `SET session_replication_role = replica;
   UPDATE svc.sessions SET instance_id = 'elsewhere' WHERE id = '${id(n)}';
   UPDATE svc.session_times SET instance_id = 'elsewhere' WHERE id = '${id(n)}'`;

describe("Moving a store to PostgreSQL", () => {
  const entriesOf = async (url: string): Promise<Entry[]> => {
    const source = await openPostgresSource(url);
    const found: Entry[] = [];
    for await (const batch of source.entries()) found.push(...batch);
    await source.close();
    return found;
  };
  const filled = async (): Promise<string> => {
    const url = await createDatabase();
    const store = await open(url);
    await store.seed(people());
    await store.completeSignIn(arrival({ uid: "new" }));
    await store.saveState(state(1));
    return url;
  };

  it("reads a consistent snapshot, twice alike, table by table and without states", async () => {
    const url = await filled();
    const source = await openPostgresSource(url);
    const store = await open(url);
    const read = async (): Promise<Entry[]> => {
      const found: Entry[] = [];
      for await (const batch of source.entries()) found.push(...batch);
      return found;
    };
    const before = await read();
    await store.deleteUser(A, id(1));
    await store.completeSignIn(arrival({ uid: "later" }));
    expect(await read()).toEqual(before);
    expect([...new Set(before.map(([name]) => name))]).toEqual(MOVED_NAMES);
    const plain = openMemoryStore();
    const { instances, users, identities, sessions, personas } = people();
    await plain.seed({ instances, users, identities, sessions, personas });
    expect(
      before
        .filter(([name]) => name === "users")
        .map(([, record]) => record)
        .slice(0, 4),
    ).toEqual(users);
    expect(before.filter(([name]) => name === "personas").map(([, record]) => record)).toEqual(personas);
    await source.close();
  });

  it("fills an empty database, also after an interruption, and is no store until the end", async () => {
    const entries = await entriesOf(await filled());
    const url = await createDatabase();
    const first = await openPostgresTarget(url);
    expect(await first.begin("print")).toBe(0);
    await first.put(entries.slice(0, 5));
    await first.put(entries.slice(5, 8));
    await expect(openPostgresTarget(url)).rejects.toMatchObject({ name: "StoreRefused", reason: "locked" });
    await first.close();
    await expect(open(url)).rejects.toThrow("is incomplete");
    await expect(openPostgresSource(url)).rejects.toThrow("is itself incomplete");
    expect((await checkPostgres(url)).damage).toEqual([expect.stringContaining("incomplete")]);
    const second = await openPostgresTarget(url);
    expect(await second.begin("print")).toBe(8);
    await second.put(entries.slice(8));
    await second.finish();
    await second.close();
    expect(await entriesOf(url)).toEqual(entries);
    expect((await checkPostgres(url)).damage).toEqual([]);
  });

  it("starts over with other content and overwrites no store", async () => {
    const entries = await entriesOf(await filled());
    const url = await createDatabase();
    const first = await openPostgresTarget(url);
    await first.begin("print");
    await first.put(entries.slice(0, 5));
    expect(await first.begin("another print")).toBe(0);
    await first.put(entries);
    await first.finish();
    await expect(first.begin("print")).rejects.toThrow(/already contains a store, which is never overwritten/);
    await first.close();
    expect(await entriesOf(url)).toEqual(entries);
  });

  it.each([
    ["U+0000", "a\u0000b"],
    ["half a surrogate pair", "a\ud800b"],
  ])("names the record that has %s, which PostgreSQL can't store", async (_, name) => {
    const target = await openPostgresTarget(await createDatabase());
    onTestFinished(() => target.close());
    await target.begin("print");
    const { instances, users } = people();
    await target.put(instances.map((record): Entry => ["instances", record]));
    const written = users.map((user, n): Entry => ["users", n === 1 ? { ...user, name } : user]);
    await expect(target.put(written)).rejects.toThrow(
      new RegExp(`can't store ${users[1]!.id} of the users: .*Correct or delete that record in the source`),
    );
  });

  it("says how to continue when the database was lost", async () => {
    const url = await createDatabase();
    const target = await openPostgresTarget(url);
    onTestFinished(() => target.close());
    await target.begin("print");
    await execute(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc' AND datname = current_database()",
    );
    await expect(target.put([])).rejects.toThrow(/To continue, run the same command again\.$/);
  });

  it("refuses to read a database without a store", async () => {
    const url = await createDatabase();
    await expect(openPostgresSource(url)).rejects.toThrow(/contains no store\.$/);
    await expect(checkPostgres(url)).rejects.toThrow(/contains no store\.$/);
  });

  it("finds nothing wrong with a sound store and names manual changes", async () => {
    const url = await filled();
    const { kind, tables, damage, dangling } = await checkPostgres(url);
    expect({ kind, tables, damage, dangling }).toEqual({
      kind: `postgres, schema ${MIGRATIONS.length}`,
      damage: [],
      dangling: [],
      tables: { settings: 0, instances: 2, personas: 2, users: 5, identities: 5, sessions: 5, states: 1 },
    });
    await execute(url, `UPDATE svc.users SET name = 'Countess' WHERE id = '${id(1)}'`);
    await execute(url, orphan(24));
    const changed = await checkPostgres(url);
    expect(changed.dangling).toEqual([`sessions: ${id(24)} belongs to a missing user.`]);
    expect(changed.damage).toEqual([`users: ${id(1)} can't be found by its name: name_folded is out of date.`]);
  });

  it.each([
    ["identities", "provider", `UPDATE svc.identities SET provider = 'facebook' WHERE id = '${id(11)}'`, id(11)],
    ["instances", "secret_key", `UPDATE svc.instances SET secret_key = 'sk_x' WHERE id = '${A}'`, A],
    ["instances", "redirect_uris", `UPDATE svc.instances SET redirect_uris = 'null' WHERE id = '${A}'`, A],
    ["users", "created_at", `UPDATE svc.users SET created_at = 'infinity' WHERE id = '${id(1)}'`, id(1)],
    ["users", "updated_at", `UPDATE svc.users SET updated_at = '12026-01-01' WHERE id = '${id(1)}'`, id(1)],
    [
      "sessions",
      "logged_in_at",
      `UPDATE svc.sessions SET logged_in_at = '0002-01-01 BC' WHERE id = '${id(21)}'`,
      sessionId(21),
    ],
  ])("finds %s whose %s no import takes, and never exports it", async (table, column, statement, key) => {
    const url = await filled();
    await execute(url, statement);
    const fault = `${table} ${key}: its ${column} is not valid`;
    expect((await checkPostgres(url)).damage).toEqual([`${fault}.`]);
    const result = await runCli(["store", "export"], { env: { SVC_STORE: url } });
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(fault);
    expect(`${result.stdout}${result.stderr}`).not.toMatch(/sk_x|facebook/);
  });

  it("says how to correct them", async () => {
    const url = await filled();
    await execute(url, `UPDATE svc.users SET name = 'Countess' WHERE id = '${id(1)}'`);
    const check = async (SVC_STORE: string) => runCli(["store", "check"], { env: { SVC_STORE } });
    const changed = await check(url);
    expect([changed.code, changed.stderr]).toEqual([
      1,
      "To write such a column again, copy the store into an empty database: svc store copy\n",
    ]);
    const again = await createDatabase();
    expect((await runCli(["store", "copy", url, again])).code).toBe(0);
    expect(await check(again)).toMatchObject({ code: 0, stderr: "" });
    await execute(url, `UPDATE svc.users SET name = name_folded; ${orphan(24)}`);
    expect(await check(url)).toMatchObject({ code: 1, stderr: "To drop such a row, delete it with SQL.\n" });
    const refused = await runCli(["store", "export"], { env: { SVC_STORE: url } });
    expect([refused.code, refused.stderr]).toEqual([
      9,
      expect.stringContaining("svc store check lists all such records. Correct it first, or restore a backup."),
    ]);
  });
});
