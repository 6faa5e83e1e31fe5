// Below the faces: eight writes at the very moment of the start.

import { expect, it, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { people, state } from "../store/_records.ts";
import { createDatabase, execute } from "./_postgres.ts";
import { awaitServer, patient } from "./_store.ts";

awaitServer();

it("PostgreSQL: writes wait for a server that accepts them, also right after the start", async () => {
  const [url, other] = [await createDatabase(), await createDatabase()];
  const database = new URL(url).pathname.slice(1);
  let warn!: () => void;
  const isAway = new Promise<void>((resolve) => (warn = resolve));
  // The same server, named twice.
  const store = await openPostgresStore(patient(url.replace(/(127\.0\.0\.1:\d+)/, "$1,$1")), {
    warn: (message) => message.includes("is unavailable") && warn(),
  });
  onTestFinished(() => store.close());
  await store.seed(people());
  // For new connections, which that many simultaneous writes need.
  await execute(other, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  const numbers = Array.from({ length: 8 }, (_, n) => n + 1);
  const saved = Promise.allSettled(numbers.map((n) => store.saveState(state(n))));
  await Promise.race([isAway, saved]);
  await execute(other, `ALTER DATABASE ${database} RESET default_transaction_read_only`);
  const outcomes = (await saved).map((each) => (each.status === "rejected" ? String(each.reason) : each.status));
  expect(outcomes).toEqual(numbers.map(() => "fulfilled"));
  for (const n of numbers) expect(await store.find("states", state(n).state)).toEqual(state(n));
});
