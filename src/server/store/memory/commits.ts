import { clearImmediate, clearTimeout, setImmediate as afterIo, setTimeout } from "node:timers";
import { setImmediate } from "node:timers/promises";
import { isRecord } from "../records.ts";
import { StorageUnavailable } from "../store.ts";
import type { Change, Tables } from "./tables.ts";

/** Makes changes durable. */
export interface Log {
  /** Resolves when the changes are on the disk. If it throws, they are not. */
  append(changes: readonly Change[]): Promise<void>;
  /** Puts these in the place of all records, durably. */
  replace(tables: Tables): Promise<void>;
  /** Whether the log should be compacted, which is done when nothing else is written. */
  readonly isLong: boolean;
  compact(): Promise<void>;
  /** Called when the disk takes too long. */
  onHang(fault: StorageUnavailable): void;
}

/** What an operation does, and answers when that is durable. */
export interface ChangeDecision<Result> {
  /** Each is applied before the next is asked for. If that throws, none of them is made. */
  readonly changes: Iterable<Change>;
  readonly result: Result;
}

interface Member {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_GROUP = 1024;
/** How long an operation waits for the disk, and for the writing of the whole store: a connection without an answer is closed after 30 s. */
const PATIENCE_MS = 10_000;
const WHOLE_PATIENCE_MS = 20_000;

/**
 * Decides on changes, applies them, and answers once they are durable.
 *
 * An operation decides and applies in one step, so that no two of them decide on the same records. Those that arrive while a
 * group is being written form the next group, and one sync serves them all. If it fails, the group and everything that was
 * decided after it are undone, and each caller is told.
 */
export class Commits {
  tables: Tables;
  readonly #log: Log | undefined;
  #waiting: Member[] = [];
  #writing: Promise<void> | undefined;
  /** Work on the whole store, during which nothing is decided. */
  #exclusive: Promise<void> | undefined;
  /** Why nothing can be changed now. */
  #fault: StorageUnavailable | undefined;
  /** Called when changes that were told as failed have been made after all. */
  onLate = (): void => {};

  /** @param log absent: nothing is durable */
  constructor(tables: Tables, log?: Log) {
    this.tables = tables;
    this.#log = log;
  }

  /** @param decide sees everything that was decided before. If it throws, nothing is changed */
  async commit<Result>(decide: () => ChangeDecision<Result>): Promise<Result> {
    this.refuseFault();
    while (this.#exclusive) await this.#exclusive;
    this.refuseFault();
    const { changes: decided, result } = decide();
    const changes = this.#apply(decided);
    if (!this.#log || (changes.length === 0 && !this.#writing)) return result;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject });
      this.#writing ??= this.#write(this.#log!);
    });
    return result;
  }

  /** Replaces all records after everything that was decided before. If `make` throws, nothing is replaced. */
  replace(make: () => Tables): Promise<void> {
    return this.exclusively(async () => {
      const tables = make();
      await this.#log?.replace(tables);
      this.tables = tables;
    });
  }

  /** Does something when all that was decided is written, and before anything else is decided. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    this.refuseFault();
    while (this.#exclusive) await this.#exclusive;
    const working = this.settled().then(work);
    const done = this.#inTime(working, [], WHOLE_PATIENCE_MS);
    this.#exclusive = done.catch((error: unknown) => {
      if (error === this.#fault) throw error;
    });
    this.#exclusive.catch(() => undefined);
    const end = (): void => void (this.#exclusive = undefined);
    working.then(end, end);
    await done;
  }

  /** Resolves when everything that was decided is durable. @throws {StorageUnavailable} if it is not, or not in time */
  written(): Promise<void> {
    return this.commit(() => ({ changes: [], result: undefined }));
  }

  /** Resolves when nothing is being written, however long that takes. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** @throws {StorageUnavailable} if nothing can be changed now */
  refuseFault(): void {
    if (this.#fault) throw this.#fault;
  }

  async #write(log: Log): Promise<void> {
    while (this.#waiting.length > 0) {
      // What arrives in the same turn belongs into one group.
      await setImmediate();
      const group = this.#waiting.splice(0, MAX_GROUP);
      const changes = group.flatMap((member) => member.changes);
      const appended = changes.length === 0 ? Promise.resolve() : log.append(changes);
      this.#inTime(appended, group, PATIENCE_MS).catch(() => undefined);
      try {
        await appended;
        for (const { resolve } of group) resolve();
      } catch (error) {
        const failed = [...group, ...this.#waiting.splice(0)];
        this.#undo(failed.flatMap((member) => member.changes));
        for (const { reject } of failed) reject(error);
      }
    }
    this.#writing = undefined;
    if (log.isLong && !this.#exclusive) void this.exclusively(() => log.compact()).catch(() => undefined);
  }

  #apply(decided: Iterable<Change>): Change[] {
    const applied: Change[] = [];
    try {
      for (const change of decided) {
        const { table, after } = change;
        if (after && !isRecord(table, after)) throw new TypeError(`A change of ${table} has no record of it`);
        this.tables.apply(change);
        applied.push(change);
      }
    } catch (error) {
      this.#undo(applied);
      throw error;
    }
    return applied;
  }

  #undo(changes: readonly Change[]): void {
    for (const { table, before, after } of changes.toReversed())
      this.tables.apply({ table, before: after, after: before });
  }

  /**
   * When the disk takes too long, all who wait for it are told. Its call can't be ended: what was told as failed may have
   * been done when it has answered.
   */
  #inTime(work: Promise<void>, group: readonly Member[], patience: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let fault: StorageUnavailable | undefined;
      const giveUp = (): void => {
        this.#fault = fault = new StorageUnavailable("the disk does not answer");
        for (const member of [...group, ...this.#waiting]) member.reject(fault);
        reject(fault);
        this.#log?.onHang(fault);
      };
      // A process that could not run hears first what the disk answered meanwhile.
      const timer = setTimeout(() => void (late = afterIo(giveUp)), patience);
      let late: NodeJS.Immediate | undefined;
      const end = (): void => {
        clearTimeout(timer);
        clearImmediate(late);
        if (this.#fault === fault) this.#fault = undefined;
      };
      work.then(
        () => {
          end();
          if (fault) this.onLate();
          return resolve();
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }
}
