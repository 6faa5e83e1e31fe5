import { copyFile, link, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkJsonStore } from "../../src/server/store/json/maintenance/check.ts";
import { encodeLine } from "../../src/server/store/json/files/journal-lines.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { openRepair } from "../../src/server/store/json/maintenance/repair.ts";
import { driverOf } from "../../src/server/store/move/index.ts";
import { exported, filesBeside, journalOf, makeStore } from "./_move.ts";
import { abandoned } from "./_abandoned.ts";
import { temporaryDirectory } from "../_files.ts";
import { A, arrival, at, contentOf, people, state, take } from "./_records.ts";

const warn = (message: string): void => expect.fail(message);

/** A store as a crash leaves it, with changes in its journal. */
async function crashed(): Promise<string> {
  const path = await makeStore();
  const store = await openJsonStore(path, { warn });
  onTestFinished(() => store.close());
  await store.completeSignIn(arrival({ uid: "late" }));
  return abandoned(path);
}

/** Start, check and export name the fault; a repair copies every file and keeps db.json's records. */
async function expectNamed(path: string, message: string): Promise<void> {
  const before = await filesBeside(path);
  await expect(openJsonStore(path, { warn })).rejects.toMatchObject({
    reason: "damaged",
    message: expect.stringContaining(message),
  });
  expect((await checkJsonStore(path)).damage).toEqual([expect.stringContaining(message)]);
  await expect(exported(driverOf(path))).rejects.toThrow(message);
  const repair = await openRepair(path, { now: new Date(at(0)) });
  expect(repair.losses.join("\n")).toContain(message);
  expect(await filesBeside(path)).toEqual(expect.objectContaining(before));
  const copies = await repair.apply();
  await repair.close();
  for (const copy of copies)
    expect(await readFile(copy, "latin1")).toBe(before[copy.slice(dirname(path).length + 1).replace(/\.2026.*$/, "")]);
  expect((await checkJsonStore(path)).damage).toEqual([]);
  const store = await openJsonStore(path, { warn });
  expect((await contentOf(store)).users).toHaveLength(people().users.length);
  await store.close();
}

it("The journal of another store is refused by name, and a repair keeps it", async () => {
  const [path, other] = [await crashed(), await crashed()];
  await copyFile(journalOf(other), journalOf(path));
  await expectNamed(path, "it belongs to another store");
});

it("A journal that does not continue its db.json, because one of the two is an older copy, is refused by name", async () => {
  const path = await makeStore();
  const [document, journal] = [await readFile(path), await readFile(journalOf(path))];
  const store = await openJsonStore(path, { warn });
  await store.completeSignIn(arrival({ uid: "late" }));
  await store.deleteUser(A, people().users[0]!.id);
  await store.close();
  const older = join(temporaryDirectory(), "db.json");
  await writeFile(older, document);
  await copyFile(journalOf(path), journalOf(older));
  await expectNamed(older, "it is of another time than db.json");
  await writeFile(journalOf(path), journal);
  await expect(openJsonStore(path, { warn })).rejects.toThrow("it is of another time than db.json");
});

it.each([
  ["is missing", (path: string) => rm(path), "it is missing"],
  ["is empty", (path: string) => writeFile(path, ""), "its first line is missing or damaged"],
])("A journal that %s is reported as damage", async (_, harm, message) => {
  const path = await makeStore();
  await harm(journalOf(path));
  await expectNamed(path, message);
});

it("A start creates a new journal and leaves the existing one unchanged, even with a cut last line", async () => {
  const path = await crashed();
  const cut = encodeLine(99, [["put", "states", state(9)]]).subarray(0, 60);
  await writeFile(journalOf(path), Buffer.concat([await readFile(journalOf(path)), cut]));
  const before = await readFile(journalOf(path));
  const kept = join(temporaryDirectory(), "kept");
  await link(journalOf(path), kept);
  const warnings: string[] = [];
  const store = await openJsonStore(path, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  await store.saveState(state(2));
  expect(warnings).toEqual([expect.stringContaining("a disk that lost data leaves one too")]);
  expect(await readFile(kept)).toEqual(before);
  const again = await openJsonStore(await abandoned(path), { warn });
  onTestFinished(() => again.close());
  expect(await take(again, state(2).state)).toEqual(state(2));
  expect((await contentOf(again)).users).toHaveLength(people().users.length + 1);
});

it("A store keeps its id and starts another journal at each start", async () => {
  const path = await makeStore();
  const header = async (): Promise<{ store: string; id: string }> =>
    JSON.parse((await readFile(journalOf(path), "utf8")).split("\n")[0]!) as { store: string; id: string };
  const first = await header();
  await (await openJsonStore(path, { warn })).close();
  const second = await header();
  expect([second.store, second.id !== first.id]).toEqual([first.store, true]);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ store: first.store });
});
