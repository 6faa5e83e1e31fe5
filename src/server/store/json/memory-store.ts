import { Low, Memory } from "lowdb";
import type { Store } from "../store.ts";
import { Document } from "./document/document.ts";
import { createDocumentStore, createSnapshotMemory } from "./document-store.ts";

/** A store without files: it ends with the process. */
export function openMemoryStore(): Store {
  return createDocumentStore({
    location: "memory",
    low: new Low(new Memory<Document>(), new Document()),
    log: {
      append: async () => {},
      gather: async () => {},
      probe: async () => {},
      replace: async (_, publish) => publish(),
    },
    snapshotStorage: createSnapshotMemory(),
    closeLog: async () => {},
  });
}
