import type { Store } from "../store.ts";
import type { StateRecord } from "../records.ts";
import type { Commits } from "./commits.ts";
import type { Change, Document } from "./document.ts";

export function createStates(document: Document, commits: Commits): Pick<Store, "saveState" | "takeState"> {
  /** The instances of which a batch is being dropped: one of the saves that arrive together takes it along. */
  const dropping = new Set<string>();

  return {
    async saveState(record): Promise<void> {
      const { instance_id, created_at } = record;
      let dropped: string[] = [];
      try {
        // Without keys: a state is random, and to drop one twice is the same as once. Saves never wait for each other.
        await commits.commit({
          keys: () => [],
          run() {
            if (!dropping.has(instance_id)) dropped = document.tenant(instance_id).states.outdated(created_at);
            if (dropped.length > 0) dropping.add(instance_id);
            const deletions = dropped.map((state): Change => ["delete", "states", state]);
            return { changes: [...deletions, ["put", "states", record]], result: undefined };
          },
        });
      } finally {
        if (dropped.length > 0) dropping.delete(instance_id);
      }
    },

    takeState: (state) =>
      commits.commit<StateRecord | undefined>({
        keys: () => [`state ${state}`],
        run() {
          const record = document.tables.states.get(state);
          return { changes: record ? [["delete", "states", state]] : [], result: record };
        },
      }),
  };
}
