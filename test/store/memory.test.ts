// Below the faces: the same tests run on each store.

import { expect, it } from "vitest";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { contentOf, people } from "./_records.ts";
import { testStore } from "./_conformance.ts";

testStore("memory", async () => openMemoryStore());

it("A memory store reports that it is one, shares nothing with another, and ends with itself", async () => {
  const [one, other] = [openMemoryStore(), openMemoryStore()];
  await one.seed(people());
  expect(one.location).toBe("memory");
  expect(await contentOf(other)).toEqual({ instances: [], personas: [], users: [], sessions: [] });
});
