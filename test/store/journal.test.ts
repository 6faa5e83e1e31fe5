import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { Document, type Change } from "../../src/server/store/json/document.ts";
import { openJsonStore } from "../../src/server/store/json/index.ts";
import { decodeLine, encodeLine, replay } from "../../src/server/store/json/journal.ts";
import { Snapshot } from "../../src/server/store/json/snapshot.ts";
import type { StateRecord } from "../../src/server/store/records.ts";
import { StoreRefused, type Store } from "../../src/server/store/store.ts";
import { abandoned, contentOf, people, records, state, temporaryDirectory } from "./conformance.ts";

const put = (n: number): Change => ["put", "states", state(n)];
/** The shortest change that can be seen. */
const named = (text: string): Change => ["put", "personas", { id: text, name: null, email: "", avatar_url: null }];

interface Attempt {
  store?: Store;
  refusal?: StoreRefused;
  warnings: string[];
}

/** Opens a store, or says why not; anything thrown that is not a refusal goes through. */
async function attempt(path: string): Promise<Attempt> {
  const warnings: string[] = [];
  try {
    const store = await openJsonStore(path, { warn: (message) => warnings.push(message) });
    onTestFinished(() => store.close());
    return { store, warnings };
  } catch (error) {
    if (error instanceof StoreRefused) return { refusal: error, warnings };
    throw error;
  }
}

async function refused(path: string): Promise<StoreRefused> {
  const { store, refusal } = await attempt(path);
  expect(store).toBeUndefined();
  return refusal!;
}

const statesIn = async (store: Store, numbers: readonly number[]): Promise<(StateRecord | undefined)[]> =>
  Promise.all(numbers.map((n) => store.takeState(state(n).state)));

interface Laid {
  path: string;
  journal: string;
  /** The bytes of both files. */
  document: Buffer;
  lines: Buffer[];
}

/** A closed store with people in `db.json`, and behind it the journal of changes made since. */
async function laidOut(changes: readonly Change[], seed = people()): Promise<Laid> {
  const path = join(await temporaryDirectory(), "db.json");
  const journal = join(dirname(path), "db.journal");
  const { store } = await attempt(path);
  await store!.seed(seed);
  await store!.close();
  const document = await readFile(path);
  const lines = changes.map((change, n) => encodeLine(n + 2, [change]));
  await writeFile(journal, Buffer.concat(lines));
  return { path, journal, document, lines };
}

