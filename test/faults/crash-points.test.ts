import { cp, readFile, stat, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { state } from "../store/_records.ts";
import { Book } from "./_book.ts";
import { attach, directory, figure, needs, recovered, tools, Worker } from "./_processes.ts";
import { readTrace } from "./_trace.ts";

needs("strace");

const CALLS =
  "openat mkdir write pwrite64 pwritev writev fsync fdatasync ftruncate rename link unlink chmod fchmod close".split(
    " ",
  );

interface Scenario {
  readonly name: string;
  /** Makes the files that it begins with. @returns what they hold */
  readonly before: (path: string) => Promise<Book>;
  readonly lines: readonly string[];
}

/** Files as a process leaves them that is killed after these lines. */
async function left(path: string, ...lines: string[]): Promise<Book> {
  const worker = await Worker.start(path);
  await worker.run("open", ...lines);
  await worker.kill();
  expect(worker.refusals).toEqual([]);
  return worker.book;
}

/** Killed when the document has its place, and before the next journal has. */
async function halfCompacted(path: string): Promise<Book> {
  const book = await left(path, "in 1 1", "save 1", "compact", "in 2 2", "save 2");
  const worker = await Worker.start(path, { book });
  await worker.run("open", "save 20");
  const before = await readFile(path, "utf8");
  const detach = await attach(worker.pid, ["-o", "/dev/null", ...killAt("rename", 2)]);
  await worker.run("compact");
  await detach();
  await worker.kill();
  expect(await readFile(path, "utf8")).not.toBe(before);
  expect(await readFile(journalOf(path), "utf8")).toContain(state(20).state);
  return book;
}

const SCENARIOS: readonly Scenario[] = [
  { name: "a first start", before: async () => new Book(), lines: ["open", "save 1"] },
  {
    name: "writing",
    before: (path) => left(path, "in 1 1", "save 1", "close"),
    lines: ["open", "save 11", "in 2 2 & in 3 3 & save 4", "in 1 5"],
  },
  {
    name: "deleting",
    before: (path) => left(path, "in 1 1", "in 2 2", "save 1", "save 2"),
    lines: ["open", "out 1", "take 1 & out 2", "take 2"],
  },
  {
    name: "signing in",
    before: (path) => left(path, "in 1 1", "save 1", "save 2", "save 3", "save 5"),
    lines: ["open", "end 1 1 5", "end 2 2 6 & end 3 3 7", "save 4 & take 5", "end 4 1 8"],
  },
  {
    name: "compacting",
    before: (path) => left(path, "in 1 1", "save 1", "close"),
    lines: ["open", "in 2 2", "out 1", "compact", "save 3", "compact"],
  },
  {
    name: "closing",
    before: (path) => left(path, "in 1 1", "save 1"),
    lines: ["open", "in 2 2 & save 2", "close", "open", "close"],
  },
  { name: "the start after a crash in a compaction", before: halfCompacted, lines: ["open", "save 5", "close"] },
  {
    name: "the start after a cut line",
    before: async (path) => {
      const book = await left(path, "in 1 1", "save 1");
      const { size } = await stat(journalOf(path));
      const worker = await Worker.start(path, { book });
      await worker.run("open", "save 11");
      await worker.kill();
      await truncate(journalOf(path), size + 4097);
      book.settle((await recovered(path, book)).found);
      return book;
    },
    lines: ["open", "save 12", "close"],
  },
];

const journalOf = (path: string): string => join(dirname(path), "db.journal");
const killAt = (call: string, nth: number): string[] => [
  "-e",
  `trace=${call}`,
  "-e",
  `inject=${call}:signal=KILL:when=${nth}`,
];

/** How often each call is made by a thread. strace counts by thread. */
async function pointsOf({ lines }: Scenario, path: string): Promise<[call: string, nth: number][]> {
  const trace = join(await directory(), "trace");
  const worker = await Worker.start(path);
  const detach = await attach(worker.pid, ["-o", trace, "-e", `trace=${CALLS.join()}`]);
  expect(await worker.run(...lines)).toBe(true);
  await detach();
  await worker.kill();
  const counts = new Map<string, number>();
  for (const { name, thread } of await readTrace(trace)) {
    const key = `${name} ${thread}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return CALLS.flatMap((call) => {
    const times = Math.max(0, ...[...counts].flatMap(([key, count]) => (key.startsWith(`${call} `) ? count : [])));
    return Array.from({ length: times }, (_, n): [string, number] => [call, n + 1]);
  });
}

describe.skipIf(!tools.strace)("A process killed at any of its system calls", () => {
  it.each(SCENARIOS)("loses no acknowledged write: $name", async (scenario) => {
    const base = await directory();
    const begun = await scenario.before(join(base, "db.json"));
    const { found: first } = await recovered(join(base, "db.json"), begun);
    const copy = async (): Promise<string> => {
      const place = await directory();
      await cp(base, place, { recursive: true, filter: (name) => !name.endsWith(".lock") });
      return join(place, "db.json");
    };
    const all = await pointsOf(scenario, await copy());
    expect(all.length).toBeGreaterThan(20);
    // The first of each kind of call, and of the others some.
    const chosen = all.filter(([, nth], n) => nth === 1 || n % figure(10, 1) === 0);
    const faults: string[] = [];
    let crashes = 0;
    const crash = async ([call, nth]: [string, number]): Promise<void> => {
      const path = await copy();
      const book = new Book();
      book.settle(first);
      const worker = await Worker.start(path, { book });
      const detach = await attach(worker.pid, ["-o", "/dev/null", ...killAt(call, nth)]);
      if (!(await worker.run(...scenario.lines))) crashes++;
      await detach();
      await worker.kill();
      const where = `killed at ${call} ${nth}`;
      faults.push(...worker.refusals.map(({ what, message }) => `${where}: ${what}: ${message}`));
      const again = await recovered(path, book).catch((error: unknown) => String(error));
      if (typeof again === "string") faults.push(`${where}: ${again}`);
      else faults.push(...book.faults(again.found).map((fault) => `${where}: ${fault}`));
    };
    const points = chosen.values();
    const lane = async (): Promise<void> => {
      for (const point of points) await crash(point);
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(faults).toEqual([]);
    // How calls fall to threads is not the same every time.
    expect(crashes).toBeGreaterThan(chosen.length * 0.8);
    console.log(`${scenario.name}: ${crashes} crashes at ${chosen.length} of ${all.length} points: 0 bad`);
  });
});
