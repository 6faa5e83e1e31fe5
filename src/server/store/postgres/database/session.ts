import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { rootCauseOf, coded, isLost, isRepeatable, isDatabaseAway, NoAnswer, withinTime } from "./failures.ts";
import { databaseUnavailable } from "./reasons.ts";

export type Ask = <Row extends object>(text: string, parameters?: readonly Value[]) => Promise<Row[]>;
/** Every parameter is sent as text; the statement casts it. */
export type Value = string | null;

export type DatabaseSession = ReturnType<typeof openDatabaseSession>;

/** A connection that is given back when it is no longer needed. */
export interface Loan {
  readonly client: Pick<Client, "query">;
  /** What a transaction begins with: statements, each with its semicolon. */
  readonly settings: string;
  /** @param answer of its latest statement, which never rejects */
  giveBack(answer: Promise<unknown>): void | Promise<void>;
}

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
 * One connection, for transactions and cursors. After it is lost, or did not answer in time, every call fails.
 * @param withinMs for each answer; undefined: no limit
 */
export function openDatabaseSession(location: string, borrow: () => Promise<Loan>, withinMs: number | undefined) {
  let loan: Promise<Loan> | undefined;
  let lost: { error: unknown } | undefined;
  let answer: Promise<unknown> = Promise.resolve();

  async function ask<Row extends object>(text: string, parameters: readonly Value[] = []): Promise<Row[]> {
    if (lost) throw lost.error;
    try {
      const { client } = await (loan ??= borrow());
      const result = client.query<Row>(text, [...parameters]);
      answer = result.catch(() => undefined);
      return (await withinTime(result, withinMs)).rows;
    } catch (caught) {
      const error = coded(caught);
      const failure = isDatabaseAway(error) ? databaseUnavailable(location, error) : error;
      if (isLost(error) || error instanceof NoAnswer) lost = { error: failure };
      throw failure;
    }
  }

  async function begin(mode = ""): Promise<void> {
    await ask(`BEGIN ${mode}`);
    const { settings } = await loan!;
    if (settings !== "") await ask(settings);
  }

  return {
    ask,
    begin,

    /** All or nothing. `work` is repeated if PostgreSQL reports a conflict with another transaction. */
    async transaction<T>(work: () => Promise<T>): Promise<T> {
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
          if (!isRepeatable(rootCauseOf(error)) || repeats === MAX_REPEATS) throw error;
          await sleep(Math.random() * Math.min(500, 20 * 2 ** repeats));
        }
      }
    },

    async close(): Promise<void> {
      const borrowed = await loan?.catch(() => undefined);
      loan = undefined;
      await borrowed?.giveBack(answer);
    },
  };
}
