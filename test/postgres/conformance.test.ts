import { beforeAll } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import type { Store } from "../../src/server/store/store.ts";
import { A, at } from "../store/_records.ts";
import { testStore } from "../store/_conformance.ts";
import { createDatabase, execute, useEmptying } from "./_postgres.ts";
import { patient } from "./_store.ts";

const empty = useEmptying();
let url: string;
beforeAll(async () => {
  url = await createDatabase();
  await (await openPostgresStore(patient(url), { warn: () => {} })).close();
});

const open = async (): Promise<Store> => {
  await empty(url);
  return openPostgresStore(patient(url), { warn: () => {} });
};

testStore("postgres", open, {
  isInOrder: false,
  saveStates: (first, last) =>
    execute(
      url,
      `INSERT INTO svc.states (state, instance_id, provider, redirect_uri, created_at, expires_at)
       SELECT lpad(to_hex(n), 64, '0'), '${A}', 'google', 'http://localhost:3000/callback', '${at(0)}', '${at(600)}'
       FROM generate_series(${first}, ${last}) AS n`,
    ),
});
