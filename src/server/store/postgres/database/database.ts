import type { Warn } from "../../store.ts";
import { type Address, parseAddress } from "./address.ts";
import { createDatabaseClock } from "./clock.ts";
import { isLocked, isTooSlow } from "./failures.ts";
import { describeHolders, createReports } from "./reports.ts";
import { createCurrentServer } from "./current.ts";
import { connectTool } from "./pool.ts";
import { createQuery } from "./query.ts";
import { asRefusal } from "./reasons.ts";
import { serverFaultOf, READ_STATE, type ServerState } from "./servers.ts";
import { openDatabaseSession, type Ask, type DatabaseSession } from "./session.ts";

/** How often a server that could not be used is looked at while it answers reads. */
const LOOK_AGAIN_MS = 1000;

export type Database = ReturnType<typeof openDatabase>;

/** A database. Nothing connects to it before the first query. */
export function openDatabase(address: Address, warn: Warn) {
  const { location, limits } = address;
  const reports = createReports(location, warn);
  const clock = createDatabaseClock((text) => warn(`${location}: ${text}`));
  let latest: ServerState | undefined;
  const servers = createCurrentServer(address, clock, warn, noteState);
  let looked = -Infinity;
  let timeouts = 0;

  function noteState(state: ServerState): void {
    latest = state;
    if (state.hanging > 0 || serverFaultOf(state)) return;
    servers.release();
    reports.usable(false);
  }

  const query = createQuery(address, servers, reports, {
    onAnswer(isInspected) {
      reports.answer();
      // Without a balancer nothing else asks whether what was wrong still is.
      if (isInspected || !reports.isDoubtful() || performance.now() - looked < LOOK_AGAIN_MS) return;
      looked = performance.now();
      check().catch(() => undefined);
    },
    onFailure(error, isSearch) {
      // A search that takes too long is answered with advice.
      if (!(isSearch && isTooSlow(error))) void noteFailure(error);
    },
  });

  /** Looks whether the server accepts writes, and completes them. @throws {StorageUnavailable} saying why not */
  async function check(): Promise<void> {
    await query<ServerState>(READ_STATE, [], {
      inspect([state], asked) {
        clock.note(state!.moment, asked);
        noteState(state!);
        const fault = serverFaultOf(state!);
        if (fault) throw fault;
      },
    });
  }

  async function noteFailure(error: unknown): Promise<void> {
    const isWaiting = isTooSlow(error) || isLocked(error);
    if (isWaiting) timeouts++;
    await reports.failure(error, async () =>
      isWaiting ? describeHolders((text) => query(text, [], { isSearch: true })) : "",
    );
  }

  const sessions = new Set<DatabaseSession>();

  return {
    location,
    limits,
    schemaOwner: address.schemaOwner,
    query,
    check,
    warn,
    /** From now on `warn` gets what fails, when the database is lost and when it is back. */
    serve: reports.serve,
    clock,
    isFull: reports.isFull,
    noteRoom: () => reports.usable(true),
    hangingCommits: () => latest?.hanging ?? 0,
    timeouts: () => timeouts,
    connections: () => servers.latest()?.connections() ?? { most: limits.poolSize, inUse: 0, waiting: 0 },
    /** For a tool, with a connection of its own and no time limit. Closed with the database, if not before. */
    openSession(): DatabaseSession {
      const session = openDatabaseSession(
        location,
        connectTool(address, async () => (await servers.get()).endpoint),
        undefined,
      );
      const close = async (): Promise<void> => {
        sessions.delete(session);
        await session.close();
      };
      sessions.add(session);
      return { ...session, close };
    },
    /** Reads some rows at a time. A slow reader keeps a connection that long. @throws {StorageUnavailable} */
    openList: async (): Promise<DatabaseSession> => (await servers.get()).openSession("lists", true),
    /** A transaction of a request. @param limited whether its statements have a time limit @throws {StorageUnavailable} */
    async transaction<T>(work: (ask: Ask) => Promise<T>, limited = true): Promise<T> {
      const session = (await servers.get()).openSession("requests", limited);
      try {
        return await session.transaction(() => work(session.ask));
      } finally {
        // A commit that hangs keeps its connection.
        void session.close();
      }
    },
    /** That of a request that arrives now, on `performance.now()`. */
    deadline: () => performance.now() + limits.answerWithinMs,
    async close(): Promise<void> {
      await Promise.all([...sessions].map((session) => session.close()));
      await servers.close();
    },
  };
}

/** The database at an address. What the address omits comes from libpq's variables. @throws {ServeError} */
export function openDatabaseAt(url: string, warn: Warn): Database {
  // eslint-disable-next-line node/no-process-env
  return openDatabase(parseAddress(url, process.env), warn);
}

/** Works with a database and closes it. @throws {StoreRefused} */
export async function withDatabase<T>(url: string, warn: Warn, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabaseAt(url, warn);
  try {
    return await work(database);
  } catch (error) {
    throw asRefusal(database.location, error);
  } finally {
    await database.close();
  }
}
