// Below the faces: hundreds of damaged stores are opened, each without a server.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { StoreRefused } from "../../src/server/store/store.ts";
import { abandoned } from "../store/_abandoned.ts";
import { records } from "../store/_records.ts";
import { Book, holdingsOf, perform, type Act, type Holdings } from "./_book.ts";
import { directory, figure } from "./_processes.ts";
import { randomFrom } from "./_random.ts";

/** The files of a store: `db.json` and the journal behind it. */
interface Files {
  readonly document: Buffer;
  readonly journal: Buffer;
  /** Where each line of the journal begins, and where the last one ends. */
  readonly offsets: readonly number[];
  /** What the store held after each line. */
  readonly held: readonly Holdings[];
  readonly states: readonly number[];
}

/** A store with people and states in both files, one act a line. */
async function written(compacted: number, lines: number): Promise<Files> {
  const path = join(await directory("quick"), "db.json");
  const book = new Book();
  const held: Holdings[] = [];
  const offsets: number[] = [];
  const journal = join(dirname(path), "db.journal");
  let store = await openFileStore(path, { warn: () => {} });
  onTestFinished(() => store.close());
  const act = async (n: number): Promise<void> => {
    const person = book.present("person").at(-1);
    const what: Act = n % 5 === 0 && person ? `out ${person}` : n % 2 === 0 ? `in ${n} ${n}` : `save ${n}`;
    book.asked(what);
    await perform(store, what);
    book.acknowledged(what);
  };
  await store.seed(records());
  for (let n = 1; n <= compacted; n++) await act(n);
  await store.close();
  store = await openFileStore(path, { warn: () => {} });
  const look = async (): Promise<void> => {
    offsets.push((await readFile(journal)).length);
    held.push(book.holdings());
  };
  await look();
  for (let n = compacted + 1; n <= compacted + lines; n++) {
    await act(n);
    await look();
  }
  return { document: await readFile(path), journal: await readFile(journal), offsets, held, states: book.states };
}

type Outcome =
  | { kind: "opened"; found: Holdings; warnings: string[] }
  | { kind: "refused"; reason: string; message: string; path: string };

/** The result of a start on these files; a refusal must not change them. */
async function outcomeOf(path: string, document: Buffer, journal: Buffer, states: readonly number[]): Promise<Outcome> {
  const at = { document: path, journal: join(dirname(path), "db.journal") };
  await Promise.all([writeFile(at.document, document), writeFile(at.journal, journal)]);
  const warnings: string[] = [];
  try {
    const store = await openFileStore(path, { warn: (message) => warnings.push(message) });
    try {
      return { kind: "opened", found: await holdingsOf(store, states), warnings };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreRefused)) throw error;
    const [left, right] = await Promise.all([readFile(at.document), readFile(at.journal)]);
    expect([left.equals(document), right.equals(journal)]).toEqual([true, true]);
    return { kind: "refused", reason: error.reason, message: error.message, path };
  }
}

const same = (one: Holdings, other: Holdings): boolean =>
  one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);

describe("A truncated journal", () => {
  it("opens with the changes before the cut and one warning, wherever its last three lines are cut", async () => {
    const { document, journal, offsets, held, states } = await written(4, 6);
    const path = join(await directory("quick"), "db.json");
    const faults: string[] = [];
    const from = offsets.at(-4)!;
    const cuts = Array.from({ length: journal.length - from + 1 }, (_, n) => from + n);
    // Around each line's end, and of the others some.
    const chosen = cuts.filter((cut) => cut % figure(9, 1) === 0 || offsets.some((at) => Math.abs(cut - at) < 2));
    for (const cut of chosen) {
      const outcome = await outcomeOf(path, document, journal.subarray(0, cut), states);
      const whole = offsets.findLastIndex((offset) => offset <= cut);
      const start = offsets[whole]!;
      const dropped =
        start === cut ? [] : [[join(dirname(path), "db.journal"), `offset ${start}`, `(${cut - start} bytes)`]];
      if (outcome.kind === "refused") faults.push(`${cut}: ${outcome.message}`);
      else if (!same(outcome.found, held[whole]!)) faults.push(`${cut}: other content`);
      else if (outcome.warnings.length !== dropped.length) faults.push(`${cut}: ${outcome.warnings.join()}`);
      else if (!dropped.every((parts, n) => parts.every((part) => outcome.warnings[n]!.includes(part))))
        faults.push(`${cut}: ${outcome.warnings.join()}`);
    }
    expect(faults).toEqual([]);
    console.log(`${chosen.length} of ${cuts.length} cuts: all start, 0 with other content`);
  });
});

