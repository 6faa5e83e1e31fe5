import { beforeAll } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/index.ts";
import { testStore } from "../store/conformance.ts";
import { clear, createDatabase } from "./_postgres.ts";

let url: string;
beforeAll(async () => {
  url = await createDatabase();
  await (await openPostgresStore(url, { warn: () => {} })).close();
}, 60_000);

testStore("postgres", async () => {
  await clear(url);
  return openPostgresStore(url, { warn: () => {} });
});
