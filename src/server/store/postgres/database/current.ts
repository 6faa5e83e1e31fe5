import { StorageUnavailable, type Warn } from "../../store.ts";
import type { Address } from "./address.ts";
import type { DatabaseClock } from "./clock.ts";
import { HangingCommits, isBusy } from "./failures.ts";
import { openServer, type Server } from "./pool.ts";
import { findServer, type ServerState } from "./servers.ts";
import { tlsWarning } from "./tls.ts";

export type CurrentServer = ReturnType<typeof createCurrentServer>;

const LOOK_AGAIN_MS = 1000;

/**
 * The server that requests go to. When a connection to it is lost, or it does not answer, it is looked for again.
 *
 * A server whose commits wait for a synchronous standby is kept, with its connections: it has a process for each of them,
 * also after they were closed. Others would take all that it has.
 * @param onFound called with the state of each server that is found
 */
export function createCurrentServer(
  address: Address,
  clock: DatabaseClock,
  warn: Warn,
  onFound: (state: ServerState) => void,
) {
  const { location, tls } = address;
  const said = new Set<string>();
  let current: Promise<Server> | undefined;
  let latest: Server | undefined;
  /** Why the current server was kept although it did not answer, and when that was found out. */
  let hanging: { readonly error: HangingCommits; readonly at: number } | undefined;
  let isClosed = false;

  function look(before?: Server, isSilent = false): Promise<Server> {
    const looking = find(before, isSilent);
    current = looking;
    looking.catch(() => forget(looking));
    return looking;
  }

  function forget(server: Promise<Server>): void {
    if (current === server) current = undefined;
  }

  function say(text: string): void {
    if (said.has(text)) return;
    said.add(text);
    warn(`${location}: ${text}`);
  }

  /** @param isSilent whether the server before did not answer */
  async function find(before: Server | undefined, isSilent: boolean): Promise<Server> {
    let found: Awaited<ReturnType<typeof findServer>>;
    try {
      found = await findServer(address, clock);
    } catch (error) {
      // A server without a free connection may have given them to us.
      if (before && isBusy(error)) return before;
      void before?.end(1);
      throw error;
    }
    const { endpoint, state } = found;
    const isSame = state.server === latest?.state.server;
    hanging = undefined;
    onFound(state);
    if (isSame && state.hanging > 0) {
      const error = new HangingCommits(state.hanging, state.hanging_seconds);
      if (!before) throw error;
      hanging = { error, at: performance.now() };
      return before;
    }
    if (before && isSame && !isSilent) return before;
    void before?.end(1);
    const server = openServer(address, endpoint, state, say);
    if (latest && latest.location !== server.location) warn(`${location}: requests now go to ${server.location}.`);
    latest = server;
    const warning = tlsWarning(tls, endpoint.host.host);
    if (warning !== undefined) say(warning);
    return server;
  }

  return {
    /** @throws {StorageUnavailable} after `close` */
    get(): Promise<Server> {
      if (isClosed) throw new StorageUnavailable(`${location} is closed`, { code: "store_closed" });
      return current ?? look();
    },

    latest: () => latest,

    /** Why statements have no answer, if that is known. */
    hanging: () => hanging?.error,

    release: () => void (hanging = undefined),

    /** Looks for a server again. @param isSilent whether this one did not answer, so that its connections can't be trusted */
    async renew(broken: Promise<Server>, isSilent: boolean): Promise<void> {
      const isRecent = hanging !== undefined && performance.now() - hanging.at < LOOK_AGAIN_MS;
      if (current !== broken || isClosed || isRecent) return;
      const before = await broken;
      if (current === broken) await look(before, isSilent).catch(() => undefined);
    },

    /** Sends nothing more there. @param seconds how long running statements may still take */
    async retire(broken: Promise<Server>, seconds: number): Promise<void> {
      forget(broken);
      await (await broken).end(seconds);
    },

    async close(): Promise<void> {
      isClosed = true;
      await (await current?.catch(() => undefined))?.end(5);
    },
  };
}
