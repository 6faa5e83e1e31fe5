import { open, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openMaintenance } from "../../src/server/index.ts";
import { attempt, refused } from "./_journal.ts";
import { makeStore, newPath, warn } from "./_move.ts";
import { contentOf, people } from "./_records.ts";

const { copy, export: save, import: fillWith } = await openMaintenance(warn);

const ways: [name: string, fill: (path: string) => Promise<unknown>][] = [
  ["copied", async (path) => copy(await makeStore(), path)],
  [
    "imported",
    async (path) => {
      const from = join(dirname(path), "export.ndjson");
      let text = "";
      await save(await makeStore(), async (piece) => void (text += piece));
      await writeFile(from, text);
      const file = await open(from);
      await fillWith(path, from, file);
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
  const { store } = await attempt(path);
  expect((await contentOf(store!)).users).toHaveLength(people().users.length);
  await store!.close();
  await rm(path);
  await rm(join(dirname(path), "db.journal"));
  await copy(await makeStore(), path);
  const { store: again } = await attempt(path);
  expect((await contentOf(again!)).users).toHaveLength(people().users.length);
});
