import { StorageUnavailable } from "../../store.ts";
import { isValidChange, type Change } from "./tables.ts";
import type { Document } from "./document.ts";

/** A read and write in one step. */
export interface Operation<Result> {
  /** The keys of what it reads or changes. Of two operations with a common key, the second waits for the first. */
  keys(): readonly string[];
  /** Decides on the document as published, right after `keys`. Throwing refuses this operation alone. */
  run(): { changes: readonly Change[]; result: Result };
}

/** Where changes must be before they count: returns once they are durable, throws if they are not. */
export interface Log {
  append(changes: readonly Change[]): Promise<void>;
  /** Resolves when the operations that arrive together have arrived. */
  gather(): Promise<void>;
  /** Whether a change could be written now. @throws {StorageUnavailable} saying why not */
  probe(): Promise<void>;
  /** Replaces the whole document, and publishes it before anything else is written. */
  replace(document: Document, publish: () => void): Promise<void>;
}

interface Waiting {
  readonly operation: Operation<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Member = Waiting & ReturnType<Operation<unknown>["run"]>;

const MAX_GROUP = 1024;

/**
 * Group commit: operations that arrive while a group is being made durable form the next group, so that one sync
 * serves them all. No reader sees a change before it is durable, and no operation decides on a change that is not.
 */
export class Commits {
  readonly #document: Document;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  #broken: StorageUnavailable | undefined;

  constructor(document: Document, log: Log) {
    this.#document = document;
    this.#log = log;
  }

  commit<Result>(operation: Operation<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ operation, resolve: resolve as (result: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Replaces the document after all earlier operations. If `make` throws, nothing is replaced. */
  async replace(make: () => Document): Promise<void> {
    while (this.#draining) await this.#draining;
    const replaced = this.#replace(make);
    this.#draining = replaced.catch(() => undefined).then(() => this.#drain());
    await replaced;
  }

  /** Resolves when all operations so far are done. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #replace(make: () => Document): Promise<void> {
    const document = make();
    await this.#log.replace(document, () => this.#document.become(document));
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Operations that arrive in the same turn belong into one group.
      await this.#log.gather();
      const group = this.#takeGroup();
      const changes = group.flatMap((member) => member.changes);
      try {
        if (this.#broken) throw this.#broken;
        if (changes.length > 0) await this.#log.append(changes);
        this.#publish(changes);
      } catch (error) {
        for (const { reject } of group) reject(error);
        continue;
      }
      for (const { resolve, result } of group) resolve(result);
    }
    this.#draining = undefined;
  }

  /** A change that is on the disk but not in memory ends all writing. */
  #publish(changes: readonly Change[]): void {
    try {
      for (const change of changes) this.#document.apply(change);
    } catch (error) {
      this.#broken = new StorageUnavailable("a change could not be applied; nothing is written until the next start", {
        cause: error,
      });
      throw this.#broken;
    }
  }

  #takeGroup(): Member[] {
    const taken = new Set<string>();
    const group: Member[] = [];
    const later: Waiting[] = [];
    for (const [index, waiting] of this.#waiting.entries()) {
      if (group.length === MAX_GROUP) {
        later.push(...this.#waiting.slice(index));
        break;
      }
      try {
        const keys = waiting.operation.keys();
        const isFree = !keys.some((key) => taken.has(key));
        for (const key of keys) taken.add(key);
        if (!isFree) {
          later.push(waiting);
          continue;
        }
        const { changes, result } = waiting.operation.run();
        if (!changes.every(isValidChange)) throw new TypeError("A change is of no table, or not of its form");
        group.push({ ...waiting, changes, result });
      } catch (error) {
        waiting.reject(error);
      }
    }
    this.#waiting = later;
    return group;
  }
}
