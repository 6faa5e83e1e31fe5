import { beforeAll } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import type { Store } from "../../src/server/store/store.ts";
import { testStore } from "../store/_conformance.ts";
import { createDatabase, useEmptying } from "./_postgres.ts";
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

testStore("postgres", open, { isInOrder: false });