describe("A damaged store", () => {
  /** Each changes something, and says where the first byte is that it changed. */
  type Change = (bytes: Buffer, random: () => number, files: Files) => { damaged: Buffer; at: number };
  const pick = (random: () => number, below: number): number => Math.floor(random() * below);
  const flip: Change = (bytes, random) => {
    const damaged = Buffer.from(bytes);
    const at = pick(random, bytes.length);
    damaged[at]! ^= 1 + pick(random, 255);
    return { damaged, at };
  };
  const zero: Change = (bytes, random) => {
    const damaged = Buffer.from(bytes);
    const at = 4096 * pick(random, Math.ceil(bytes.length / 4096));
    damaged.fill(0, at, Math.min(at + 4096, bytes.length));
    return { damaged, at };
  };
  const swap: Change = (bytes, random) => {
    const lines = bytes.toString().split("\n").slice(0, -1);
    const one = pick(random, lines.length - 1);
    const other = one + 1 + pick(random, lines.length - one - 1);
    const [a, b] = [lines[one]!, lines[other]!];
    [lines[one], lines[other]] = [b, a];
    // Swapping two equal lines, such as `],`, changes nothing.
    if (a === b) return swap(bytes, random, undefined as never);
    const at = lines.slice(0, one).join("\n").length;
    return { damaged: Buffer.from(`${lines.join("\n")}\n`), at };
  };
  const lose: Change = (bytes, random) => {
    const lines = bytes.toString().split("\n").slice(0, -1);
    const one = pick(random, lines.length - 1);
    const at = lines.slice(0, one).join("\n").length;
    return { damaged: Buffer.from(`${lines.toSpliced(one, 1).join("\n")}\n`), at };
  };

  it.each([
    ["changed bytes", flip, figure(300, 2000)],
    ["pages of zeros", zero, figure(40, 200)],
    ["swapped lines", swap, figure(20, 50)],
    ["missing lines", lose, figure(20, 50)],
  ] as const)("is refused, or opens with a warning where a crash leaves the same: %s", async (_, change, count) => {
    const random = randomFrom(1);
    const files = await written(40, 40);
    const { document, journal, offsets, held, states } = files;
    const path = join(await directory("quick"), "db.json");
    const faults: string[] = [];
    let refusals = 0;
    for (let n = 0; n < count; n++) {
      const isJournal = n % 2 === 0;
      const { damaged, at } = change(isJournal ? journal : document, random, files);
      if (damaged.equals(isJournal ? journal : document)) continue;
      const outcome = await outcomeOf(path, isJournal ? document : damaged, isJournal ? damaged : journal, states);
      const file = isJournal ? join(dirname(path), "db.journal") : path;
      if (outcome.kind === "refused") {
        refusals++;
        // Values that are still valid may be its owner's: those are counted, and shown beside what was there.
        const place = /offset \d+|line \d+|changes? \d+|another time|was changed since|\[\d+\]/.test(outcome.message);
        if (
          !/^[: ]/.test(outcome.message.slice(file.length)) ||
          !outcome.message.startsWith(file) ||
          !place ||
          outcome.reason === "locked"
        )
          faults.push(`${at}: ${outcome.message}`);
        continue;
      }
      // A crash leaves zeros where pages of its last write are missing, so zeros at the end can't be told from one.
      const isTail = isJournal && change === zero && at + 4096 > offsets.at(-2)!;
      const isDropped = outcome.warnings.length === 1 && held.some((before) => same(before, outcome.found));
      if (!isTail || !isDropped) faults.push(`${basename(file)} at ${at}: accepted`);
    }
    expect(faults).toEqual([]);
    expect(refusals).toBeGreaterThan(count / 2);
    console.log(`${count} times: ${refusals} refused, 0 silently accepted`);
  });

  it.each(Array.from({ length: figure(10, 50) }, (_, n) => 1 + n * 173))(
    "opens with a warning when %i bytes of zeros follow the last line",
    async (length) => {
      const { document, journal, held, states } = await written(2, 4);
      const path = join(await directory("quick"), "db.json");
      const outcome = await outcomeOf(path, document, Buffer.concat([journal, Buffer.alloc(length)]), states);
      expect(outcome).toEqual({
        kind: "opened",
        found: held.at(-1),
        warnings: [expect.stringContaining(`(${length} bytes)`)],
      });
    },
  );
});

/** Everything in a directory, without following or opening what would wait. */
async function imageOf(place: string): Promise<string[]> {
  const names = (await readdir(place)).filter((name) => !name.endsWith(".lock")).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const path = join(place, name);
      const kind = await lstat(path);
      if (kind.isSymbolicLink()) return `${name} -> ${await readlink(path)}`;
      if (!kind.isFile()) return `${name} ${kind.mode} ${kind.ino}`;
      return `${name} ${createHash("sha256")
        .update(await readFile(path))
        .digest("hex")}`;
    }),
  );
}

