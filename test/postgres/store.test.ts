// Below the faces: a refused start is asked for its reason, which a command adds words to.

import { describe, expect, it } from "vitest";
import { displayName } from "../../src/server/providers/provider.ts";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { checkPostgres } from "../../src/server/store/postgres/check.ts";
import { MIGRATIONS } from "../../src/server/store/postgres/schema.ts";
import { migratePostgres } from "../../src/server/store/postgres/migrate.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { runCli, type CliResult } from "../_cli.ts";
import { A, all, arrival, id, people, records, state, takeState } from "../store/_records.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { open, awaitServer } from "./_store.ts";

awaitServer();

/** A role that may use existing objects and create none. */
async function guest(url: string): Promise<string> {
  const name = `guest_${new URL(url).pathname.slice(-6)}`;
  await execute(
    url,
    `CREATE ROLE ${name} LOGIN PASSWORD 'guest';
     REVOKE CREATE ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC, ${name}`,
  );
  const own = new URL(url);
  own.username = name;
  own.password = "guest";
  return own.href;
}

/** Everything in the schema, as text. */
async function schemaOf(url: string): Promise<string> {
  const rows = await admin(url).unsafe(
    `SELECT table_name || '.' || column_name || ' ' || data_type AS line FROM information_schema.columns WHERE table_schema = 'svc'
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'svc'
     UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'svc'::regnamespace AND proname LIKE '%sign_in%'
     UNION ALL SELECT 'version ' || version FROM svc.migrations ORDER BY 1`,
  );
  return rows.map((row) => row["line"] as string).join("\n");
}

