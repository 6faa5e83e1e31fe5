// Below the faces: a file store is opened without a server, and closed at a known write.

import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import type { Store } from "../../src/server/store/store.ts";
import { temporaryDirectory } from "../_files.ts";
import { A, arrival, id, people, state, takeState } from "./_records.ts";

export const warnings: string[] = [];

export const open = async (path: string): Promise<Store> => {
  const store = await openFileStore(path, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return store;
};

export const newPath = async (): Promise<string> => join(temporaryDirectory(), "data", "db.json");

/** Fails a test with unexpected warnings. */
export function expectNoWarnings(): void {
  beforeEach(() => {
    warnings.length = 0;
  });
  afterEach(() => expect(warnings).toEqual([]));
}

/** Some records of every kind. */
export async function fill(store: Store): Promise<void> {
  await store.seed(people());
  await store.completeSignIn(arrival({ uid: "new" }));
  await store.completeSignIn(arrival({ uid: "new", provider: "github", time: 1001 }));
  await store.completeSignIn(arrival({ uid: "grace", provider: "github", ip_address: "192.0.2.9", time: 1002 }));
  await store.deleteUser(A, id(2));
  for (let n = 1; n <= 3; n++) await store.saveState(state(n));
  await takeState(store, state(2).state);
}
