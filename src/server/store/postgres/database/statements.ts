import type { Address } from "./address.ts";
import { connect, localSettings, type Client, type Endpoint } from "./connection.ts";
import { isBusy, NoAnswer, NotSent, withinTime } from "./failures.ts";
import type { Value } from "./session.ts";

interface Waiting {
  readonly until: number;
  resolve(slot: Slot): void;
  reject(error: NotSent | NoAnswer): void;
}

interface Slot {
  client: Promise<Client> | undefined;
  /** How many statements its connection was given. */
  sent: number;
  /** Its statement, which never rejects here, and until when it is waited for, on `performance.now()`. */
  running?: { readonly answer: Promise<unknown>; readonly until: number } | undefined;
}

/**
 * A connection keeps its plans. Those of an empty database find rows by any index that begins with the instance, and so read
 * the whole instance as it grows, until PostgreSQL analyzes the tables: a minute later, with thousands of users.
 */
const FORGET_PLANS = "DISCARD PLANS;";

const GROW_AGAIN_MS = 1000;

/**
 * Runs statements, each in its own transaction, on at most `max` connections that are opened on demand.
 * @param isRepeated whether statements should be prepared, if the server allows that
 * @param onRefused called when the server has fewer connections for us
 */
export function openStatements(
  address: Address,
  endpoint: Endpoint,
  max: number,
  isRepeated: boolean,
  onRefused: (error: unknown) => void,
) {
  const settings = endpoint.isPooler ? localSettings(address) : undefined;
  const slots: Slot[] = [];
  const free: Slot[] = [];
  let waiting: Waiting[] = [];
  let state: "open" | "paused" | "ended" = "open";
  let refused = -Infinity;

  function take(until: number): Slot | Promise<Slot> {
    const idle = free.pop();
    if (idle) return idle;
    const mayGrow = slots.length < max && performance.now() - refused > GROW_AGAIN_MS;
    if (slots.length > 0 && !mayGrow) return new Promise((resolve, reject) => waiting.push({ until, resolve, reject }));
    const slot: Slot = { client: undefined, sent: 0 };
    slots.push(slot);
    return slot;
  }

  function refuseWaiting(because: "paused" | "ended"): void {
    state = because;
    for (const { reject } of waiting) reject(new NotSent());
    waiting = [];
  }

  function give(slot: Slot): void {
    const now = performance.now();
    slot.running = undefined;
    // A database that is too slow for its load must not spend its time on statements that were given up.
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (next.until > now) return next.resolve(slot);
      next.reject(new NoAnswer("no connection in time"));
    }
    free.push(slot);
  }

  function clientOf(slot: Slot): Promise<Client> {
    if (slot.client) return slot.client;
    const onclose = (): void => {
      // It may be told late, when another one has taken its place.
      if (slot.client === opening) slot.client = undefined;
      // Otherwise what was not sent yet may wait forever (porsager/postgres#1193).
      opening.then((client) => client.end({ timeout: 0 })).catch(() => undefined);
    };
    const opening = open(onclose);
    slot.client = opening;
    slot.sent = 0;
    return opening;
  }

  async function open(onclose: () => void): Promise<Client> {
    const client = await connect(address, endpoint, true, onclose);
    // `postgres` cannot reserve a connection that it must open first (porsager/postgres#1219).
    if (endpoint.isPooler) await client.unsafe("SELECT 1");
    return client;
  }

  async function send<Row extends object>(slot: Slot, text: string, parameters: readonly Value[]): Promise<Row[]> {
    let client: Client;
    try {
      client = await clientOf(slot);
    } catch (error) {
      slot.client = undefined;
      throw state === "open" ? error : new NotSent();
    }
    if (state !== "open") throw new NotSent();
    slot.sent++;
    // With each doubling, so that it costs nothing in the long run. The first must be the statement itself: if the connection
    // can't be opened, that one fails with the reason.
    const forget = slot.sent > 1 && Number.isInteger(Math.log2(slot.sent)) ? FORGET_PLANS : "";
    if (settings !== undefined) return sendWithSettings<Row>(client, settings + forget, text, parameters);
    // If the connection is lost, the statement behind it says so.
    if (forget) client.unsafe(forget).catch(() => undefined);
    return client.unsafe<Row[]>(text, [...parameters], { prepare: isRepeated });
  }

  return {
    /**
     * @param until when it is no longer waited for, on `performance.now()`: it is not sent after that
     * @throws {NotSent} if `pause` or `end` was called before it was sent
     */
    async run<Row extends object>(text: string, parameters: readonly Value[], until: number): Promise<Row[]> {
      for (;;) {
        if (state !== "open") throw new NotSent();
        const slot = await take(until);
        const answer = send<Row>(slot, text, parameters);
        slot.running = { answer: answer.catch(() => undefined), until };
        try {
          const rows = await answer;
          give(slot);
          return rows;
        } catch (error) {
          if (!isBusy(error) || slots.length === 1) {
            give(slot);
            throw error;
          }
          // It was not sent, so it waits for one of the open connections.
          refused = performance.now();
          slots.splice(slots.indexOf(slot), 1);
          void endOf(slot, 0).catch(() => undefined);
          onRefused(error);
        }
      }
    },

    /** Sends nothing more until `resume`: what waits is refused. */
    pause(): void {
      if (state === "open") refuseWaiting("paused");
    },

    resume(): void {
      if (state === "paused") state = "open";
    },

    /** Whether every connection is busy with a statement that is no longer waited for. */
    isStuck(): boolean {
      const now = performance.now();
      return slots.length === max && slots.every(({ running }) => running !== undefined && running.until < now);
    },

    /** @param timeout seconds that running statements may still take */
    async end(timeout: number): Promise<void> {
      refuseWaiting("ended");
      await Promise.all(slots.map((slot) => endOf(slot, timeout)));
    },
  };
}

/** A statement that the package has not sent when it is told to end would be lost, and look like one that was sent. */
async function endOf(slot: Slot, timeout: number): Promise<void> {
  if (slot.running) await withinTime(slot.running.answer, timeout * 1000).catch(() => undefined);
  const opened = await slot.client?.catch(() => undefined);
  await opened?.end({ timeout: 0 });
}

/**
 * A pooler may give each transaction another connection, so a statement is sent together with its settings. The package's
 * `begin` would end the process if the connection is lost in the middle, because it continues to write to it.
 */
async function sendWithSettings<Row extends object>(
  client: Client,
  first: string,
  text: string,
  parameters: readonly Value[],
): Promise<Row[]> {
  const connection = await client.reserve();
  // Otherwise a query would be sent when it is awaited, and the order would differ.
  const begun = connection.unsafe(`BEGIN ISOLATION LEVEL READ COMMITTED; ${first}`).execute();
  const rows = connection.unsafe<Row[]>(text, [...parameters]).execute();
  const committed = connection.unsafe("COMMIT").execute();
  // A working connection answers the COMMIT, even if the statement failed. A lost one may not, and must not be used again.
  committed.then(
    () => connection.release(),
    () => undefined,
  );
  const [, found] = await Promise.all([begun, rows, committed]);
  return found;
}
