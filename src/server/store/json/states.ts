import type { Store } from "../store.ts";
import type { Commits } from "./document/commits.ts";
import type { Change } from "./document/tables.ts";
import type { Document } from "./document/document.ts";

export function createStates(document: Document, commits: Commits): Pick<Store, "saveState" | "takeState"> {
  /** The instances whose outdated states are being dropped. Of the saves that arrive together, one does it. */
  const dropping = new Set<string>();
  /** The states whose removal is being written; each settles with it. */
  const taking = new Map<string, Promise<unknown>>();

  return {
    async saveState(record): Promise<void> {
      const { instance_id, created_at } = record;
      let dropped: string[] = [];
      try {
        // Without keys, so that saves never wait for each other: a state is random, and dropping one twice is harmless.
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

    async takeState(state) {
      // The result of the first take decides the second.
      while (taking.has(state)) await taking.get(state);
      const record = document.tables.states.get(state);
      if (!record) return undefined;
      const removed = commits.commit<boolean>({
        keys: () => [`state ${state}`],
        run() {
          const isThere = document.tables.states.has(state);
          return { changes: isThere ? [["delete", "states", state]] : [], result: isThere };
        },
      });
      const settle = (): unknown => taking.delete(state);
      taking.set(state, removed.then(settle, settle));
      return { record, removed };
    },
  };
}
