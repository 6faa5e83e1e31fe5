// Below the faces: a store without a document is opened and copied without a server.

import { open, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { copyStore, driverOf, importStore } from "../../src/server/store/move/index.ts";
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
  const store = await openFileStore(path, { warn });
  expect((await contentOf(store)).users).toHaveLength(people().users.length);
  await store.close();
  await rm(path);
  await rm(join(dirname(path), "db.journal"));
  await copyStore(driverOf(await makeStore()), driverOf(path));
  const again = await openFileStore(path, { warn });
  expect((await contentOf(again)).users).toHaveLength(people().users.length);
  await again.close();
});
