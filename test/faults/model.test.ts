// Below the faces: thousands of writes between two kills.

import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import type { Store } from "../../src/server/store/store.ts";
import { abandoned } from "../store/_abandoned.ts";
import { testModel, type Subject } from "../store/_model.ts";
import { directory, figure } from "./_processes.ts";

async function open(): Promise<Subject> {
  const places: string[] = [];
  let path = join(await directory("quick"), "db.json");
  const openAt = (): Promise<Store> => {
    places.push(dirname(path));
    return openFileStore(path, {
      warn(message) {
        throw new Error(message);
      },
    });
  };
  let store = await openAt();
  return {
    store,
    async reopen() {
      await store.close();
      return (store = await openAt());
    },
    async crash() {
      const copy = await abandoned(path);
      await store.close();
      path = copy;
      return (store = await openAt());
    },
    async end() {
      await store.close();
      for (const place of places) await rm(place, { recursive: true, force: true });
    },
  };
}

testModel("json", open, { histories: figure(40, 1000), steps: figure(25, 60) });
