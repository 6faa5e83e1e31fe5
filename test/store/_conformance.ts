import { describe } from "vitest";
import type { Store } from "../../src/server/store/store.ts";
import { testChanging } from "./_changing.ts";
import { testLists } from "./_lists.ts";
import { testInstances } from "./_instances.ts";
import { testPruning } from "./_pruning.ts";
import { testSearch } from "./_search.ts";
import { testSeeding } from "./_seeding.ts";
import { testSignIns } from "./_sign-ins.ts";
import { testStates } from "./_states.ts";
import { useStore, type StoreTraits } from "./_subject.ts";

/** The contract of every store. */
export function testStore(name: string, open: () => Promise<Store>, traits: StoreTraits = {}): void {
  describe(`A store (${name})`, () => {
    const subject = useStore(open, traits);
    for (const test of [
      testSeeding,
      testLists,
      testSearch,
      testStates,
      testSignIns,
      testChanging,
      testInstances,
      testPruning,
    ])
      test(subject);
  });
}
