import { copyFile, open as openFile, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkJsonStore } from "../../src/server/store/json/maintenance/check.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { openRepair } from "../../src/server/store/json/maintenance/repair.ts";
import { copyStore } from "../../src/server/store/move/copy.ts";
import { driverOf } from "../../src/server/store/move/index.ts";
import { importStore } from "../../src/server/store/move/export.ts";
import { VERSION, upgrade } from "../../src/server/store/records.ts";
import type { Source } from "../../src/server/store/maintenance.ts";
import { filesBeside } from "./_move.ts";
import { temporaryDirectory } from "../_files.ts";
import { at } from "./_records.ts";

// A store of every older format, as svc wrote it, with its export; none is ever removed.
const FORMATS = [2];
const fixture = (version: number, kind: "db" | "journal" | "ndjson"): string =>
  join(import.meta.dirname, "formats", `${version}.${kind}`);

async function laid(version: number): Promise<string> {
  const path = join(temporaryDirectory(), "db.json");
  await copyFile(fixture(version, "db"), path);
  await copyFile(fixture(version, "journal"), join(dirname(path), "db.journal"));
  return path;
}

/** The content of the store, exported when it was written. */
async function written(version: number): Promise<unknown[]> {
  const lines = (await readFile(fixture(version, "ndjson"), "utf8")).split("\n").slice(1, -2);
  return lines.map((line) => {
    const { table, record } = JSON.parse(line) as { table: "users"; record: object };
    return [table, upgrade(table, record, version)];
  });
}

async function read(source: Promise<Source>): Promise<unknown[]> {
  const opened = await source;
  const found: unknown[] = [];
  for await (const entries of opened.entries()) found.push(...entries);
  await opened.close();
  return found;
}

const opened = async (path: string): Promise<void> => {
  const store = await openJsonStore(path, { warn: (message) => expect.fail(message) });
  await store.close();
};

it("An upgrade moves the accounts of an older record into one column and keeps everything else", () => {
  const google = { sub: "1", email_verified: true };
  const record = { id: "ada", name: null, email: "ada@acme.test", avatar_url: null };
  expect(upgrade("personas", { ...record, google }, 2)).toEqual({ ...record, accounts: { google } });
  expect(upgrade("personas", record, 2)).toEqual({ ...record, accounts: {} });
  expect(upgrade("personas", { ...record, accounts: { google } }, VERSION)).toEqual({
    ...record,
    accounts: { google },
  });
});

it.each(FORMATS)("A store of format %i checks clean and is read completely and without a change", async (version) => {
  const path = await laid(version);
  const before = await filesBeside(path);
  expect(await checkJsonStore(path)).toMatchObject({
    kind: `json, format ${version}`,
    damage: [],
    dangling: [],
    notes: [],
    tables: { settings: 0, instances: 2, personas: 3, users: 6, identities: 6, sessions: 12, states: 2 },
  });
  expect(await read(driverOf(path).openSource())).toEqual(await written(version));
  expect(await filesBeside(path)).toEqual(before);
});

it.each(FORMATS)("A store of format %i opens without loss and keeps its old db.json beside it", async (version) => {
  const path = await laid(version);
  await opened(path);
  expect(await readFile(`${path}.format-${version}.bak`)).toEqual(await readFile(fixture(version, "db")));
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ version: VERSION });
  expect(await checkJsonStore(path)).toMatchObject({ kind: `json, format ${VERSION}`, damage: [], notes: [] });
  expect(await read(driverOf(path).openSource())).toEqual(await written(version));
  await opened(path);
});

it.each(FORMATS)("A store of format %i with one damaged record loses only that one in a repair", async (version) => {
  const path = await laid(version);
  await writeFile(path, (await readFile(path, "utf8")).replace("Софья", "Sofya"));
  const repair = await openRepair(path, { now: new Date(at(0)) });
  onTestFinished(() => repair.close());
  expect(repair.losses).toHaveLength(1);
  await repair.apply();
  await repair.close();
  expect(await checkJsonStore(path)).toMatchObject({ kind: `json, format ${VERSION}`, damage: [] });
  const kept = (await written(version)).filter((entry) => !/^\["users".*"name":"Софья/.test(JSON.stringify(entry)));
  expect(await read(driverOf(path).openSource())).toEqual(kept);
});

it.each(FORMATS)("A store of format %i is copied, exported and imported without loss", async (version) => {
  const [copied, imported] = [join(temporaryDirectory(), "db.json"), join(temporaryDirectory(), "db.json")];
  expect(await copyStore(driverOf(await laid(version)), driverOf(copied))).toMatchObject({ isEqual: true });
  const file = await openFile(fixture(version, "ndjson"));
  onTestFinished(() => file.close());
  expect(await importStore(driverOf(imported), "old.ndjson", file)).toMatchObject({ isEqual: true });
  for (const path of [copied, imported])
    expect(await read(driverOf(path).openSource())).toEqual(await written(version));
});

it.each(FORMATS)("A store of format %i with any changed byte is refused and left unchanged", async (version) => {
  const path = await laid(version);
  const original = await readFile(path);
  const accepted: number[] = [];
  for (let offset = 0; offset < original.length; offset += 397) {
    const changed = Buffer.from(original);
    changed[offset]! ^= 1;
    await writeFile(path, changed);
    const store = await openJsonStore(path, { warn: () => {} }).catch(() => undefined);
    if (store) accepted.push(offset);
    await store?.close();
    expect(await readFile(path)).toEqual(changed);
    expect((await readdir(dirname(path))).filter((name) => name.endsWith(".bak"))).toEqual([]);
  }
  expect(accepted).toEqual([]);
});

it.each([VERSION + 1, 1])("A store of the unknown format %i is refused by name and left unchanged", async (version) => {
  const path = await laid(2);
  await writeFile(path, (await readFile(path, "utf8")).replace('"version":2', `"version":${version}`));
  const before = await filesBeside(path);
  const refused = expect.objectContaining({
    name: "StoreRefused",
    message: expect.stringContaining(`format ${version}`),
  });
  await expect(opened(path)).rejects.toEqual(refused);
  await expect(checkJsonStore(path)).rejects.toEqual(refused);
  await expect(openRepair(path, { now: new Date(at(0)) })).rejects.toEqual(refused);
  await expect(read(driverOf(path).openSource())).rejects.toEqual(refused);
  expect(await filesBeside(path)).toEqual(before);
});
