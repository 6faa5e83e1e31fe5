// Below the faces: a server would wait through its own times.
import { appendFileSync, renameSync, symlinkSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { Journal } from "../../src/server/store/file/journal.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import { temporaryDirectory } from "../_files.ts";
import { fill, newPath, open, warnings } from "./_file.ts";
import { contentOf, state } from "./_records.ts";

/** Makes the system refuse to look into a directory, also for root: a link to itself. */
function hide(directory: string): void {
  renameSync(directory, `${directory}.away`);
  symlinkSync(directory, directory);
}

async function show(directory: string): Promise<void> {
  await rm(directory);
  await rename(`${directory}.away`, directory);
}

it("A store whose directory can't be looked into is unavailable, and continues when it can", async () => {
  const path = await newPath();
  const store = await open(path);
  await fill(store);
  const before = await contentOf(store);
  hide(dirname(path));
  const attempts = [
    store.saveState(state(7)),
    store.replace({ instances: [], personas: [], users: [], identities: [], sessions: [] }),
    store.snapshots.save("mine", "2026-01-01T00:00:00.000Z"),
  ];
  for (const attempt of await Promise.allSettled(attempts))
    expect(attempt.status === "rejected" ? attempt.reason : attempt).toBeInstanceOf(StorageUnavailable);
  await expect(store.probe()).rejects.toBeInstanceOf(StorageUnavailable);
  expect(await contentOf(store)).toEqual(before);
  await show(dirname(path));
  await store.probe();
  await store.saveState(state(8));
  await store.close();
  const again = await open(path);
  expect(await contentOf(again)).toEqual(before);
  expect((await again.find("states", state(7).state)) === undefined).toBe(true);
  expect((await again.find("states", state(8).state))?.state).toBe(state(8).state);
  expect(warnings.filter((line) => line.includes("is available again"))).toHaveLength(1);
});

it("A change is not taken back where another process has written behind it", async () => {
  const path = join(temporaryDirectory(), "db.journal");
  const journal = await Journal.begin(path, { store: "5".repeat(24), id: "a".repeat(24), after: null, number: 0 });
  const first = await readFile(path, "utf8");
  let looks = 0;
  const look = (): void => {
    if (looks++ > 0) appendFileSync(path, "another's line\n");
    journal.look();
  };
  await expect(journal.append("ours\n", look)).rejects.toBeInstanceOf(StorageUnavailable);
  expect(await readFile(path, "utf8")).toBe(`${first}ours\nanother's line\n`);
  await journal.close();
});

it("A change is taken back if the journal could not be looked at after it was written", async () => {
  const path = join(temporaryDirectory(), "store", "db.journal");
  const store = await open(join(dirname(path), "db.json"));
  await store.close();
  const header = { store: "5".repeat(24), id: "a".repeat(24), after: null, number: 0 };
  const journal = await Journal.begin(path, header);
  const first = await readFile(path, "utf8");
  const look = (): void => journal.look();
  const refused = journal.append("refused\n", look);
  hide(dirname(path));
  await expect(refused).rejects.toBeInstanceOf(StorageUnavailable);
  await show(dirname(path));
  await journal.append("written\n", look);
  await journal.close();
  expect(await readFile(path, "utf8")).toBe(`${first}written\n`);
});