describe("A line of the journal", () => {
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.tuple(fc.constant("delete" as const), fc.constant("users" as const), fc.string({ unit: "binary" })),
    fc
      .record({ redirect_uri: fc.string({ unit: "binary" }), code_verifier: fc.option(fc.string()) })
      .map((more): Change => ["put", "states", state(1, more)]),
  );

  it("is what was written when it is read", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(change, { maxLength: 4 }), (sequence, changes) => {
        const line = encodeLine(sequence, changes);
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(decodeLine(line.subarray(0, -1))).toEqual({ sequence, changes });
      }),
    );
  });

  it("is refused when it is cut anywhere, or any bit of it has changed", () => {
    const line = encodeLine(17, [put(1), ["delete", "users", "x"]]).subarray(0, -1);
    const accepted: string[] = [];
    for (let offset = 0; offset < line.length; offset++) {
      if (decodeLine(Buffer.from(line.subarray(0, offset)))) accepted.push(`cut at ${offset}`);
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(line);
        flipped[offset]! ^= 1 << bit;
        if (decodeLine(flipped)) accepted.push(`bit ${bit} of ${offset}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  it.each(["", "{}", "null", ',"crc32":"00000000"}', '{"sequence":1,"changes":[]}', '{"crc32":"00000000"}'])(
    "is refused where it never was one: %s",
    (line) => expect(decodeLine(Buffer.from(line))).toBeUndefined(),
  );
});

describe("A journal whose last line did not wholly reach the disk", () => {
  const PAGE = 4096;

  /** The last line reaches over several pages of the file. */
  async function longLine(): Promise<Laid & { whole: Buffer; start: number }> {
    const many = Array.from({ length: 60 }, (_, n): Change => ["put", "states", state(n)]);
    const laid = await laidOut([put(1)], records());
    const long = encodeLine(3, many);
    const whole = Buffer.concat([...laid.lines, long]);
    return { ...laid, whole, start: whole.length - long.length };
  }

  it("keeps the lines before, whichever of its pages are missing", async () => {
    const { journal, path, whole, start } = await longLine();
    const pages = Array.from({ length: Math.ceil(whole.length / PAGE) }, (_, n) => n * PAGE);
    expect(pages.length).toBeGreaterThan(4);
    for (const page of pages) {
      const torn = Buffer.from(whole);
      torn.fill(0, Math.max(page, start), Math.min(page + PAGE, torn.length));
      await writeFile(journal, torn);
      const { store, warnings } = await attempt(path);
      expect(warnings).toEqual([expect.stringContaining(`dropped an incomplete last line at offset ${start} `)]);
      expect(await store!.takeState(state(5).state)).toBeUndefined();
      await store!.close();
    }
  });

  it("is refused where no crash leaves it like that: a few zeros within a page, or a line behind it", async () => {
    const { journal, path, whole, start, lines } = await longLine();
    const within = Buffer.from(whole);
    within.fill(0, start + 100, start + 200);
    await writeFile(journal, within);
    expect((await refused(path)).message).toContain(`the line at offset ${start} is not what was written`);

    const behind = Buffer.concat([whole, encodeLine(4, [put(2)])]);
    behind.fill(0, start, (Math.floor(start / PAGE) + 1) * PAGE);
    await writeFile(journal, behind);
    expect((await refused(path)).message).toContain(`the line at offset ${start} is not what was written`);
    expect(lines).toHaveLength(1);
  });
});

describe("A journal whose last line was cut by a crash", () => {
  const names = ["a", "b", "c", "d"];
  /** Of a journal that was cut: what is whole, and the warning that the rest deserves. */
  function expectedOf({ journal, lines }: Laid, cut: number): { kept: string[]; start: number; warned: string[] } {
    const ends = lines.map((_, n) => Buffer.concat(lines.slice(0, n + 1)).length);
    const kept = ends.filter((end) => end <= cut).length;
    const start = ends[kept - 1]!;
    const warning = `${journal}: dropped an incomplete last line at offset ${start} (${cut - start} bytes); it was never acknowledged.`;
    return { kept: names.slice(0, kept), start, warned: cut === start ? [] : [warning] };
  }

  it("keeps the lines before and drops the rest with one warning, wherever it was cut", async () => {
    const laid = await laidOut(names.map(named), records());
    const whole = Buffer.concat(laid.lines);
    for (let cut = laid.lines[0]!.length; cut < whole.length; cut++) {
      await writeFile(laid.journal, whole.subarray(0, cut));
      const kept: string[] = [];
      const warned: string[] = [];
      const { length } = await replay(
        laid.journal,
        1,
        ([, , record]) => kept.push((record as { id: string }).id),
        (message) => warned.push(message),
      );
      expect({ kept, start: length, warned }).toEqual(expectedOf(laid, cut));
    }
  }, 30_000);

  it("goes on from there", async () => {
    const laid = await laidOut(names.map(named), records());
    const whole = Buffer.concat(laid.lines);
    for (let cut = laid.lines[0]!.length; cut < whole.length; cut += 16) {
      await writeFile(laid.path, laid.document);
      await writeFile(laid.journal, whole.subarray(0, cut));
      const { store, warnings } = await attempt(laid.path);
      await store!.saveState(state(9));
      const next = await attempt(await abandoned(laid.path));
      const found = (await next.store!.personas()).map((row) => row.id);
      const { kept, warned } = expectedOf(laid, cut);
      expect([found, warnings, next.warnings]).toEqual([kept, warned, []]);
      expect(await statesIn(next.store!, [9])).toEqual([state(9)]);
      await Promise.all([store!.close(), next.store!.close()]);
    }
  }, 30_000);

  it("drops a tail of bytes that never reached the disk", async () => {
    const { path, journal, lines } = await laidOut([1, 2, 3].map(put));
    await writeFile(journal, Buffer.concat([...lines, Buffer.alloc(4096)]));
    const { store, warnings } = await attempt(path);
    expect(warnings.length).toBe(1);
    expect(await statesIn(store!, [1, 2, 3])).toEqual([state(1), state(2), state(3)]);
  });

  it("is refused where the cut is not at the end of all that was written", async () => {
    const { path, journal, lines } = await laidOut([1, 2, 3, 4].map(put));
    const cut = Buffer.concat(lines.slice(0, 2)).subarray(0, -20);
    await writeFile(`${journal}.old`, cut);
    await writeFile(journal, Buffer.concat(lines.slice(2)));
    const before = [await readFile(path), await readFile(journal), await readFile(`${journal}.old`)];
    expect((await refused(path)).reason).toBe("damaged");
    expect([await readFile(path), await readFile(journal), await readFile(`${journal}.old`)]).toEqual(before);
  });
});

/** One bit of each byte turned; and a line's end in some places, which makes two lines of one. */
function* flips(bytes: Buffer): Iterable<Buffer> {
  for (let offset = 0; offset < bytes.length; offset++) {
    const values = [bytes[offset]! ^ (1 << (offset % 8)), ...(offset % 7 === 0 ? [10] : [])];
    for (const value of values) {
      if (value === bytes[offset]) continue;
      const flipped = Buffer.from(bytes);
      flipped[offset] = value;
      yield flipped;
    }
  }
}

/** What becomes of a store with such a file: looked at by its reader alone, and every so often by opening the store. */
async function outcomes(
  { path, journal }: Laid,
  file: string,
  contents: Iterable<Buffer>,
  read: () => Promise<unknown>,
): Promise<string[]> {
  const seen = new Set<string>();
  let n = 0;
  for (const content of contents) {
    await writeFile(file, content);
    const isWhole = n++ % 16 === 0;
    const before = isWhole ? [await readFile(path), await readFile(journal)] : [];
    const message = await (isWhole ? openJsonStore(path, { warn: () => {} }) : read()).then(
      () => undefined,
      (error: unknown) => (error instanceof StoreRefused ? error.message : `${file} is no refusal: ${String(error)}`),
    );
    if (isWhole) expect([await readFile(path), await readFile(journal)]).toEqual(before);
    if (!message) seen.add("accepted");
    else if (!message.startsWith(`${file} `)) seen.add(`does not name the file: ${message}`);
    else if (!/offset \d+|line \d+|first line|format \d+/.test(message))
      seen.add(`does not name the place: ${message}`);
    else seen.add("refused");
  }
  return [...seen];
}

describe("A byte that has changed", () => {
  it("is refused anywhere in the journal, with file and place, and nothing is overwritten", async () => {
    const laid = await laidOut(["a", "b"].map(named), records());
    const read = (): Promise<unknown> =>
      replay(
        laid.journal,
        1,
        () => {},
        () => {},
      );
    expect(await outcomes(laid, laid.journal, flips(Buffer.concat(laid.lines)), read)).toEqual(["refused"]);
  }, 30_000);

  it("is refused anywhere in db.json, with file and place, and nothing is overwritten", async () => {
    const { users, identities, sessions } = people();
    const laid = await laidOut(
      [put(1)],
      records({
        instances: [],
        users: users.slice(0, 1),
        identities: identities.slice(0, 1),
        sessions: sessions.slice(0, 1),
      }),
    );
    const read = (): Promise<unknown> => new Snapshot(laid.path, new Document()).read();
    expect(await outcomes(laid, laid.path, flips(laid.document), read)).toEqual(["refused"]);
  }, 30_000);

  it("is dropped where it is in a line that was cut, with the line", async () => {
    const { path, journal, lines } = await laidOut([1, 2].map(put));
    const bytes = Buffer.concat(lines).subarray(0, -30);
    bytes[bytes.length - 5]! ^= 1;
    await writeFile(journal, bytes);
    const { store, warnings } = await attempt(path);
    expect(warnings.length).toBe(1);
    expect(await statesIn(store!, [1, 2])).toEqual([state(1), undefined]);
  });
});

describe("Lines that are not where they were written", () => {
  const arrangements: [string, (lines: Buffer[]) => Buffer[], string][] = [
    ["one is missing", ([one, , three]) => [one!, three!], "changes 3 to 3 are missing before offset"],
    ["the first is missing", ([, two, three]) => [two!, three!], "changes 2 to 2 are missing before offset 0"],
    ["two are swapped", ([one, two, three]) => [one!, three!, two!], "changes 3 to 3 are missing before offset"],
    ["an empty one is between", ([one, two]) => [one!, Buffer.from("\n"), two!], "is not what was written"],
    ["text is before", (lines) => [Buffer.from("\ufeff"), ...lines], "the line at offset 0 is not what was written"],
  ];
  it.each(arrangements)("are refused: %s", async (_, arrange, message) => {
    const { path, journal, lines } = await laidOut([1, 2, 3].map(put));
    const arranged = Buffer.concat(arrange(lines));
    await writeFile(journal, arranged);
    const refusal = await refused(path);
    expect(refusal.message).toContain(message);
    expect(refusal.message.startsWith(journal)).toBe(true);
    expect(refusal.reason).toBe("damaged");
    expect(await readFile(journal)).toEqual(arranged);
  });

  it("are passed over where db.json has them already", async () => {
    const { path, journal, lines } = await laidOut([1, 2].map(put));
    const first = await attempt(path);
    const content = await contentOf(first.store!);
    await first.store!.close();
    await writeFile(journal, Buffer.concat(lines));
    const { store, warnings } = await attempt(path);
    expect(warnings).toEqual([]);
    expect(await contentOf(store!)).toEqual(content);
    expect(await statesIn(store!, [1, 2])).toEqual([state(1), state(2)]);
  });

  it("are refused where db.json is gone", async () => {
    const { path, journal, lines } = await laidOut([1, 2].map(put));
    await rm(path);
    expect((await refused(path)).message).toContain("changes 1 to 1 are missing before offset 0");
    expect(await readFile(journal)).toEqual(Buffer.concat(lines));
  });
});

describe("Something else at the place of db.json", () => {
  const contents: [string, string | Buffer][] = [
    ["nothing", ""],
    ["a line's end", "\n"],
    ["null", "null"],
    ["an array", "[]"],
    ["an object", "{}"],
    ["a text", '"svc-identity"'],
    ["other JSON", '{"users":[{"id":1}]}\n'],
    ["lowdb's JSON", '{\n  "users": []\n}'],
    ["no JSON", "SQLite format 3\0"],
    ["NUL bytes", Buffer.alloc(4096)],
    ["a store's first line alone", '{"format":"svc-identity","version":1,"sequence":1,\n'],
    ["a sequence that is no number", '{"format":"svc-identity","version":1,"sequence":"1",\n'],
  ];
  it.each(contents)("is refused, and left as it was: %s", async (_, content) => {
    const path = join(await temporaryDirectory(), "db.json");
    await writeFile(path, content);
    const refusal = await refused(path);
    expect(refusal.message.startsWith(`${path} `)).toBe(true);
    expect(refusal.reason).toBe("damaged");
    expect(await readFile(path)).toEqual(Buffer.from(content));
  });

  it("is refused, and left as it was: a store with a byte order mark", async () => {
    const { path, document } = await laidOut([]);
    const marked = Buffer.concat([Buffer.from("\ufeff"), document]);
    await writeFile(path, marked);
    expect((await refused(path)).message).toContain("is no svc store, or its first line is damaged");
    expect(await readFile(path)).toEqual(marked);
  });

  it("is refused, and left as it was: the store of a newer svc", async () => {
    const { path, document } = await laidOut([]);
    const newer = Buffer.from(document.toString().replace('"version":2,', '"version":3,'));
    await writeFile(path, newer);
    const refusal = await refused(path);
    expect(refusal.reason).toBe("unusable");
    expect(refusal.message).toBe(
      `${path} was written by a newer svc (format 3). Update svc, or choose another --store.`,
    );
    expect(await readFile(path)).toEqual(newer);
  });

  it.each([
    ["its end", -1, 10],
    ["half of it", -400, -1],
  ])("is refused, and left as it was: a store without %s", async (_, from) => {
    const { path, document } = await laidOut([]);
    await truncate(path, document.length - 2 + from);
    const refusal = await refused(path);
    expect([refusal.reason, refusal.message.startsWith(`${path} is damaged: line `)]).toEqual(["damaged", true]);
    expect((await stat(path)).size).toBe(document.length - 2 + from);
  });

  it.each(["db.json", "db.journal"])("is refused: a directory named %s", async (name) => {
    const path = join(await temporaryDirectory(), "db.json");
    const place = join(dirname(path), name);
    await mkdir(place);
    const refusal = await refused(path);
    expect(refusal.message).toContain(place);
    expect((await stat(place)).isDirectory()).toBe(true);
  });

  it("is refused: a symbolic link to itself", async () => {
    const path = join(await temporaryDirectory(), "db.json");
    await symlink(path, path);
    expect((await refused(path)).message).toContain(path);
  });

  it.skipIf(process.platform === "win32")("is refused at once: a pipe", async () => {
    const path = join(await temporaryDirectory(), "db.json");
    execFileSync("mkfifo", [path]);
    const outcome = await Promise.race([
      attempt(path).then(({ refusal }) => refusal?.message ?? "opened"),
      new Promise<string>((resolve) => setTimeout(resolve, 1000, "waits for ever")),
    ]);
    // Whoever still waits for the pipe to be written is let go.
    if (outcome === "waits for ever") closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    expect(outcome).toContain(path);
  });
});

describe("A place that can't be used", () => {
  it("is refused: a file where the directory should be", async () => {
    const file = join(await temporaryDirectory(), "file");
    await writeFile(file, "mine");
    const refusal = await refused(join(file, "db.json"));
    expect([refusal.reason, refusal.message.startsWith(`${file} can't be used`)]).toEqual(["unusable", true]);
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  it.skipIf(process.platform === "win32").each(["a new store", "a store that is there"])(
    "is refused, and can be used once it is repaired: a directory that can't be written, %s",
    async (kind) => {
      const directory = await temporaryDirectory();
      const path = join(directory, "db.json");
      if (kind === "a store that is there") await copyFile((await laidOut([])).path, path);
      await chmod(directory, 0o555);
      const root = process.geteuid?.() === 0;
      // Nothing is forbidden to root.
      if (root) process.seteuid!("nobody");
      let seen: unknown;
      try {
        seen = await attempt(path).then(
          ({ refusal }) => [refusal?.reason, refusal?.message.includes(directory)],
          (error: unknown) => `not a refusal: ${String(error)}`,
        );
      } finally {
        if (root) process.seteuid!(0);
        await chmod(directory, 0o755);
      }
      expect(seen).toEqual(["unusable", true]);
      expect((await attempt(path)).refusal).toBeUndefined();
    },
  );
});
