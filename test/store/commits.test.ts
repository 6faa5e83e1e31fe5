// Below the faces: from outside nothing can be held between an append and its sync.
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Commits, type ChangeDecision } from "../../src/server/store/memory/commits.ts";
import { put, Tables } from "../../src/server/store/memory/tables.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import { HeldLog } from "./_held-log.ts";
import { persona } from "./_records.ts";

function begin(): { log: HeldLog; commits: Commits } {
  const log = new HeldLog();
  return { log, commits: new Commits(new Tables(), log) };
}

const numberAt = (tables: Tables, key: string): number => Number(tables.personas.get(key)?.name ?? 0);

/** Adds one to the number at each key, and returns the first result. */
const count = (commits: Commits, keys: readonly string[]) => (): ChangeDecision<number> => {
  const { tables } = commits;
  const changes = keys.map((key) =>
    put("personas", tables.personas.get(key), { ...persona(key), name: String(numberAt(tables, key) + 1) }),
  );
  return { changes, result: numberAt(tables, keys[0]!) + 1 };
};

describe("A group of changes", () => {
  it("is written at once: first those of one turn, then all that arrived meanwhile", async () => {
    const { log, commits } = begin();
    const first = [commits.commit(count(commits, ["a"])), commits.commit(count(commits, ["b"]))];
    await log.isAsked();
    const second = Array.from({ length: 100 }, (_, n) => commits.commit(count(commits, [String(n)])));
    await log.next();
    await log.next();
    expect(await Promise.all([...first, ...second])).toEqual(Array(102).fill(1));
    expect(log.groups.map((group) => group.length)).toEqual([2, 100]);
  });

  it("has at most 1024 operations, and the rest follow", async () => {
    const { log, commits } = begin();
    const all = Array.from({ length: 2500 }, (_, n) => commits.commit(count(commits, [String(n)])));
    for (let n = 0; n < 3; n++) await log.next();
    await Promise.all(all);
    expect(log.groups.map((group) => group.length)).toEqual([1024, 1024, 452]);
  });

  it("is answered after it is written, and decided on before", async () => {
    const { log, commits } = begin();
    const answers: number[] = [];
    const calls = [["a"], ["a", "b"], ["b"]].map((keys) =>
      commits.commit(count(commits, keys)).then((result) => answers.push(result)),
    );
    await log.isAsked();
    expect([answers, numberAt(commits.tables, "a")]).toEqual([[], 2]);
    await log.next();
    await Promise.all(calls);
    expect(answers).toEqual([1, 2, 2]);
  });

  it("needs no write if nothing changes, unless it was decided on what is not written yet", async () => {
    const { log, commits } = begin();
    expect(await commits.commit(() => ({ changes: [], result: "read" }))).toBe("read");
    const failure = new StorageUnavailable("disk full");
    const calls = [
      commits.commit(count(commits, ["a"])),
      commits.commit(() => ({ changes: [], result: numberAt(commits.tables, "a") })),
    ];
    const refusals = Promise.allSettled(calls);
    await log.next(failure);
    expect(await refusals).toEqual(calls.map(() => ({ status: "rejected", reason: failure })));
  });

  it("is undone if it can't be written, with all that was decided after it", async () => {
    const { log, commits } = begin();
    const before = commits.commit(count(commits, ["a", "c"]));
    await log.next();
    await before;
    const failure = new StorageUnavailable("disk full");
    const calls = ["a", "b"].map((key) => commits.commit(count(commits, [key])));
    await log.isAsked();
    calls.push(...["a", "c"].map((key) => commits.commit(count(commits, [key]))));
    const refusals = Promise.allSettled(calls);
    await log.next(failure);
    expect(await refusals).toEqual(calls.map(() => ({ status: "rejected", reason: failure })));
    expect(["a", "b", "c"].map((key) => numberAt(commits.tables, key))).toEqual([1, 0, 1]);
    const after = commits.commit(count(commits, ["a"]));
    await log.next();
    expect(await after).toBe(2);
  });

  it("goes on without an operation that refuses, also in the middle of its changes", async () => {
    const { log, commits } = begin();
    const before = commits.commit(count(commits, ["a"]));
    const refused = commits.commit(() => ({
      changes: (function* () {
        yield* count(commits, ["a", "b"])().changes;
        throw new Error("refused");
      })(),
      result: undefined,
    }));
    await expect(refused).rejects.toThrow("refused");
    const after = commits.commit(count(commits, ["b"]));
    await log.next();
    expect(await Promise.all([before, after])).toEqual([1, 1]);
  });

  it("waits while the whole store is written, and that waits for what was decided before", async () => {
    const { log, commits } = begin();
    const before = commits.commit(count(commits, ["a"]));
    const replaced = commits.replace(() => Tables.of({ personas: [{ ...persona("a"), name: "10" }] }));
    const after = commits.commit(count(commits, ["a"]));
    await log.next();
    await replaced;
    await log.next();
    expect(await Promise.all([before, after])).toEqual([1, 11]);
  });

  it("loses no update and matches what was written, with any failures", async () => {
    const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 3 });
    const turn = fc.record({ operations: fc.array(keys, { maxLength: 6 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
        const { log, commits } = begin();
        let acknowledged = 0;
        const calls: Promise<void>[] = [];
        for (const { operations, fails } of turns) {
          for (const names of operations)
            calls.push(
              commits.commit(count(commits, names)).then(
                () => void (acknowledged += names.length),
                () => undefined,
              ),
            );
          await setImmediate();
          if (!log.isIdle) await log.next(fails ? new Error("failed") : undefined);
        }
        while (!log.isIdle) await log.next();
        await Promise.all(calls);
        const written = new Tables();
        for (const change of log.groups.flat()) written.apply(change);
        const numbers = ["a", "b", "c", "d"].map((key) => numberAt(commits.tables, key));
        expect(numbers).toEqual(["a", "b", "c", "d"].map((key) => numberAt(written, key)));
        expect(numbers.reduce((sum, n) => sum + n)).toBe(acknowledged);
      }),
    );
  });
});
