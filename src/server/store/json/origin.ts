import { resolve } from "node:path";
import { readableFiles } from "./files/directory.ts";
import { headerOf } from "./files/document-reader.ts";
import { journalHeaderOf } from "./files/journal-lines.ts";
import { openReadView } from "./files/read-view.ts";

/** What tells whether a user's own svc created a store. */
export interface Origin {
  /** The store's own, which never changes. Those of older versions have none. */
  readonly id: string | undefined;
  /** Whether everyone on this machine can read it, as nothing that svc creates. */
  readonly isPublic: boolean;
}

/** @returns undefined if there is no store, or none that can be opened. @throws {StoreRefused} */
export async function originOf(location: string): Promise<Origin | undefined> {
  const view = await openReadView(resolve(location), { mayBeEmpty: true });
  try {
    const { document, old, journal } = view;
    if (!document && !old && !journal?.size) return undefined;
    const header = document && (await headerOf(document));
    if (document && !header) return undefined;
    const { store } = header ?? (await journalHeaderOf(journal?.size ? journal : old))?.header ?? {};
    return { id: store, isPublic: (await readableFiles(location)).length > 0 };
  } finally {
    await view.close();
  }
}
