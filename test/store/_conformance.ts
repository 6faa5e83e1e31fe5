import { describe } from "vitest";
import type { Store } from "../../src/server/store/store.ts";
import { testChanging } from "./_changing.ts";
import { testLists } from "./_lists.ts";
import { testPruning } from "./_pruning.ts";
import { testSeeding } from "./_seeding.ts";
import { testSignIns } from "./_sign-ins.ts";
import { testStates } from "./_states.ts";
import { useStore, type StoreTraits } from "./_subject.ts";

/** The contract of every store where the faces can't reach it: races, what throws half-way, and what is stored unseen. */
export function testStore(name: string, open: () => Promise<Store>, traits: StoreTraits = {}): void {
  describe(`A store (${name})`, () => {
    const subject = useStore(open, traits);
    for (const test of [testSeeding, testLists, testStates, testSignIns, testChanging, testPruning]) test(subject);
  });
}
