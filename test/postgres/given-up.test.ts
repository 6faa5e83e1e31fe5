// Below the faces: what a server asks leaves nothing that tells whether it ran late.
import { expect, it, onTestFinished } from "vitest";
import { openDatabaseAt } from "../../src/server/store/postgres/database/database.ts";
import { createDatabase, execute } from "./_postgres.ts";
import { awaitServer } from "./_store.ts";

awaitServer();

it("PostgreSQL: a statement that got no connection in time is not run later", async () => {
  const url = await createDatabase();
  await execute(url, "CREATE TABLE public.run (n int)");
  const database = openDatabaseAt(`${url}?pool_size=1`, () => {});
  onTestFinished(() => database.close());
  await database.query("SELECT 1");
  // They take two seconds one after the other, and are waited for half a second.
  const until = performance.now() + 500;
  const numbers = Array.from({ length: 40 }, (_, n) => String(n));
  const insert = "INSERT INTO public.run SELECT $1::int FROM pg_sleep(0.05)";
  const asked = await Promise.allSettled(numbers.map((n) => database.query(insert, [n], { until })));
  const answered = asked.filter(({ status }) => status === "fulfilled").length;
  expect(answered).toBeLessThan(40);
  const [row] = await database.query<{ count: number }>("SELECT count(*)::int AS count FROM public.run");
  // One may have been under way.
  expect(row!.count - answered).toBeLessThanOrEqual(1);
  expect(database.connections()).toMatchObject({ waiting: 0 });
});

it("PostgreSQL: transactions share the connections of requests, and those that wait too long are refused", async () => {
  const database = openDatabaseAt(`${await createDatabase()}?statement_timeout=1&pool_size=2`, () => {});
  onTestFinished(() => database.close());
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const running = Array.from({ length: 2 }, () =>
    database.transaction(async (ask) => {
      await ask("SELECT 1");
      await finished;
      return "done";
    }),
  );
  await expect(database.transaction(async (ask) => ask("SELECT 1"))).rejects.toMatchObject({
    code: "store_unavailable",
  });
  finish();
  expect(await Promise.all(running)).toEqual(["done", "done"]);
  const [row] = await database.transaction(async (ask) => ask<{ one: number }>("SELECT 1 AS one"));
  expect(row).toEqual({ one: 1 });
});
