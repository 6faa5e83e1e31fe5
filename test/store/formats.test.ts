import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openJsonStore } from "../../src/server/store/json/index.ts";
import type { Store, UserView } from "../../src/server/store/store.ts";
import { temporaryDirectory } from "./conformance.ts";

// A db.json of every format that was ever released; none is ever removed.
const FORMATS = [1];
const fixture = (version: number): string => join(import.meta.dirname, "formats", `${version}.db`);

async function laid(version: number): Promise<string> {
  const path = join(await temporaryDirectory(), ".svc", "db.json");
  await mkdir(dirname(path));
  await copyFile(fixture(version), path);
  return path;
}

async function open(path: string): Promise<Store> {
  const store = await openJsonStore(path, { warn: (message) => expect.fail(message) });
  onTestFinished(() => store.close());
  return store;
}

async function usersOf(store: Store): Promise<UserView[]> {
  const views: UserView[] = [];
  for (const { id } of await store.instances())
    for await (const batch of (await store.users(id, {}))!) views.push(...batch);
  return views;
}

it.each(FORMATS)("A store of format %i is opened, kept as it was beside, and written anew", async (version) => {
  const path = await laid(version);
  const old = JSON.parse(await readFile(fixture(version), "utf8")) as Record<string, Record<string, unknown>[]>;
  const store = await open(path);
  const users = await usersOf(store);
  expect(await store.instances()).toEqual(old["instances"]);
  expect(await store.personas()).toEqual(old["personas"]);
  expect(users).toHaveLength(old["users"]!.length);
  for (const view of users) expect(old["users"]).toContainEqual(view.user);
  await store.close();
  expect(await readFile(`${path}.format-${version}.bak`)).toEqual(await readFile(fixture(version)));
  const written = await readFile(path, "utf8");
  expect(JSON.parse(written)).toMatchObject({ version: 2 });
  expect(await usersOf(await open(path))).toEqual(users);
});

it.each(FORMATS)(
  "A store of format %i in which any byte has changed is refused and left as it was",
  async (version) => {
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
  },
);
