import { afterEach, beforeEach } from "vitest";
import type { SessionRecord, UserRecord } from "../../src/server/store/records.ts";
import type { PageOptions, Store } from "../../src/server/store/store.ts";
import { A, all, arrival, type Person } from "./_records.ts";

export interface StoreTraits {
  /** Whether two simultaneous calls run in order. Default true; a server with several connections decides for itself. */
  readonly isInOrder?: boolean;
}

/** The store of the current test, and its most used calls. */
export interface Subject {
  readonly store: Store;
  readonly isInOrder: boolean;
  signIn(person: Person): ReturnType<Store["completeSignIn"]>;
  users(options?: PageOptions, tenant?: string): Promise<UserRecord[]>;
  sessions(options?: PageOptions, tenant?: string): Promise<SessionRecord[]>;
  sessionIds(options?: PageOptions): Promise<string[]>;
}

/** Opens a store before each test of the enclosing `describe`. */
export function useStore(open: () => Promise<Store>, { isInOrder = true }: StoreTraits): Subject {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  const users = async (options: PageOptions = {}, tenant = A): Promise<UserRecord[]> =>
    (await all(store.users(tenant, options))).map((view) => view.user);
  const sessions = (options: PageOptions = {}, tenant = A): Promise<SessionRecord[]> =>
    all(store.sessions(tenant, options));

  return {
    get store() {
      return store;
    },
    isInOrder,
    signIn: (person) => store.completeSignIn(arrival(person)),
    users,
    sessions,
    sessionIds: async (options) => (await sessions(options)).map((row) => row.session_id),
  };
}
