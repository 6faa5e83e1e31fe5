// Below the faces: PostgreSQL's own behaviour is met by single operations of a store.

import { afterAll, beforeAll, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { type Store } from "../../src/server/store/store.ts";
import { createDatabase, useEmptying } from "./_postgres.ts";

/** The address with timeouts long enough for a busy machine. */
export const patient = (url: string): string => `${url}?connect_timeout=60&pool_timeout=60&statement_timeout=60`;

export const open = async (url: string, warnings: string[] = []): Promise<Store> => {
  const store = await openPostgresStore(url, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return store;
};

/**
 * One store for a file, emptied for each test: to open one takes PostgreSQL longer than most tests.
 * @param prepare changes the database before the store is opened
 */
export function useEmptiedStore(
  warn: (message: string) => void,
  prepare: (url: string) => Promise<void> = async () => undefined,
): () => Promise<Store> {
  const empty = useEmptying();
  let url: string;
  let store: Store;
  beforeAll(async () => {
    url = await createDatabase();
    await (await openPostgresStore(patient(url), { warn: () => {} })).close();
    await prepare(url);
    store = await openPostgresStore(patient(url), { warn });
  });
  afterAll(() => store?.close());
  return async () => {
    await empty(url);
    return { ...store, close: async () => undefined };
  };
}

/** The first caller waits for the server. */
export function awaitServer(): void {
  beforeAll(async () => void (await createDatabase()), 240_000);
}
