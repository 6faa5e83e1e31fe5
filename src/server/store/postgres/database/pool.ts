import { StorageUnavailable, type Warn } from "../../store.ts";
import type { Address } from "./address.ts";
import type { Endpoint } from "./connection.ts";
import { adviceOn, reasonOf } from "./failures.ts";
import { findServer } from "./servers.ts";
import { openStatements, type Statements } from "./statements.ts";
import { tlsWarning } from "./tls.ts";

/** Connections to one server. */
export interface Pool {
  readonly endpoint: Endpoint;
  readonly requests: Statements;
  readonly searches: Statements;
  /** When it was created, on `performance.now()`. */
  readonly made: number;
}

/**
 * The current pool. Connections are opened on demand. It is discarded as soon as a connection breaks or turns out to be to
 * a standby; the next query finds a server and creates another one. A connection that `postgres` reopens could still have
 * unsent statements.
 */
export class CurrentPool {
  readonly #address: Address;
  readonly #warn: Warn;
  readonly #said = new Set<string>();
  #pool: Promise<Pool> | undefined;
  #isClosed = false;

  constructor(address: Address, warn: Warn) {
    this.#address = address;
    this.#warn = warn;
  }

  /** @throws {StorageUnavailable} after `close` */
  get(): Promise<Pool> {
    if (this.#isClosed) throw new StorageUnavailable(`${this.#address.location} is closed`, { code: "store_closed" });
    if (this.#pool) return this.#pool;
    const making = this.#make();
    this.#pool = making;
    making.catch(() => this.#forget(making));
    return making;
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

  #forget(pool: Promise<Pool>): void {
    if (this.#pool === pool) this.#pool = undefined;
  }

  #say(text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.#warn(`${this.#address.location}: ${text}`);
  }

  async #make(): Promise<Pool> {
    const { limits, tls } = this.#address;
    const endpoint = await findServer(this.#address);
    const warning = tlsWarning(tls, endpoint.host.host);
    if (warning !== undefined) this.#say(warning);
    const open = (max: number): Statements =>
      openStatements(this.#address, endpoint, max, (error) =>
        this.#say(`${reasonOf(error)}, so requests share fewer connections. ${adviceOn(error)}`),
      );
    return {
      endpoint,
      requests: open(limits.poolSize),
      searches: open(limits.listConnections),
      made: performance.now(),
    };
  }
}

async function endOf(pool: Promise<Pool>, timeout: number): Promise<void> {
  const { requests, searches } = await pool;
  await Promise.all([requests, searches].map((statements) => statements.end(timeout)));
}
