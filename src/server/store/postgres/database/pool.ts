import { StorageUnavailable, type Warn } from "../../store.ts";
import type { Address } from "./address.ts";
import type { DatabaseClock } from "./clock.ts";
import type { Endpoint } from "./connection.ts";
import { adviceOn, HangingCommits, isBusy, reasonOf } from "./failures.ts";
import { type ServerState, findServer, type Found } from "./servers.ts";
import { openStatements, type Statements } from "./statements.ts";
import { tlsWarning } from "./tls.ts";

/** Connections to one server. */
export interface Pool {
  readonly endpoint: Endpoint;
  readonly requests: Statements;
  readonly searches: Statements;
  /** Those of requests that need a transaction of several statements, opened for each. */
  readonly changes: Semaphore;
  /** When it was created, on `performance.now()`. */
  readonly made: number;
}

/** Sign-ins that take over an account, and changes of the control API, at the same time. */
export const MAX_CHANGES = 2;
/** How often a server whose commits hang is looked at. */
const LOOK_AGAIN_MS = 1000;

interface CurrentPoolOptions {
  readonly clock: DatabaseClock;
  readonly warn: Warn;
  /** Called with the state of each server that is found. */
  onFound(state: ServerState): void;
}

/**
 * The current pool. Connections are opened on demand. It is replaced as soon as a connection breaks or turns out to be to
 * a standby: the next query finds a server and creates another one. A connection that `postgres` reopens could still have
 * unsent statements.
 *
 * A server whose commits wait for a synchronous standby keeps a process for each of them, also after its connection was
 * closed. So the pool to such a server is not replaced: otherwise we would take all of its connections.
 */
export class CurrentPool {
  readonly #address: Address;
  readonly #options: CurrentPoolOptions;
  readonly #said = new Set<string>();
  #pool: Promise<Pool> | undefined;
  /** The server of the latest pool. */
  #latest: { readonly server: string; readonly host: string } | undefined;
  /** Why the current pool was kept although it did not answer, and when that was found out. */
  #hanging: { readonly error: HangingCommits; readonly at: number } | undefined;
  #isClosed = false;

  constructor(address: Address, options: CurrentPoolOptions) {
    this.#address = address;
    this.#options = options;
  }

  /** @throws {StorageUnavailable} after `close` */
  get(): Promise<Pool> {
    if (this.#isClosed) throw new StorageUnavailable(`${this.#address.location} is closed`, { code: "store_closed" });
    return this.#pool ?? this.#begin();
  }

  /** Why statements on the current pool have no answer, if that is known. */
  get hanging(): HangingCommits | undefined {
    return this.#hanging?.error;
  }

  /** Commits end again. */
  release(): void {
    this.#hanging = undefined;
  }

  /** Uses another pool, or the same one to a server whose commits hang. */
  renew(broken: Promise<Pool>): void {
    const isRecent = this.#hanging !== undefined && performance.now() - this.#hanging.at < LOOK_AGAIN_MS;
    if (this.#pool !== broken || this.#isClosed || isRecent) return;
    // What waits there goes to the pool that is found.
    void broken.then(({ requests, searches }) => [requests, searches].forEach((each) => each.pause()));
    this.#begin(broken).catch(() => undefined);
  }

  /** @param seconds how long running statements may still take */
  retire(broken: Promise<Pool>, seconds: number): void {
    this.#forget(broken);
    void endOf(broken, seconds).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = this.#pool;
    if (await pool?.catch(() => undefined)) await endOf(pool!, 5);
  }

  #begin(broken?: Promise<Pool>): Promise<Pool> {
    const making = this.#make(broken);
    this.#pool = making;
    making.catch(() => this.#forget(making));
    return making;
  }

  #forget(pool: Promise<Pool>): void {
    if (this.#pool === pool) this.#pool = undefined;
  }

  #say(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#options.warn(`${this.#address.location}: ${text}`);
  }

  async #make(broken?: Promise<Pool>): Promise<Pool> {
    let found: Found;
    try {
      found = await findServer(this.#address, this.#options.clock);
    } catch (error) {
      // A server without a free connection may have given them to us.
      if (broken && isBusy(error)) return resumed(broken);
      if (broken) void endOf(broken, 1).catch(() => {});
      throw error;
    }
    const { endpoint, state } = found;
    this.#hanging = undefined;
    if (state.server === this.#latest?.server && state.hanging > 0) {
      const error = new HangingCommits(state.hanging, state.hanging_seconds);
      if (!broken) throw error;
      this.#hanging = { error, at: performance.now() };
      return resumed(broken);
    }
    if (broken) void endOf(broken, 1).catch(() => {});
    this.#options.onFound(state);
    this.#note(endpoint, state);
    return this.#open(endpoint);
  }

  #note({ host }: Endpoint, { server }: ServerState): void {
    const name = `${host.host}:${host.port}`;
    const { location, tls } = this.#address;
    if (this.#latest && this.#latest.host !== name) this.#options.warn(`${location}: requests now go to ${name}.`);
    this.#latest = { server, host: name };
    const warning = tlsWarning(tls, host.host);
    if (warning !== undefined) this.#say(warning);
  }

  #open(endpoint: Endpoint): Pool {
    const { limits } = this.#address;
    const open = (max: number): Statements =>
      openStatements(this.#address, endpoint, max, (error) =>
        this.#say(`${reasonOf(error)}, so requests share fewer connections. ${adviceOn(error)}`),
      );
    return {
      endpoint,
      requests: open(limits.poolSize),
      searches: open(limits.listConnections),
      changes: createSemaphore(MAX_CHANGES),
      made: performance.now(),
    };
  }
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
