import { StorageUnavailable, type Warn } from "../../store.ts";
import type { Address } from "./address.ts";
import type { DatabaseClock } from "./clock.ts";
import type { Endpoint } from "./connection.ts";
import { adviceOn, HangingCommits, isBusy, reasonOf } from "./failures.ts";
import { type ServerState, findServer } from "./servers.ts";
import { openStatements } from "./statements.ts";
import { tlsWarning } from "./tls.ts";

export type Pool = ReturnType<typeof openPool>;

/** Sign-ins that take over an account, and changes of the control API, at the same time. */
export const MAX_CHANGES = 2;
/** How often a server whose commits hang is looked at. */
const LOOK_AGAIN_MS = 1000;

/**
 * The current pool. Connections are opened on demand. It is replaced as soon as a connection breaks or turns out to be to
 * a standby: the next query finds a server and creates another one. A connection that `postgres` reopens could still have
 * unsent statements.
 *
 * A server whose commits wait for a synchronous standby keeps a process for each of them, also after its connection was
 * closed. So the pool to such a server is not replaced: otherwise we would take all of its connections.
 * @param onFound called with the state of each server that is found
 */
export function createCurrentPool(
  address: Address,
  clock: DatabaseClock,
  warn: Warn,
  onFound: (state: ServerState) => void,
) {
  const { location, tls } = address;
  const said = new Set<string>();
  let current: Promise<Pool> | undefined;
  let latest: { readonly server: string; readonly host: string } | undefined;
  /** Why the current pool was kept although it did not answer, and when that was found out. */
  let hanging: { readonly error: HangingCommits; readonly at: number } | undefined;
  let isClosed = false;

  function begin(broken?: Promise<Pool>): Promise<Pool> {
    const making = make(broken);
    current = making;
    making.catch(() => forget(making));
    return making;
  }

  function forget(pool: Promise<Pool>): void {
    if (current === pool) current = undefined;
  }

  function say(text: string): void {
    if (said.has(text)) return;
    said.add(text);
    warn(`${location}: ${text}`);
  }

  async function make(broken?: Promise<Pool>): Promise<Pool> {
    let found: Awaited<ReturnType<typeof findServer>>;
    try {
      found = await findServer(address, clock);
    } catch (error) {
      // A server without a free connection may have given them to us.
      if (broken && isBusy(error)) return resumed(broken);
      if (broken) void endOf(broken, 1).catch(() => {});
      throw error;
    }
    const { endpoint, state } = found;
    hanging = undefined;
    if (state.server === latest?.server && state.hanging > 0) {
      const error = new HangingCommits(state.hanging, state.hanging_seconds);
      if (!broken) throw error;
      hanging = { error, at: performance.now() };
      return resumed(broken);
    }
    if (broken) void endOf(broken, 1).catch(() => {});
    onFound(state);
    const { host, port } = endpoint.host;
    const name = `${host}:${port}`;
    if (latest && latest.host !== name) warn(`${location}: requests now go to ${name}.`);
    latest = { server: state.server, host: name };
    const warning = tlsWarning(tls, host);
    if (warning !== undefined) say(warning);
    return openPool(address, endpoint, (error) =>
      say(`${reasonOf(error)}, so requests share fewer connections. ${adviceOn(error)}`),
    );
  }

  return {
    /** @throws {StorageUnavailable} after `close` */
    get(): Promise<Pool> {
      if (isClosed) throw new StorageUnavailable(`${location} is closed`, { code: "store_closed" });
      return current ?? begin();
    },

    /** Why statements on the current pool have no answer, if that is known. */
    hanging: () => hanging?.error,

    release: () => void (hanging = undefined),

    /** Uses another pool, or the same one to a server whose commits hang. */
    renew(broken: Promise<Pool>): void {
      const isRecent = hanging !== undefined && performance.now() - hanging.at < LOOK_AGAIN_MS;
      if (current !== broken || isClosed || isRecent) return;
      // What waits there goes to the pool that is found.
      void broken.then(({ requests, searches }) => [requests, searches].forEach((each) => each.pause()));
      begin(broken).catch(() => undefined);
    },

    /** @param seconds how long running statements may still take */
    retire(broken: Promise<Pool>, seconds: number): void {
      forget(broken);
      void endOf(broken, seconds).catch(() => {});
    },

    async close(): Promise<void> {
      isClosed = true;
      const pool = current;
      if (await pool?.catch(() => undefined)) await endOf(pool!, 5);
    },
  };
}

function openPool(address: Address, endpoint: Endpoint, onRefused: (error: unknown) => void) {
  const { poolSize, listConnections } = address.limits;
  return {
    endpoint,
    requests: openStatements(address, endpoint, poolSize, true, onRefused),
    searches: openStatements(address, endpoint, listConnections, false, onRefused),
    /** Those of requests that need a transaction of several statements, opened for each. */
    changes: createSemaphore(MAX_CHANGES),
    /** When it was created, on `performance.now()`. */
    made: performance.now(),
  };
}

async function resumed(pool: Promise<Pool>): Promise<Pool> {
  const { requests, searches } = await pool;
  [requests, searches].forEach((each) => each.resume());
  return pool;
}

async function endOf(pool: Promise<Pool>, timeout: number): Promise<void> {
  const { requests, searches } = await pool;
  await Promise.all([requests, searches].map((statements) => statements.end(timeout)));
}

export type Semaphore = ReturnType<typeof createSemaphore>;

/** Lets a limited number of callers continue at a time: first come, first served. */
export function createSemaphore(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    /** False if it was not this caller's turn in time. */
    async acquire(ms: number): Promise<boolean> {
      if (free > 0) {
        free--;
        return true;
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(taken), 1);
          resolve(false);
        }, ms);
        function taken(): void {
          clearTimeout(timer);
          resolve(true);
        }
        waiting.push(taken);
      });
    },

    release(): void {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}
