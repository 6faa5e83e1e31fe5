import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Book } from "./_book.ts";
import { attach, directory, figure, recovered, tools, Worker } from "./_processes.ts";

const ROUNDS = figure(10, 200);

it(`Exactly one of four processes that start together gets the store (${ROUNDS} rounds)`, async () => {
  const path = join(await directory(), "db.json");
  const workers = await Promise.all([1, 2, 3, 4].map(() => Worker.start(path)));
  const book = new Book();
  for (let round = 1; round <= ROUNDS; round++) {
    await Promise.all(workers.map((worker) => worker.run("open")));
    const refusals = workers.map((worker) => worker.refusals.splice(0));
    const winners = workers.filter((_, n) => refusals[n]!.length === 0);
    expect(winners.length).toBe(1);
    const [winner] = winners as [Worker];
    for (const refusal of refusals.flat()) {
      expect(refusal).toMatchObject({ kind: "StoreRefused", reason: "locked" });
      expect(refusal.message).toContain(`${path} is in use by`);
    }
    await winner.run(`in ${round} ${round}`);
    expect(winner.refusals).toEqual([]);
    book.asked(`in ${round} ${round}`);
    book.acknowledged(`in ${round} ${round}`);
    if (round % 2 === 0) await winner.run("close");
    else {
      // Killed, it leaves nothing that keeps the next one out.
      await winner.kill();
      workers[workers.indexOf(winner)] = await Worker.start(path);
    }
  }
  await Promise.all(workers.map((worker) => worker.kill()));
  expect(book.faults((await recovered(path, book)).found)).toEqual([]);
  console.log(`${ROUNDS} rounds of 4 starts: one winner each`);
});

it("A suspended owner keeps the store and continues when it is resumed", async () => {
  const path = join(await directory(), "db.json");
  const owner = await Worker.start(path);
  const other = await Worker.start(path, { book: owner.book });
  await owner.run("open", "in 1 1");
  await owner.pause();
  await delay(figure(500, 30_000));
  await other.run("open");
  expect(other.refusals).toMatchObject([
    { reason: "locked", message: expect.stringContaining(`process ${owner.pid}`) },
  ]);
  owner.signal("SIGCONT");
  await owner.run("in 2 2");
  expect(owner.refusals).toEqual([]);
  expect(owner.book.faults((await recovered(path, owner.book, owner)).found)).toEqual([]);
});

/** As on a network file system that two machines share: one does not see that the other's lock is alive. */
describe("An owner that does not see the other owner's lock", () => {
  async function hideLock(path: string): Promise<void> {
    for (const name of await readdir(join(path, ".."))) if (name.endsWith(".lock")) await rm(join(path, "..", name));
  }

  it.each([
    ["that has written", ["in 2 2", "out 1"]],
    ["that has written, compacted and closed", ["in 2 2", "out 1", "close"]],
    ["that has written, compacted and written again", ["in 2 2", "compact", "out 1", "save 11"]],
    ["that was killed", ["in 2 2", "out 1", "kill"]],
  ])("writes nothing after it was suspended, over another owner %s", async (_, lines) => {
    const path = join(await directory(), "db.json");
    const book = new Book();
    const owner = await Worker.start(path, { book });
    await owner.run("open", "in 1 1", "save 1", "compact");
    await owner.pause();
    const successor = await Worker.start(path, { book });
    await hideLock(path);
    await successor.run("open");
    for (const line of lines) await (line === "kill" ? successor.kill() : successor.run(line));
    expect(successor.refusals).toEqual([]);
    const before = await recovered(path, book, successor);
    owner.signal("SIGCONT");
    await owner.run("in 5 5", "save 6", "take 1", "close");
    expect(owner.refusals.map(({ what, kind }) => `${what}: ${kind}`)).toEqual(
      ["in 5 5", "save 6", "take 1"].map((what) => `${what}: StorageUnavailable`),
    );
    const after = await recovered(path, book, successor);
    expect(after.found).toEqual(before.found);
    expect(book.faults(after.found)).toEqual([]);
    if (!lines.some((line) => line === "kill" || line === "close")) {
      await successor.run("in 7 7");
      expect(successor.refusals).toEqual([]);
    }
  });

  it("writes nothing after another owner has started, even without being suspended", async () => {
    const path = join(await directory(), "db.json");
    const book = new Book();
    const owner = await Worker.start(path, { book });
    await owner.run("open", "in 1 1");
    const other = await Worker.start(path, { book });
    await hideLock(path);
    await other.run("open");
    await owner.run("in 2 2");
    await other.run("in 3 3", "close");
    expect(other.refusals).toEqual([]);
    await owner.run("in 4 4", "close");
    expect(owner.refusals.map(({ what, kind }) => `${what}: ${kind}`)).toEqual(
      ["in 2 2", "in 4 4"].map((what) => `${what}: StorageUnavailable`),
    );
    expect(book.faults((await recovered(path, book)).found)).toEqual([]);
  });

  it.skipIf(!tools.strace).each([
    ["compacts", "openat", "compact", ["in 2 2", "out 1"]],
    ["compacts", "openat", "compact", ["in 2 2", "compact", "out 1"]],
    ["compacts", "openat", "compact", ["in 2 2", "out 1", "close"]],
    ["writes a change", "pwrite64,write", "in 5 5", ["in 2 2", "out 1", "save 12"]],
  ])("loses nothing of another owner's when it is suspended while it %s (in %s)", async (_, calls, work, lines) => {
    const path = join(await directory(), "db.json");
    const book = new Book();
    const owner = await Worker.start(path, { book });
    const successor = await Worker.start(path, { book });
    await owner.run("open", "in 1 1", "compact");
    const journal = join(path, "../db.journal");
    const only = calls.includes("write") ? ["-P", journal] : [];
    const inject = ["-e", `trace=${calls}`, "-e", `inject=${calls}:delay_enter=3000000:when=1`];
    const detach = await attach(owner.pid, ["-o", "/dev/null", ...only, ...inject]);
    const working = owner.run(work);
    await delay(500);
    await hideLock(path);
    await successor.run("open", ...lines);
    await working;
    await delay(3500);
    await owner.run("in 6 6");
    await detach();
    await owner.run("close");
    expect(owner.refusals.at(-1)).toMatchObject({ kind: "StorageUnavailable" });
    await owner.kill();
    await successor.kill();
    expect(book.faults((await recovered(path, book)).found)).toEqual([]);
  });
});