const HEADERS = ['"format":"svc-identity"', '"version":1', '"number":1'];
const CONTENTS: [string, string | Buffer][] = [
  ...[
    "",
    "\n",
    " ",
    "null",
    "true",
    "0",
    "[]",
    "{}",
    '""',
    '"svc-identity"',
    "{",
    "}",
    "[{}]",
    "{}\n",
    "null\n",
    "undefined",
  ].map((text): [string, string] => [JSON.stringify(text), text]),
  ["a byte order mark", "\ufeff"],
  ["other JSON", '{"users":[{"id":1}]}\n'],
  ["JSON of lowdb", '{\n  "users": [],\n  "sessions": []\n}\n'],
  ["package.json", '{\n  "name": "app",\n  "version": "1.0.0"\n}\n'],
  ["NDJSON", '{"id":1}\n{"id":2}\n'],
  ["YAML", "users:\n  - id: 1\n"],
  ["SQLite", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(4080)])],
  ["a page of zeros", Buffer.alloc(4096)],
  ["bytes that are not text", Buffer.from(Array.from({ length: 512 }, (_, n) => (n * 167) % 256))],
  ["UTF-16", Buffer.from(`{${HEADERS.join()}}\n`, "utf16le")],
  ["a first line alone", `{${HEADERS.join()},\n`],
  ["a first line without its end", `{${HEADERS.join()}`],
  ["a header alone", `{${HEADERS.join()}}\n`],
  ["another program's format", `{"format":"other","version":1,"number":1,\n`],
  ["no version", `{${HEADERS[0]},"number":1,\n`],
  ["a version of text", `{${HEADERS[0]},"version":"1","number":1,\n`],
  ["version 0", `{${HEADERS[0]},"version":0,"number":1,\n`],
  ["version -1", `{${HEADERS[0]},"version":-1,"number":1,\n`],
  ["version 1e300", `{${HEADERS[0]},"version":1e300,"number":1,\n`],
  ["a number of text", `{${HEADERS[0]},"version":1,"number":"1",\n`],
  ["a negative number", `{${HEADERS[0]},"version":1,"number":-1,\n"crc32":"00000000"}\n`],
  ["the store of a newer svc", `{${HEADERS[0]},"version":999,"number":1,\n`],
];

type Making = (path: string) => Promise<unknown>;
const THINGS: [string, Making][] = [
  ["a directory", (path) => mkdir(path)],
  ["a link to itself", (path) => symlink(path, path)],
  ["a link to nothing", (path) => symlink("nowhere/at/all", path)],
  ["a link to a directory", (path) => symlink(".", path)],
  ["a link to a device", (path) => symlink("/dev/null", path)],
  ["a pipe", async (path) => execFileSync("mkfifo", [path])],
  ["a link to a pipe", async (path) => (execFileSync("mkfifo", [`${path}.pipe`]), symlink(`${path}.pipe`, path))],
];

describe("A file of the store that is something else", () => {
  async function refusal(path: string): Promise<StoreRefused> {
    const before = await imageOf(dirname(path));
    const error: unknown = await openFileStore(path, { warn: () => {} }).then(
      async (store) => (await store.close(), "opened"),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StoreRefused);
    expect(await imageOf(dirname(path))).toEqual(before);
    return error as StoreRefused;
  }

  it.each(CONTENTS)("is refused and left unchanged: %s as db.json", async (_, content) => {
    const path = join(await directory("quick"), "db.json");
    await writeFile(path, content);
    const { reason, message } = await refusal(path);
    expect([reason === "locked", message.startsWith(path)]).toEqual([false, true]);
  });

  it.each(CONTENTS.filter(([, content]) => content.includes("\n")))(
    "is refused and left unchanged: %s as db.journal",
    async (_, content) => {
      const path = join(await directory("quick"), "db.json");
      await writeFile(join(dirname(path), "db.journal"), content);
      expect((await refusal(path)).message).toContain(join(dirname(path), "db.journal"));
    },
  );

  const places = ["db.json", "db.journal"].flatMap((name) => THINGS.map(([what, make]) => [what, name, make] as const));
  it.skipIf(process.platform === "win32").each(places)(
    "is refused and left unchanged: %s as %s",
    async (_, name, make) => {
      const path = join(await directory("quick"), "db.json");
      await make(join(dirname(path), name));
      const { message } = await refusal(path);
      // The message may name a link's target.
      expect([dirname(path), "/dev/null"].filter((place) => message.startsWith(place)).length).toBe(1);
    },
  );

  it("is followed and kept when it is a link to a store", async () => {
    const { document, journal, held, states } = await written(3, 3);
    const place = await directory("quick");
    const path = join(place, "elsewhere", "db.json");
    await mkdir(dirname(path));
    await symlink(join("elsewhere", "db.json"), join(place, "db.json"));
    await writeFile(path, document);
    await writeFile(join(dirname(path), "db.journal"), journal);
    const store = await openFileStore(join(place, "db.json"), { warn: () => {} });
    await store.deleteUser("", "");
    await store.close();
    expect((await lstat(join(place, "db.json"))).isSymbolicLink()).toBe(true);
    const again = await openFileStore(await abandoned(path), { warn: () => {} });
    expect(await holdingsOf(again, states)).toEqual(held.at(-1));
    await again.close();
    await rm(place, { recursive: true });
  });
});
