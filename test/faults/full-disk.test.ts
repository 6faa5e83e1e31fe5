// Below the faces: which write meets the full disk must be known.

import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { StorageUnavailable, StoreRefused } from "../../src/server/store/store.ts";
import { records } from "../store/_records.ts";
import { Book, perform, type Act } from "./_book.ts";
import { attach, directory, figure, needs, recovered, tools, Worker } from "./_processes.ts";
import { randomFrom } from "./_random.ts";

needs("prlimit", "strace", "mount", "chattr");

const journalOf = (path: string): string => join(dirname(path), "db.journal");

function limit(pid: number, size: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:unlimited`]);
}

/** The kinds of refusal. */
const kinds = (worker: Worker): string[] => [...new Set(worker.refusals.map((refusal) => refusal.kind))];

describe.skipIf(!tools.prlimit)("A full disk", () => {
  const FAILURES = figure(30, 200);
  it(`refuses ${FAILURES} writes, none of which appears later, and accepts writes once there is space`, async () => {
    const random = randomFrom(8);
    const path = join(await directory(), "db.json");
    const worker = await Worker.start(path);
    await worker.run("open", "in 1 1", "save 1");
    const faults: string[] = [];
    let n = 10;
    for (let round = 0; round < FAILURES / 2; round++) {
      // Less than is asked for next, whether the journal was compacted meanwhile or not.
      limit(worker.pid, Math.floor(random() * 600));
      n += 10;
      const before = worker.refusals.length;
      await worker.run(`in ${n} ${n} & in ${n + 1} ${n} & save ${n} & in ${n + 3} ${n}`, `out 1 & save ${n + 4}`);
      // The second refusal is that of the deletion.
      expect(worker.refusals.length).toBeGreaterThan(before);
      limit(worker.pid, "unlimited");
      await worker.run(`in ${n + 5} ${n}`, `save ${n + 5}`);
      if (!worker.book.present("person").includes(1)) await worker.run(`in 1 ${n}`);
      const { found, warnings } = await recovered(path, worker.book, worker);
      faults.push(...worker.book.faults(found), ...warnings);
    }
    expect(faults).toEqual([]);
    expect(kinds(worker)).toEqual(["StorageUnavailable"]);
    console.log(`${worker.refusals.length} refused writes of ${worker.book.acknowledgements}: 0 seen later`);
  });

  it("prevents a start with an error about the store until there is room", async () => {
    const path = join(await directory(), "db.json");
    const worker = await Worker.start(path);
    await worker.run("open", "in 1 1", "save 1", "close");
    limit(worker.pid, 0);
    await worker.run("open");
    expect(worker.refusals).toMatchObject([{ what: "open", kind: "StoreRefused", reason: "unusable" }]);
    limit(worker.pid, "unlimited");
    await worker.run("open", "in 2 2");
    expect(worker.book.faults((await recovered(path, worker.book, worker)).found)).toEqual([]);
  });

  it("keeps the journal when it can't be compacted, and compacts it once there is space", async () => {
    const path = join(await directory(), "db.json");
    const worker = await Worker.start(path);
    for (let n = 1; n <= figure(3, 20); n++) {
      await worker.run("open", `in ${n} ${n}`, `save ${n * 11}`);
      // A second without a change, and the journal is compacted: with prlimit on a busy machine that passes.
      await worker.pause();
      limit(worker.pid, 100);
      worker.signal("SIGCONT");
      await worker.run("close");
      const warnings = worker.warnings.splice(0);
      expect(warnings.length).toBeGreaterThan(0);
      expect(warnings.filter((warning) => !warning.includes("the journal keeps everything"))).toEqual([]);
      const full = await recovered(path, worker.book);
      expect(worker.book.faults(full.found)).toEqual([]);
      limit(worker.pid, "unlimited");
      await worker.run("open", `save ${n * 11 + 1}`, "close");
      const again = await recovered(path, worker.book);
      expect(worker.book.faults(again.found)).toEqual([]);
      expect([...full.warnings, ...again.warnings, ...worker.warnings, ...worker.refusals]).toEqual([]);
    }
  });

  it.skipIf(!tools.mount)("refuses writes when a real file system has no block left", async () => {
    const place = await directory();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", place]);
    onTestFinished(() => void execFileSync("umount", ["-l", place]));
    const path = join(place, "db.json");
    const warnings: string[] = [];
    const store = await openFileStore(path, { warn: (message) => warnings.push(message) });
    onTestFinished(() => store.close());
    await store.seed(records());
    const book = new Book();
    const act = async (what: Act): Promise<boolean> => {
      book.asked(what);
      try {
        await perform(store, what);
        book.acknowledged(what);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(StorageUnavailable);
        book.refused(what);
        return false;
      }
    };
    for (let round = 1; round <= 3; round++) {
      const filler = Array.from({ length: 256 }, (_, block) => join(place, `filler${block}`));
      for (const file of filler) await writeFile(file, Buffer.alloc(4096)).catch(() => undefined);
      let n = round * 1000;
      while (await act(`save ${n * 11}`)) n++;
      for (let more = 1; more < 5; more++) await act(`save ${(n + more) * 11}`);
      expect(book.faults((await recovered(path, book)).found)).toEqual([]);
      for (const file of filler) await rm(file, { force: true });
      expect(await act(`in ${round} ${round}`)).toBe(true);
      expect(book.faults((await recovered(path, book)).found)).toEqual([]);
    }
  });
});

describe.skipIf(!tools.strace)("A failed sync", () => {
  /** The n-th, and no other. */
  const failing = (call: string, nth: number): string[] => [
    "-o",
    "/dev/null",
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:error=EIO:when=${nth}`,
  ];

  it.each(Array.from({ length: figure(4, 20) }, (_, n) => n + 1))(
    "stops all writing until the next start, which has every acknowledged write: fdatasync %i",
    async (nth) => {
      const path = join(await directory(), "db.json");
      const worker = await Worker.start(path);
      await worker.run("open");
      const detach = await attach(worker.pid, failing("fdatasync", nth));
      for (let n = 1; n <= nth + 5; n++) await worker.run(n % 2 === 0 ? `in ${n} ${n}` : `save ${n}`);
      expect(worker.book.acknowledgements).toBe(nth - 1);
      if (nth > 2) await worker.run("out 2", "take 1");
      await detach();
      expect(worker.book.acknowledgements).toBe(nth - 1);
      expect(kinds(worker)).toEqual(["StorageUnavailable"]);
      // It closes in order, and writes no more by that.
      if (nth % 2 === 0) await worker.run("close");
      await worker.kill();
      expect(worker.book.faults((await recovered(path, worker.book)).found)).toEqual([]);
    },
  );

  it.each(Array.from({ length: figure(5, 20) }, (_, n) => n + 1))(
    "keeps the store from opening or being compacted, and loses nothing: fsync %i",
    async (nth) => {
      const path = join(await directory(), "db.json");
      const worker = await Worker.start(path);
      await worker.run("open", "in 1 1", "save 1", "compact", "in 2 2");
      const detach = await attach(worker.pid, failing("fsync", nth));
      await worker.run("save 11", "close", "open");
      if (worker.refusals.length > 0) await worker.run("open");
      await worker.run("in 3 3", "out 1", "close");
      await detach();
      await worker.kill();
      const { found } = await recovered(path, worker.book);
      expect(worker.book.faults(found)).toEqual([]);
      expect(worker.refusals.filter(({ what, kind }) => what !== "open" || kind !== "StoreRefused")).toEqual([]);
    },
  );
});