describe("Opening a PostgreSQL store", () => {
  it("creates the schema and reports that once", async () => {
    const url = await createDatabase();
    const warnings: string[] = [];
    await open(url, warnings);
    await open(url, warnings);
    expect(warnings.filter((text) => text.includes("schema"))).toEqual([
      expect.stringMatching(/^postgres:\/\/.*: created the schema svc, version \d+\.$/),
    ]);
    expect(warnings.join()).not.toContain(new URL(url).password);
  });

  it("is reported with its address, without the password", async () => {
    const url = new URL(await createDatabase());
    const store = await open(url.href);
    expect(store.location).toBe(`postgres://${url.username}@${url.host}${url.pathname}`);
  });

  it.each<[string, "unavailable" | "unusable", (url: URL) => void, RegExp]>([
    [
      "a wrong password",
      "unusable",
      (url) => void (url.password = "geheim"),
      /password authentication failed.*PGPASSWORD/,
    ],
    [
      "a missing database",
      "unusable",
      (url) => void (url.pathname = "/nowhere"),
      /"nowhere" does not exist\. Create it with/,
    ],
    [
      "a port without a server",
      "unavailable",
      (url) => void (url.port = "1"),
      /ECONNREFUSED.*Is PostgreSQL running there\?/,
    ],
    [
      "an unknown host",
      "unavailable",
      (url) => void (url.hostname = "nowhere.invalid"),
      /Check the host name in the address/,
    ],
  ])("is refused with %s, with advice and without the password", async (_, reason, change, message) => {
    const url = new URL(await createDatabase());
    change(url);
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    const error = await openPostgresStore(url.href, { warn }).catch((refusal: Error) => refusal);
    expect(warnings).toEqual([]);
    expect(error).toMatchObject({
      name: "StoreRefused",
      reason,
      message: expect.stringMatching(message) as string,
    });
    expect((error as Error).message).not.toContain(url.password);
  });

  it("is refused with the schema of a newer svc, which stays unchanged", async () => {
    const url = await createDatabase();
    await (await open(url)).close();
    await execute(url, "INSERT INTO svc.migrations (version) VALUES (99)");
    await expect(open(url)).rejects.toThrow(
      `schema version 99, created by a newer svc; this one supports ${MIGRATIONS.length}. Use the newer svc.`,
    );
    await expect(migratePostgres(url)).rejects.toThrow("created by a newer svc");
  });

  it("is refused with an encoding other than UTF-8", async () => {
    const url = await createDatabase("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    await expect(open(url)).rejects.toThrow(/has the encoding LATIN1\. Create it with: createdb --encoding=UTF8/);
  });

  it("needs the right to create a schema once, and names the command that helps", async () => {
    const url = await createDatabase();
    const theirs = await guest(url);
    await expect(open(theirs)).rejects.toThrow(/permission denied.*svc store migrate/);
    const outcome = await migratePostgres(url);
    expect(outcome).toMatchObject({ from: 0, to: MIGRATIONS.length, trigrams: true });
    const { username } = new URL(theirs);
    await execute(
      url,
      `GRANT USAGE ON SCHEMA svc TO ${username};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA svc TO ${username};
       GRANT USAGE ON ALL SEQUENCES IN SCHEMA svc TO ${username};
       REVOKE INSERT, UPDATE, DELETE ON svc.migrations FROM ${username}`,
    );
    const store = await open(theirs);
    await store.seed(people());
    await store.completeSignIn(arrival({ uid: "new" }));
    await store.saveState(state(1));
    expect(await takeState(store, state(1).state)).toEqual(state(1));
    expect(await store.deleteUser(A, id(1))).toBe(true);
    await store.replace(people());
  });

  it("works without pg_trgm, reports that, and finds the same", async () => {
    const url = await createDatabase();
    await migratePostgres(url);
    await execute(url, "DROP EXTENSION pg_trgm CASCADE");
    const warnings: string[] = [];
    const store = await open(url, warnings);
    expect(warnings.join()).toMatch(/pg_trgm is missing.*svc store migrate/);
    await store.seed(people());
    const found = await all(store.users(A, { query: parseQuery("name:*lovel*", USER_FIELDS) }));
    expect(found?.map((view) => view.user.id)).toEqual([id(1)]);
    expect((await checkPostgres(url)).notes).toHaveLength(1);
    const migrated = (): Promise<CliResult> => runCli(["store", "migrate"], { env: { SVC_STORE: url } });
    expect(await migrated()).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/: created the missing indexes\. It has version \d+ already\.\n$/),
    });
    expect((await migrated()).stderr).toMatch(/ has version \d+: nothing to do\.\n$/);
    const json = await runCli(["store", "migrate", "--json"], { env: { SVC_STORE: url } });
    expect(JSON.parse(json.stdout)).toMatchObject({ trigrams: true, indexed: false });
    expect((await checkPostgres(url)).notes).toEqual([]);
  });

  it("is prepared by svc store migrate, which reports it", async () => {
    const SVC_STORE = await createDatabase();
    const { stderr } = await runCli(["store", "migrate"], { env: { SVC_STORE } });
    expect(stderr).toMatch(/: created the schema svc, version \d+\.\n$/);
  });

  it("creates one schema in a race", async () => {
    const expected = await (async () => {
      const url = await createDatabase();
      await migratePostgres(url);
      return schemaOf(url);
    })();
    for (let round = 0; round < Number(process.env["SVC_RACES"] ?? 3); round++) {
      const url = await createDatabase();
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => migratePostgres(url)));
      expect(outcomes.filter(({ from }) => from === 0)).toHaveLength(1);
      expect(await schemaOf(url)).toBe(expected);
    }
  }, 300_000);

  it("is durable, whatever the database's settings", async () => {
    const url = await createDatabase();
    await execute(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const store = await open(url);
    await store.seed(records());
    // As a statement on the store's own connection sees it.
    await execute(
      url,
      "CREATE FUNCTION svc.seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', current_setting('synchronous_commit'); END $$; CREATE TRIGGER seen BEFORE INSERT ON svc.states FOR EACH ROW EXECUTE FUNCTION svc.seen()",
    );
    await expect(store.saveState(state(1))).rejects.toThrow(/^on$|: on$/);
  });
});

describe("Text that PostgreSQL cannot store", () => {
  it.each(["\0", "\ud800", "x\udc00"])("is refused in a seed with its path: %j", (text) => {
    const seed = { instances: [{ name: "Acme", subdomain: "acme", users: [{ email: "a@b.test", name: `A${text}` }] }] };
    expect(() => parseSeed(JSON.stringify(seed), "seed", new Date())).toThrow(
      "instances[0].users[0].name: must not contain U+0000 or half of a surrogate pair",
    );
  });

  it("is removed from a provider's name, also when cut within a character", () => {
    expect(displayName("A\0da", "x")).toBe("Ada");
    expect(displayName("\0", "x")).toBe("x");
    expect(displayName(`${"a".repeat(255)}😀`, "x")).toBe(`${"a".repeat(255)}\ufffd`);
  });

  it("is never found by a search", async () => {
    const store = await open(await createDatabase());
    await store.seed(people());
    expect(await store.findUser(A, "\0")).toBeUndefined();
    expect(await store.find("sessions", { instance_id: A, id: "\0" })).toBeUndefined();
    expect(await store.claimState("\0")).toBeUndefined();
    expect(await store.deleteUser(A, "\0")).toBe(false);
    expect(await all(store.users(A, { query: parseQuery("-name:*\0*", USER_FIELDS) }))).toHaveLength(3);
  });
});
