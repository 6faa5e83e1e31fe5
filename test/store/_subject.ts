import { afterEach, beforeEach } from "vitest";
import type { SessionRecord, UserRecord } from "../../src/server/store/records.ts";
import type { PageOptions, Store } from "../../src/server/store/store.ts";
import { A, all, arrival, state, type Person } from "./_records.ts";

export interface StoreTraits {
  /** Whether two simultaneous calls run in order. Default true; a server with several connections decides for itself. */
  readonly isInOrder?: boolean;
  /** A quicker way to save many states by their numbers than one after another. */
  readonly saveStates?: (first: number, last: number) => Promise<void>;
}

/** The store of the current test, and its most used calls. */
export interface Subject {
  readonly store: Store;
  readonly isInOrder: boolean;
  signIn(person: Person): ReturnType<Store["completeSignIn"]>;
  users(options?: PageOptions, tenant?: string): Promise<UserRecord[]>;
  sessions(options?: PageOptions, tenant?: string): Promise<SessionRecord[]>;
  userIds(options?: PageOptions): Promise<string[]>;
  sessionIds(options?: PageOptions): Promise<string[]>;
  /** Saves states with consecutive numbers, 64 at once. */
  begin(first: number, last: number): Promise<void>;
  /** Adds states with consecutive numbers as quickly as the store can. */
  fill(first: number, last: number): Promise<void>;
}

/** Opens a store before each test of the enclosing `describe`. */
export function useStore(open: () => Promise<Store>, { isInOrder = true, saveStates }: StoreTraits): Subject {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  const users = async (options: PageOptions = {}, tenant = A): Promise<UserRecord[]> =>
    (await all(store.users(tenant, options))).map((view) => view.user);
  const sessions = (options: PageOptions = {}, tenant = A): Promise<SessionRecord[]> =>
    all(store.sessions(tenant, options));
  const begin = async (first: number, last: number): Promise<void> => {
    let next = first;
    const worker = async (): Promise<void> => {
      while (next <= last) await store.saveState(state(next++));
    };
    await Promise.all(Array.from({ length: 64 }, worker));
  };

  return {
    get store() {
      return store;
    },
    isInOrder,
    signIn: (person) => store.completeSignIn(arrival(person)),
    users,
    sessions,
    userIds: async (options) => (await users(options)).map((row) => row.id),
    sessionIds: async (options) => (await sessions(options)).map((row) => row.session_id),
    begin,
    fill: saveStates ?? begin,
  };
}