describe.skipIf(!tools.chattr)("A directory that can't be written to", () => {
  const lock = (path: string, how: "+i" | "-i"): void => void execFileSync("chattr", [how, path]);

  it("refuses a start until it can be written to again", async () => {
    const place = await directory();
    const path = join(place, "db.json");
    lock(place, "+i");
    onTestFinished(() => lock(place, "-i"));
    const error: unknown = await openFileStore(path, { warn: () => {} }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreRefused);
    expect((error as StoreRefused).message).toContain(place);
    lock(place, "-i");
    await (await openFileStore(path, { warn: () => {} })).close();
  });

  it("keeps the journal: an unwritable directory refuses the start, an unwritable journal refuses writes", async () => {
    const place = await directory();
    const path = join(place, "db.json");
    const worker = await Worker.start(path);
    await worker.run("open", "in 1 1");
    lock(place, "+i");
    onTestFinished(() => lock(place, "-i"));
    await worker.run("in 2 2", "close", "open");
    // A running server continues in its open files; a start creates new ones.
    expect(worker.refusals).toMatchObject([{ what: "open", kind: "StoreRefused", reason: "unusable" }]);
    await worker.kill();
    expect(worker.book.faults((await recovered(path, worker.book)).found)).toEqual([]);
    lock(place, "-i");
    const next = await Worker.start(path, { book: worker.book });
    await next.run("open", "in 3 3");
    lock(journalOf(path), "+i");
    await next.run("in 4 4");
    lock(journalOf(path), "-i");
    expect(next.refusals).toMatchObject([{ what: "in 4 4", kind: "StorageUnavailable" }]);
    expect(next.book.faults((await recovered(path, next.book, next)).found)).toEqual([]);
  });

  it.skipIf(!tools.mount)("refuses a start on a read-only file system and changes nothing", async () => {
    const place = await directory();
    const path = join(place, "db.json");
    const worker = await Worker.start(path);
    await worker.run("open", "in 1 1");
    await worker.kill();
    execFileSync("mount", ["--bind", place, place]);
    onTestFinished(() => void execFileSync("umount", ["-l", place]));
    execFileSync("mount", ["-o", "remount,bind,ro", place]);
    const error: unknown = await openFileStore(path, { warn: () => {} }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "StoreRefused", reason: "unusable" });
    execFileSync("mount", ["-o", "remount,bind,rw", place]);
    expect(worker.book.faults((await recovered(path, worker.book)).found)).toEqual([]);
  });

  it.skipIf(!tools.prlimit)(
    "refuses a start while there are no file descriptors left, and starts afterwards",
    async () => {
      const path = join(await directory(), "db.json");
      const worker = await Worker.start(path);
      execFileSync("prlimit", ["--pid", String(worker.pid), "--nofile=10:100"]);
      await worker.run("open");
      expect(worker.refusals.map(({ kind }) => kind)).toEqual(["StoreRefused"]);
      execFileSync("prlimit", ["--pid", String(worker.pid), "--nofile=100:100"]);
      await worker.run("open", "in 1 1", "save 1");
      execFileSync("prlimit", ["--pid", String(worker.pid), "--nofile=10:100"]);
      await worker.run("in 2 2", "take 1");
      execFileSync("prlimit", ["--pid", String(worker.pid), "--nofile=100:100"]);
      await worker.run("in 3 3", "close");
      expect(worker.book.acknowledgements).toBe(5);
      expect(worker.book.faults((await recovered(path, worker.book)).found)).toEqual([]);
    },
  );
});
