import type { Store } from "../store.ts";

/** The same store, with a callback for the duration of its writes. */
export function observed(store: Store, onCommit: ((seconds: number) => void) | undefined): Store {
  if (!onCommit) return store;
  async function time<T>(write: Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await write;
    onCommit!((performance.now() - started) / 1000);
    return result;
  }
  return {
    ...store,
    deleteUser: (instance_id, id) => time(store.deleteUser(instance_id, id)),
    pruneSessions: (instance_id, before, limit) => time(store.pruneSessions(instance_id, before, limit)),
    saveState: (record) => time(store.saveState(record)),
    takeState: (state) => time(store.takeState(state)),
    completeSignIn: (signIn) => time(store.completeSignIn(signIn)),
  };
}
