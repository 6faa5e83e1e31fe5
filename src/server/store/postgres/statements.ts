import type { Address } from "./address.ts";
import { connect, localSettings, type Client, type Endpoint } from "./connection.ts";
import { isLost } from "./failures.ts";
import type { Value } from "./session.ts";

/** Runs statements, each in its own transaction, on a bounded number of connections that are opened on demand. */
export interface Statements {
  /** @param isRepeated whether the statement should be prepared, if the server allows that */
  run<Row extends object>(text: string, parameters: readonly Value[], isRepeated: boolean): Promise<Row[]>;
  /** @param timeout seconds that running statements may still take */
  end(timeout: number): Promise<void>;
}

export function openStatements(address: Address, endpoint: Endpoint, max: number): Promise<Statements> {
  return endpoint.isPooler ? Promise.resolve(throughPooler(address, endpoint, max)) : direct(address, endpoint, max);
}

async function direct(address: Address, endpoint: Endpoint, max: number): Promise<Statements> {
  const client = await connect(address, endpoint, { max });
  return {
    run: async (text, parameters, isRepeated) => client.unsafe(text, [...parameters], { prepare: isRepeated }),
    end: (timeout) => client.end({ timeout }),
  };
}

/** A client with one connection. */
interface Slot {
  readonly client: Client;
  isOpen: boolean;
}

/**
 * A pooler may give each transaction another connection, so a statement is sent together with its settings, on a reserved
 * connection. `postgres` cannot reserve one that it must open first (porsager/postgres#1219), unless it fetches types, and
 * then a loss during that ends the process (porsager/postgres#1192). So each connection has a client of its own, and is
 * opened with a plain statement.
 */
function throughPooler(address: Address, endpoint: Endpoint, max: number): Statements {
  const settings = localSettings(address);
  const slots: Promise<Slot>[] = [];
  const free: Slot[] = [];
  const waiting: ((slot: Slot) => void)[] = [];

  async function openSlot(): Promise<Slot> {
    const onclose = (): void => void (slot.isOpen = false);
    const slot: Slot = { client: await connect(address, endpoint, { max: 1, onclose }), isOpen: false };
    return slot;
  }

  function take(): Promise<Slot> | Slot {
    const slot = free.pop();
    if (slot) return slot;
    if (slots.length === max) return new Promise((resolve) => waiting.push(resolve));
    const opening = openSlot();
    slots.push(opening);
    opening.catch(() => slots.splice(slots.indexOf(opening), 1));
    return opening;
  }

  function give(slot: Slot): void {
    const next = waiting.shift();
    if (next) next(slot);
    else free.push(slot);
  }

  return {
    async run<Row extends object>(text: string, parameters: readonly Value[]): Promise<Row[]> {
      const slot = await take();
      try {
        await open(slot);
      } catch (error) {
        give(slot);
        throw error;
      }
      const { answered, released } = await runAsTransaction<Row>(slot.client, settings, text, parameters);
      // The connection must not be reserved again before it is released: if it is lost, that would wait forever.
      void released.then(() => give(slot));
      return answered;
    },

    async end(timeout) {
      const opened = await Promise.all(slots);
      await Promise.all(opened.map(({ client }) => client.end({ timeout })));
    },
  };
}

/** Opens its connection. @throws what keeps it from being opened */
async function open(slot: Slot): Promise<void> {
  // It may be lost again before the answer is read.
  while (!slot.isOpen) {
    slot.isOpen = true;
    try {
      await slot.client.unsafe("SELECT 1");
    } catch (error) {
      slot.isOpen = false;
      throw error;
    }
  }
}

/**
 * One statement in its own transaction, which starts with these settings. The package's `begin` would end the process if
 * the connection is lost in the middle, because it continues to write to it. So everything is sent together.
 */
async function runAsTransaction<Row extends object>(
  client: Client,
  settings: string,
  text: string,
  parameters: readonly Value[],
): Promise<{ answered: Promise<Row[]>; released: Promise<void> }> {
  const connection = await client.reserve();
  const begun = connection.unsafe(`BEGIN ISOLATION LEVEL READ COMMITTED; ${settings}`);
  const rows = connection.unsafe<Row[]>(text, [...parameters]);
  const committed = connection.unsafe("COMMIT");
  const outcome = Promise.all([begun, rows, committed]);
  return { answered: outcome.then(([, found]) => found), released: releaseAfter(connection, outcome, committed) };
}

/** A lost connection must not be reused. A working one answers the COMMIT, even if the statement failed. */
async function releaseAfter(
  connection: { release(): void },
  outcome: Promise<unknown>,
  committed: Promise<unknown>,
): Promise<void> {
  const [, end] = await Promise.allSettled([outcome, committed]);
  if (end.status === "fulfilled" || !isLost(end.reason)) connection.release();
}
