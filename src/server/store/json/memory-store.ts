import { Low, Memory } from "lowdb";
import type { SnapshotInfo, Store } from "../store.ts";
import { Document } from "./document/document.ts";
import { createDocumentStore, type savedContent, type SnapshotStorage } from "./document-store.ts";

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

export function createSnapshotMemory(): SnapshotStorage {
  const saved = new Map<string, { info: SnapshotInfo; content: ReturnType<typeof savedContent> }>();
  return {
    list: async () => [...saved.values()].map(({ info }) => info).filter(({ name }) => !name.startsWith(".")),
    put: async (info, content) => void saved.set(info.name, { info, content }),
    take: async (name) => saved.get(name)?.content,
    delete: async (name) => saved.delete(name),
  };
}
