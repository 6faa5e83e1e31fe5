// Below the faces: a database is checked before and after a start that is refused.

import { expect, it } from "vitest";
import { createMaintenance, driverOf } from "../../src/server/store/move/index.ts";
import { A, arrival, people, id } from "../store/_records.ts";
import { hasPgBouncer, startPgBouncer } from "./_pgbouncer.ts";
import { admin, createDatabase, execute } from "./_postgres.ts";
import { awaitServer, open, patient } from "./_store.ts";

awaitServer();

it("A server without PL/pgSQL is refused, and nothing is created in it", async () => {
  const url = await createDatabase();
  await execute(url, "DROP EXTENSION plpgsql CASCADE");
  const lacks = "lacks PL/pgSQL. Use PostgreSQL 13 or newer, with its extension plpgsql.";
  await expect(open(url)).rejects.toThrow(lacks);
  await expect(createMaintenance(() => {}).migrate(url)).rejects.toThrow(lacks);
  await expect(driverOf(url).check()).rejects.toThrow(lacks);
  expect(await admin(url)`SELECT to_regnamespace('svc') AS schema`).toEqual([{ schema: null }]);
});

it("A default of the database or the role changes nothing that svc relies on", async () => {
  const url = await createDatabase();
  const name = new URL(url).pathname.slice(1);
  await execute(
    url,
    `ALTER DATABASE ${name} SET synchronous_commit = off; ALTER DATABASE ${name} SET TimeZone = 'Asia/Kathmandu';
     ALTER DATABASE ${name} SET DateStyle = 'SQL, DMY'; ALTER DATABASE ${name} SET statement_timeout = '1ms'`,
  );
  const store = await open(patient(url));
  await store.seed(people());
  expect((await store.completeSignIn(arrival({ uid: "ada" }))).user.id).toBe(id(1));
});

it.skipIf(!hasPgBouncer)(
  "A pooler that drops some start-up parameters is found out by those, and svc sets them itself",
  async () => {
    const direct = await createDatabase();
    const { port } = new URL(direct);
    // What every connection through it has, whoever asked for it: the search_path alone looks right.
    const bouncer = await startPgBouncer(direct, [
      "ignore_startup_parameters = search_path,TimeZone,DateStyle,default_transaction_isolation,synchronous_commit,statement_timeout,idle_in_transaction_session_timeout",
      "[databases]",
      `* = host=127.0.0.1 port=${port} connect_query='SET search_path TO pg_catalog, pg_temp'`,
    ]);
    const store = await open(patient(bouncer.url(direct)));
    await store.seed(people());
    await execute(
      direct,
      `CREATE FUNCTION svc.seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION '%; %', current_setting('synchronous_commit'), current_setting('statement_timeout');
       END $$;
       CREATE TRIGGER seen BEFORE DELETE ON svc.users FOR EACH ROW EXECUTE FUNCTION svc.seen()`,
    );
    await expect(store.deleteUser(A, id(1))).rejects.toThrow("on; 1min");
  },
);
