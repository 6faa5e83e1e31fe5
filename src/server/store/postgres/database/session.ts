import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "./address.ts";
import { connect, localSettings, type Endpoint } from "./connection.ts";
import { causeOf, isLost, isRepeatable, isUnavailable, NoAnswer, unavailable, withinTime } from "./failures.ts";

export type Ask = <Row extends object>(text: string, parameters?: readonly Value[]) => Promise<Row[]>;
/** Every parameter is sent as text; the statement casts it. */
export type Value = string | null;

export type Session = ReturnType<typeof openSession>;

const MAX_REPEATS = 10;

/** All rows of a SELECT, some at a time, within an open transaction. @param name unique among its cursors */
export async function* inBatches<Row extends object>(
  ask: Ask,
  name: string,
  size: number,
  select: string,
  parameters?: readonly Value[],
): AsyncIterable<Row[]> {
  await ask(`DECLARE ${name} NO SCROLL CURSOR FOR ${select}`, parameters);
  for (;;) {
    const rows = await ask<Row>(`FETCH ${size} FROM ${name}`);
    if (rows.length > 0) yield rows;
    if (rows.length < size) break;
  }
  await ask(`CLOSE ${name}`);
}

/**
 * One connection, for transactions and cursors. After it is lost, every call fails.
 * @param limited whether statements have a time limit, as for requests
 */
export function openSession(address: Address, server: () => Promise<Endpoint>, limited: boolean) {
  let opened: ReturnType<typeof open> | undefined;
  let lost: { error: unknown } | undefined;
  /** Of the latest statement. */
  let answer: Promise<unknown> | undefined;

  async function open() {
    const endpoint = await server();
    const onclose = (): void => {
      lost ??= { error: unavailable(address.location, new Error("the connection was closed")) };
    };
    return { client: await connect(address, endpoint, limited, onclose), endpoint };
  }

  async function ask<Row extends object>(text: string, parameters: readonly Value[] = []): Promise<Row[]> {
    if (lost) throw lost.error;
    try {
      const { client } = await (opened ??= open());
      const rows = client.unsafe<Row[]>(text, [...parameters]).execute();
      answer = rows;
      return await withinTime(rows, limited ? address.limits.answerWithinMs : undefined);
    } catch (error) {
      const failure = isUnavailable(error) ? unavailable(address.location, error) : error;
      if (isLost(error) || error instanceof NoAnswer) lost = { error: failure };
      throw failure;
    }
  }

  async function begin(mode = ""): Promise<void> {
    await ask(`BEGIN ${mode}`);
    const { endpoint } = await opened!;
    if (endpoint.isPooler) await ask(localSettings(address, limited));
  }

  /** All or nothing. `work` is repeated if PostgreSQL reports a conflict with another transaction. */
  async function transaction<T>(work: () => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats++) {
      try {
        // A transaction that waits for a lock must see the changes made meanwhile.
        await begin("ISOLATION LEVEL READ COMMITTED");
        const result = await work();
        await ask("COMMIT");
        return result;
      } catch (error) {
        if (lost) throw error;
        await ask("ROLLBACK");
        if (!isRepeatable(causeOf(error)) || repeats === MAX_REPEATS) throw error;
        await sleep(Math.random() * Math.min(500, 20 * 2 ** repeats));
      }
    }
  }

  async function close(): Promise<void> {
    const { client } = (await opened?.catch(() => undefined)) ?? {};
    await client?.end({ timeout: 0 });
  }

  return {
    ask,
    begin,
    transaction,
    close,
    /** Closes it when its last statement has ended, also if that is no longer waited for. */
    async end(): Promise<void> {
      await answer?.catch(() => undefined);
      await close();
    },
  };
}
