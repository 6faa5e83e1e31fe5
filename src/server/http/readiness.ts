import { StorageUnavailable, type Store } from "../store/store.ts";

/** One answer is reused for this long: requests need no key, so each of them must not reach the store. */
const FRESH_MS = 1_000;

/** Why a server should get no requests, with a code for programs. */
interface Fault {
  readonly code: string;
  readonly error: string;
}

export interface Readiness {
  /** Whether a shutdown has begun. */
  isStopping(): boolean;
  /** Undefined if the server is ready. */
  fault(): Promise<Fault | undefined>;
}

/** Whether a process should get requests: for balancers, and for the metrics. */
export function createReadiness(store: Pick<Store, "probe">, isStopping: () => boolean): Readiness {
  let latest: Promise<Fault | undefined> | undefined;

  function look(): Promise<Fault | undefined> {
    const startedAt = performance.now();
    const looking = faultOf(store).then((fault) => {
      // Callers share a look that takes long: it sees when the store is back.
      const forget = (): void => void (latest === looking && (latest = undefined));
      setTimeout(forget, FRESH_MS - (performance.now() - startedAt)).unref();
      return fault;
    });
    return looking;
  }

  return {
    isStopping,
    async fault() {
      if (isStopping()) return { code: "shutting_down", error: "The server is shutting down." };
      return (latest ??= look());
    },
  };
}

async function faultOf(store: Pick<Store, "probe">): Promise<Fault | undefined> {
  try {
    await store.probe();
    return undefined;
  } catch (error) {
    if (error instanceof StorageUnavailable) return { code: error.code, error: error.message };
    return { code: "store_unavailable", error: "The store failed. See the server's log." };
  }
}
