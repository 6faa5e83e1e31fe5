import { Client, Pool, type ClientBase, type PoolClient } from "pg";
import type { Address } from "./address.ts";
import { configOf, localSettings, prepare, type DatabaseEndpoint } from "./connection.ts";
import { coded, isBusy, isLost, NoAnswer, NoConnection, NotSent, withinTime } from "./failures.ts";
import { adviceOn, reasonOf } from "./reasons.ts";
import type { ServerState } from "./servers.ts";
import { openDatabaseSession, type Loan, type DatabaseSession, type Value } from "./session.ts";

/** What connections are for: each kind waits only for its own. */
export type Purpose = "requests" | "searches" | "lists";

export type Server = ReturnType<typeof openServer>;

const LISTS_BUSY = "all connections for lists are busy. Raise list_connections in its address";
const NO_CONNECTION = { requests: "no connection in time", searches: LISTS_BUSY, lists: LISTS_BUSY };
const GROW_AGAIN_MS = 1000;

/**
 * A connection keeps its plans. Those of an empty database find rows by any index that begins with the instance, and so read
 * the whole instance as it grows, until PostgreSQL analyzes the tables: a minute later, with thousands of users. Planning
 * anew each time (plan_cache_mode) makes a sign-in a quarter slower.
 */
const FORGET_PLANS = "DISCARD PLANS";

/** Statements that requests repeat are prepared once per connection, under a name. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `svc_${names.size}`));
  return name;
}

/**
 * The connections to a server that was found, opened on demand. A statement that is no longer waited for keeps its
 * connection until it ends: a commit that hangs keeps a process of the server, also after its connection was closed.
 * @param say called with what an operator should know
 */
export function openServer(
  address: Address,
  endpoint: DatabaseEndpoint,
  state: ServerState,
  say: (text: string) => void,
) {
  const { location, limits } = address;
  const local = localSettings(address, true);
  const most = { requests: limits.poolSize, searches: limits.listConnections, lists: limits.listConnections };
  const pools = { requests: open(most.requests), searches: open(most.searches), lists: open(most.lists) };
  const growing: Partial<Record<Purpose, NodeJS.Timeout>> = {};
  /** How many statements each connection was given. */
  const sent = new WeakMap<PoolClient, number>();
  const lent = new Set<PoolClient>();
  const waiting = new Set<() => void>();
  let isEnded = false;

  function open(max: number): Pool {
    // The pool waits for it, whatever its type says.
    const onConnect = (client: ClientBase): unknown => prepare(client, endpoint);
    const pool = new Pool({
      ...configOf(address, endpoint, true),
      max,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: limits.answerWithinMs,
      onConnect,
    });
    // A loss fails the statement as well, and the pool drops the connection.
    const ignore = (): void => {};
    return pool.on("error", ignore).on("connect", (client) => client.on("error", ignore));
  }

  /** The server has fewer connections for us: requests share those that are open, and one more is tried every second. */
  function shrink(purpose: Purpose, error: unknown): void {
    say(`${reasonOf(error)}, so requests share fewer connections. ${adviceOn(error)}`);
    const { options, totalCount } = pools[purpose];
    options.max = Math.max(1, totalCount);
    clearInterval(growing[purpose]);
    growing[purpose] = setInterval(() => {
      if (++options.max >= most[purpose]) clearInterval(growing[purpose]);
    }, GROW_AGAIN_MS).unref();
  }

  /** @throws {NotSent} if the server was given up meanwhile */
  async function take(purpose: Purpose, until: number): Promise<PoolClient> {
    if (isEnded) throw new NotSent();
    const pool = pools[purpose];
    const taken = pool.connect();
    let leave!: () => void;
    const left = new Promise<never>((_, reject) => (leave = () => reject(new NotSent())));
    waiting.add(leave);
    try {
      const client = await withinTime(Promise.race([taken, left]), until - performance.now());
      lent.add(client);
      return client;
    } catch (caught) {
      taken.then((client) => client.release()).catch(() => undefined);
      if (caught instanceof NoAnswer) throw new NoConnection(NO_CONNECTION[purpose]);
      const error = coded(caught);
      if (isBusy(error)) shrink(purpose, error);
      throw error;
    } finally {
      waiting.delete(leave);
    }
  }

  /** A connection that is lost, or in the middle of a transaction, is closed. */
  function giveBack(client: PoolClient, isBroken = false): void {
    lent.delete(client);
    client.release(isBroken || client.getTransactionStatus() !== "I");
  }

  async function send<Row extends object>(client: PoolClient, name: string | undefined, text: string, values: Value[]) {
    const count = (sent.get(client) ?? 0) + 1;
    sent.set(client, count);
    // With each doubling, so that it costs nothing in the long run.
    if (Number.isInteger(Math.log2(count))) await client.query(FORGET_PLANS);
    if (!endpoint.isPooler)
      return (await client.query<Row>({ ...(name !== undefined && { name }), text, values })).rows;
    const begun = client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${local}`);
    const result = client.query<Row>(text, values);
    const answers = await Promise.allSettled([begun, result, client.query("COMMIT")]);
    for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
    return (await result).rows;
  }

  return {
    endpoint,
    state,
    location: `${endpoint.host.host}:${endpoint.host.port}`,
    found: performance.now(),

    /** One statement in its own transaction. @param until when it is no longer waited for */
    async run<Row extends object>(purpose: Purpose, text: string, values: readonly Value[], until: number) {
      const client = await take(purpose, until);
      const answer = send<Row>(client, purpose === "requests" ? nameOf(text) : undefined, text, [...values]);
      answer.then(
        () => giveBack(client),
        (error: unknown) => giveBack(client, isLost(coded(error))),
      );
      try {
        return await withinTime(answer, until - performance.now());
      } catch (error) {
        throw coded(error);
      }
    },

    openSession(purpose: Purpose, limited: boolean): DatabaseSession {
      const borrow = async (): Promise<Loan> => {
        const client = await take(purpose, performance.now() + limits.answerWithinMs);
        const settings = endpoint.isPooler || !limited ? localSettings(address, limited) : "";
        return { client, settings, giveBack: (answer) => void answer.finally(() => giveBack(client)) };
      };
      return openDatabaseSession(location, borrow, limited ? limits.answerWithinMs : undefined);
    },

    connections: () => ({
      most: limits.poolSize,
      inUse: pools.requests.totalCount - pools.requests.idleCount,
      waiting: pools.requests.waitingCount,
    }),

    /** What waits for a connection is refused. @param seconds that running statements may still take */
    async end(seconds: number): Promise<void> {
      if (isEnded) return;
      isEnded = true;
      for (const timer of Object.values(growing)) clearInterval(timer);
      for (const leave of waiting) leave();
      const ended = Promise.all(Object.values(pools).map((pool) => pool.end()));
      await withinTime(ended, seconds * 1000).catch(() => {
        for (const client of lent) void (client as unknown as Client).end();
      });
    },
  };
}

/** A connection for a tool, whose statements take as long as they need. */
export function connectTool(address: Address, find: () => Promise<DatabaseEndpoint>): () => Promise<Loan> {
  return async () => {
    const endpoint = await find();
    const client = new Client(configOf(address, endpoint, false));
    client.on("error", () => {});
    await client.connect();
    await prepare(client, endpoint);
    const settings = endpoint.isPooler ? localSettings(address, false) : "";
    return { client, settings, giveBack: () => client.end() };
  };
}
