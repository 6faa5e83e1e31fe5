import { beforeAll, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { type Store } from "../../src/server/store/store.ts";
import { createDatabase } from "./_postgres.ts";

/** The address with timeouts long enough for a busy machine. */
export const patient = (url: string): string => `${url}?connect_timeout=60&pool_timeout=60&statement_timeout=60`;

export const open = async (url: string, warnings: string[] = []): Promise<Store> => {
  const store = await openPostgresStore(url, { warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return store;
};

/** The first caller waits for the server. */
export function awaitServer(): void {
  beforeAll(async () => void (await createDatabase()), 240_000);
}
