// Below the faces: each path of a store, through a pool that resets its connections.

import postgres from "postgres";
import { expect, it } from "vitest";
import { parseAddress } from "../../src/server/store/postgres/database/address.ts";
import { localSettings } from "../../src/server/store/postgres/database/connection.ts";
import { checkPostgres } from "../../src/server/store/postgres/check.ts";
import { migratePostgres } from "../../src/server/store/postgres/migrate.ts";
import { MIGRATIONS } from "../../src/server/store/postgres/schema.ts";
import { openPostgresSource, openPostgresTarget } from "../../src/server/store/postgres/transfer.ts";
import type { Entry } from "../../src/server/store/records.ts";
import { USER_FIELDS } from "../../src/wire/search/fields.ts";
import { parseQuery } from "../../src/wire/search/query.ts";
import { A, all, arrival, at, id, people, records, session, state, user, takeState } from "../store/_records.ts";
import { hasPgBouncer, startPgBouncer } from "./_pgbouncer.ts";
import { createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open, patient } from "./_store.ts";

awaitServer();

/** What svc sets for a connection where it can. */
const SETTINGS = Object.fromEntries(
  [...localSettings(parseAddress("postgres://h/db", {}), true).matchAll(/SET LOCAL (\w+) TO '?([^';]*)/g)].map(
    ([, name, value]) => [name!, value!],
  ),
);
const IGNORING = [`ignore_startup_parameters = ${[...Object.keys(SETTINGS), "options"].join(",")}`];

async function acceptsSettings(url: string): Promise<boolean> {
  const client = postgres(url, { max: 1, fetch_types: false, connection: SETTINGS });
  try {
    await client.unsafe("SELECT 1");
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/unsupported startup parameter/);
    return false;
  } finally {
    await client.end();
  }
}

/** What the store's own statements run with, told by a trigger. */
async function settingsDuringWrites(direct: string): Promise<void> {
  await execute(
    direct,
    `CREATE FUNCTION svc.seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION '%; %; %', current_setting('search_path'), current_setting('synchronous_commit'), current_setting('statement_timeout');
     END $$;
     CREATE TRIGGER seen BEFORE DELETE ON svc.users FOR EACH ROW EXECUTE FUNCTION svc.seen()`,
  );
}

it.skipIf(!hasPgBouncer).each<[string, readonly string[]]>([
  ["as it is installed", []],
  ["that ignores the startup parameters it does not know", IGNORING],
])(
  "PgBouncer in transaction mode %s serves everything that a store does",
  async (_, settings) => {
    const direct = await createDatabase();
    const bouncer = await startPgBouncer(direct, settings);
    expect(await acceptsSettings(bouncer.url(direct))).toBe(settings === IGNORING);
    const url = patient(bouncer.url(direct));
    const stores = [await open(url), await open(url)];
    const store = stores[0]!;
    const crowd = Array.from({ length: 2500 }, (__, n) => user(1000 + n));
    const { users, sessions, ...others } = people();
    await store.seed(
      records({
        ...others,
        users: [...users, ...crowd],
        sessions: [...sessions, ...crowd.map((who, n) => session(9000 + n, who))],
      }),
    );
    // 200 sign-ins at once over two stores and five connections: sessions of the server change all the time.
    const arrivals = Array.from({ length: 200 }, (__, n) =>
      stores[n % 2]!.completeSignIn(arrival({ uid: `u${n % 50}`, email: `u${n % 50}@load.test`, time: n })),
    );
    expect(new Set((await Promise.all(arrivals)).map((outcome) => outcome.user.id)).size).toBe(50);
    await Promise.all(Array.from({ length: 50 }, (__, n) => stores[n % 2]!.saveState(state(n))));
    expect(
      await Promise.all(Array.from({ length: 50 }, (__, n) => takeState(stores[(n + 1) % 2]!, state(n).state))),
    ).toEqual(Array.from({ length: 50 }, (__, n) => state(n)));
    expect((await all(store.users(A, {}))).length).toBeGreaterThan(2500);
    const found = await all(
      store.users(A, { query: parseQuery(`created_at:${at(0).slice(0, 10)} email:user1*`, USER_FIELDS) }),
    );
    expect(found?.length).toBeGreaterThan(0);

    const content: Entry[] = [];
    const source = await openPostgresSource(url);
    for await (const batch of source.entries()) content.push(...batch);
    await source.close();
    const other = await createDatabase();
    const copy = patient(bouncer.url(other));
    const target = await openPostgresTarget(copy);
    await target.begin("print");
    await target.put(content);
    await expect(openPostgresTarget(copy)).rejects.toMatchObject({ reason: "locked" });
    await target.finish();
    await target.close();
    expect((await checkPostgres(copy)).tables).toMatchObject({
      users: content.filter(([name]) => name === "users").length,
    });
    expect(await migratePostgres(copy)).toMatchObject({ from: MIGRATIONS.length, to: MIGRATIONS.length });

    await settingsDuringWrites(direct);
    await expect(store.deleteUser(A, id(1))).rejects.toThrow("pg_catalog, pg_temp; on; 1min");
  },
  300_000,
);

it.skipIf(!hasPgBouncer)("An address with options that PgBouncer refuses says what to do", async () => {
  const direct = await createDatabase();
  const bouncer = await startPgBouncer(direct);
  await expect(open(`${bouncer.url(direct)}?options=-c%20geqo%3Doff`)).rejects.toThrow(/Leave out the options/);
});
