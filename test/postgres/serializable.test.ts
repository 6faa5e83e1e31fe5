// Below the faces: which statement fails first is decided by triggers.

import { expect, it } from "vitest";
import { StoreNotEmpty } from "../../src/server/store/store.ts";
import { A, all, arrival, id, people, state, takeState } from "../store/_records.ts";
import { createDatabase, execute } from "./_postgres.ts";
import { open, patient } from "./_store.ts";

it("PostgreSQL: serializable transactions as the database's default fail no sign-in, seed or list", async () => {
  const url = await createDatabase();
  const name = new URL(url).pathname.slice(1);
  await execute(url, `ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
  const stores = await Promise.all([1, 2, 3].map(() => open(patient(url))));
  const seeded = await Promise.allSettled(stores.map((store) => store.seed(people())));
  expect(seeded.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const reasons = seeded.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  expect(reasons.filter((reason) => !(reason instanceof StoreNotEmpty))).toEqual([]);
  const outcomes = await Promise.all(
    Array.from({ length: 90 }, (_, n) =>
      stores[n % 3]!.completeSignIn(arrival({ uid: `u${n % 10}`, email: `u${n % 10}@load.test`, time: n })),
    ),
  );
  expect(new Set(outcomes.map((outcome) => outcome.user.id)).size).toBe(10);
  const lists = await Promise.all(stores.map((store) => all(store.users(A, {}))));
  expect(new Set(lists.map((list) => list?.length)).size).toBe(1);
});

it("PostgreSQL: a serialization failure (SQLSTATE 40001) is retried before anything is answered", async () => {
  const url = await createDatabase();
  const store = await open(url);
  // The first two attempts at each table fail; sequences count them across transactions.
  const tables = ["instances", "users", "states"];
  const prepare = (table: string): string =>
    `CREATE SEQUENCE svc.attempts_${table};
     CREATE TRIGGER overtaken AFTER INSERT OR DELETE ON svc.${table} FOR EACH STATEMENT EXECUTE FUNCTION svc.overtaken();`;
  await execute(
    url,
    `CREATE FUNCTION svc.overtaken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF nextval('svc.attempts_' || TG_TABLE_NAME) <= 2 THEN RAISE EXCEPTION 'overtaken' USING ERRCODE = '40001'; END IF;
       RETURN NULL;
     END $$; ${tables.map(prepare).join(" ")}`,
  );
  const again = (): Promise<void> =>
    execute(url, tables.map((table) => `ALTER SEQUENCE svc.attempts_${table} RESTART`).join("; "));
  await store.seed(people());
  await again();
  await store.completeSignIn(arrival({ uid: "new" }));
  await again();
  await store.saveState(state(1));
  await again();
  expect(await takeState(store, state(1).state)).toEqual(state(1));
  await again();
  expect(await store.deleteUser(A, id(1))).toBe(true);
  expect(await store.deleteUser(A, id(1))).toBe(false);
});
