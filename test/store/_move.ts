// Below the faces: a store is made without a server.

import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import type { Driver } from "../../src/server/store/maintenance.ts";
import { exportStore } from "../../src/server/store/move/export.ts";
import { type Records } from "../../src/server/store/records.ts";
import { temporaryDirectory } from "../_files.ts";
import { identity, people, persona, records, session, state, user } from "./_records.ts";

export const newPath = async (): Promise<string> => join(temporaryDirectory(), "db.json");

export const journalOf = (path: string): string => join(dirname(path), "db.journal");

export const warn = (): void => {};

export async function makeStore(content: Records = people()): Promise<string> {
  const path = await newPath();
  const store = await openFileStore(path, { warn });
  await store.seed(content);
  await store.saveState(state(1));
  await store.close();
  return path;
}

/** The names and contents of all files in a store's directory. */
export async function filesBeside(path: string): Promise<Record<string, string>> {
  const all = await readdir(dirname(path)).catch(() => []);
  const names = all.filter((name) => !name.endsWith(".lock")).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(dirname(path), name), "latin1")));
  return Object.fromEntries(names.map((name, n) => [name, contents[n]!]));
}

export async function exported(driver: Driver, write: typeof exportStore = exportStore): Promise<string> {
  let text = "";
  const source = await driver.openSource();
  try {
    await write(source, async (piece) => void (text += piece));
    return text;
  } finally {
    await source.close();
  }
}

/** Enough people for more than one batch. */
export function crowd(size: number): Records {
  const users = Array.from({ length: size }, (_, n) => user(n + 1, { name: `Zoë ${n} "the\u2028one" \\ 李` }));
  return records({
    users,
    identities: users.map((owner, n) => identity(100_000 + n, owner, { access_token: "x".repeat(n % 50) })),
    sessions: users.map((owner, n) => session(200_000 + n, owner, { geo_data: { z: 1, a: { city: "Köln" } } })),
    personas: [persona("mary"), { ...persona("alan"), accounts: { twitter: { id: "1", username: "a" } } }],
  });
}

export function damagedBy(whole: Buffer, place: number, mask: number, how: string): Buffer {
  const [before, after] = [whole.subarray(0, place), whole.subarray(place + 1)];
  if (how === "cut") return before;
  if (how === "drop") return Buffer.concat([before, after]);
  if (how === "double") return Buffer.concat([before, whole.subarray(place, place + 1), whole.subarray(place)]);
  return Buffer.concat([before, Buffer.from([whole[place]! ^ mask]), after]);
}
