import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Commits, type Operation } from "../../src/server/store/json/document/commits.ts";
import type { Change } from "../../src/server/store/json/document/tables.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import { HeldLog } from "./_held-log.ts";
import { persona } from "./_records.ts";

/** Adds one to the number at each key, and returns the first result. */
function count(document: Document, keys: readonly string[]): Operation<number> {
  const numberAt = (key: string): number => Number(document.tables.personas.get(key)?.name ?? 0);
  return {
    keys: () => keys,
    run: () => ({
      changes: keys.map((key): Change => ["put", "personas", { ...persona(key), name: String(numberAt(key) + 1) }]),
      result: numberAt(keys[0] ?? "") + 1,
    }),
  };
}

function begin(): { document: Document; log: HeldLog; commits: Commits } {
  const document = new Document();
  const log = new HeldLog();
  return { document, log, commits: new Commits(document, log) };
}

describe("A group of operations", () => {
  it("is written at once: first those of one turn, then all that arrived meanwhile", async () => {
    const { document, log, commits } = begin();
    const first = [commits.commit(count(document, ["a"])), commits.commit(count(document, ["b"]))];
    await setImmediate();
    const second = Array.from({ length: 100 }, (_, n) => commits.commit(count(document, [String(n)])));
    await log.next();
    await log.next();
    expect(await Promise.all([...first, ...second])).toEqual(Array(102).fill(1));
    expect(log.groups.map((group) => group.length)).toEqual([2, 100]);
  });

  it("has at most 1024, and the rest follow", async () => {
    const { document, log, commits } = begin();
    const all = Array.from({ length: 2500 }, (_, n) => commits.commit(count(document, [String(n)])));
    for (let n = 0; n < 3; n++) await log.next();
    await Promise.all(all);
    expect(log.groups.map((group) => group.length)).toEqual([1024, 1024, 452]);
  });

  it("is invisible before it is written", async () => {
    const { document, log, commits } = begin();
    let answered = false;
    const call = commits.commit(count(document, ["a"])).then(() => (answered = true));
    for (let n = 0; n < 5; n++) await setImmediate();
    expect([answered, document.tables.personas.size]).toEqual([false, 0]);
    await log.next();
    await call;
    expect(document.tables.personas.size).toBe(1);
  });

  it("has one operation per key, so that the next one sees the result of the first", async () => {
    const { document, log, commits } = begin();
    const calls = [["a"], ["a", "b"], ["b"], ["c"]].map((keys) => commits.commit(count(document, keys)));
    for (let n = 0; n < 3; n++) await log.next();
    expect(await Promise.all(calls)).toEqual([1, 2, 2, 1]);
    // The third waits for the second, although its key is not written yet.
    expect(log.groups.map((group) => group.length)).toEqual([2, 2, 1]);
  });

  it("needs no write if nothing changes", async () => {
    const { log, commits } = begin();
    expect(await commits.commit({ keys: () => [], run: () => ({ changes: [], result: "read" }) })).toBe("read");
    expect(log.isIdle).toBe(true);
  });

  it("is rejected completely if it cannot be written, and leaves the document unchanged", async () => {
    const { document, log, commits } = begin();
    const failure = new StorageUnavailable("disk full");
    const calls = ["a", "b"].map((key) => commits.commit(count(document, [key])));
    const refusals = Promise.allSettled(calls);
    await setImmediate();
    const later = ["a", "c"].map((key) => commits.commit(count(document, [key])));
    await log.next(failure);
    expect(await refusals).toEqual(calls.map(() => ({ status: "rejected", reason: failure })));
    expect(document.isEmpty).toBe(true);
    await log.next();
    expect(await Promise.all(later)).toEqual([1, 1]);
    expect([...document.tables.personas.values()].map(({ id }) => id)).toEqual(["a", "c"]);
  });

  it.each(["keys", "run"] as const)("continues without an operation whose %s throws", async (part) => {
    const { document, log, commits } = begin();
    const failure = new Error("refused");
    const refuse = (): never => {
      throw failure;
    };
    const before = commits.commit(count(document, ["a"]));
    const refused = commits.commit({ ...count(document, ["a"]), keys: () => ["x"], [part]: refuse }).catch(String);
    const after = commits.commit(count(document, ["b"]));
    await setImmediate();
    expect(log.isIdle).toBe(false);
    await log.next();
    expect(await Promise.all([before, refused, after])).toEqual([1, String(failure), 1]);
  });

  it("can be awaited until all operations are settled", async () => {
    const { document, log, commits } = begin();
    let settled = false;
    const calls = ["a", "a"].map((key) => commits.commit(count(document, [key])));
    const waiting = commits.settled().then(() => (settled = true));
    await log.next();
    expect(settled).toBe(false);
    await log.next();
    await Promise.all([...calls, waiting]);
    expect(document.tables.personas.get("a")?.name).toBe("2");
    await commits.settled();
  });

  it("keeps each key's order, loses no update and matches what was written, with any failures", async () => {
    const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 3 });
    const turn = fc.record({ operations: fc.array(keys, { maxLength: 6 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 12 }), async (turns) => {
        const { document, log, commits } = begin();
        const answers: { key: string; result: number }[] = [];
        const calls: Promise<void>[] = [];
        for (const { operations, fails } of turns) {
          for (const names of operations) {
            const call = commits.commit(count(document, names));
            calls.push(
              call.then(
                (result) => void answers.push({ key: names[0]!, result }),
                () => undefined,
              ),
            );
          }
          await setImmediate();
          if (!log.isIdle) await log.next(fails ? new Error("failed") : undefined);
        }
        while (!log.isIdle) await log.next();
        await Promise.all(calls);

        const written = new Document();
        for (const change of log.groups.flat()) written.apply(change);
        expect([...document.tables.personas.values()]).toEqual([...written.tables.personas.values()]);
        for (const key of ["a", "b", "c", "d"]) {
          const times = log.groups.flat().filter(([, , record]) => (record as { id: string }).id === key).length;
          expect(Number(document.tables.personas.get(key)?.name ?? 0)).toBe(times);
          const results = answers.filter((answer) => answer.key === key).map((answer) => answer.result);
          expect(results).toEqual(results.toSorted((a, b) => a - b));
          expect(new Set(results).size).toBe(results.length);
        }
      }),
    );
  });
});
