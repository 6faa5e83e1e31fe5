import { open, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { openRepair } from "../../src/server/store/json/maintenance/repair.ts";
import { copyStore } from "../../src/server/store/move/copy.ts";
import { driverOf } from "../../src/server/store/move/index.ts";
import { importStore } from "../../src/server/store/move/export.ts";
import { refused } from "./_journal.ts";
import { exported, makeStore, newPath, warn } from "./_move.ts";
import { contentOf, people } from "./_records.ts";

const ways: [name: string, fill: (path: string) => Promise<unknown>][] = [
  ["copied", async (path) => copyStore(driverOf(await makeStore()), driverOf(path))],
  [
    "imported",
    async (path) => {
      const from = join(dirname(path), "export.ndjson");
      await writeFile(from, await exported(driverOf(await makeStore())));
      const file = await open(from);
      await importStore(driverOf(path), from, file);
      await file.close();
    },
  ],
  [
    "imported and repaired",
    async (path) => {
      await copyStore(driverOf(await makeStore()), driverOf(path));
      await rm(join(dirname(path), "db.journal"));
      const repair = await openRepair(path, { now: new Date() });
      await repair.apply();
      await repair.close();
    },
  ],
];

it.each(ways)("A store that was %s, and never started, is refused without its db.json", async (_, fill) => {
  const path = await newPath();
  await fill(path);
  await rm(path);
  expect(await refused(path)).toMatchObject({
    reason: "damaged",
    message: expect.stringContaining("the db.json that it continues is missing"),
  });
});

it.each(ways)("A store that was %s can be started, and filled again after its db.json was lost", async (_, fill) => {
  const path = await newPath();
  await fill(path);
  const store = await openJsonStore(path, { warn });
  expect((await contentOf(store)).users).toHaveLength(people().users.length);
  await store.close();
  await rm(path);
  await rm(join(dirname(path), "db.journal"));
  await copyStore(driverOf(await makeStore()), driverOf(path));
  const again = await openJsonStore(path, { warn });
  expect((await contentOf(again)).users).toHaveLength(people().users.length);
  await again.close();
});
