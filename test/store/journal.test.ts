// Below the faces: thousands of damaged bytes, each read.

import { copyFile, link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkFileStore } from "../../src/server/store/file/check.ts";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { readLines } from "../../src/server/store/file/document-reader.ts";
import { journalLine } from "../../src/server/store/file/journal.ts";
import { readJournal } from "../../src/server/store/file/journal-reader.ts";
import { driverOf } from "../../src/server/store/move/index.ts";
import { temporaryDirectory } from "../_files.ts";
import { abandoned } from "./_abandoned.ts";
import { attempt, type Laid, laidOut, named, put, refused, statesIn } from "./_journal.ts";
import { exported, filesBeside, journalOf, makeStore } from "./_move.ts";
import { A, arrival, contentOf, people, records, state } from "./_records.ts";

const warn = (message: string): void => expect.fail(message);

/** A bit of a byte flipped, in every third byte, and a line feed at some places, which splits a line. */
function* flips(bytes: Buffer): Iterable<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += 3)
    for (const value of [bytes[offset]! ^ (1 << (offset % 8)), ...(offset % 7 === 0 ? [10] : [])]) {
      if (value === bytes[offset]) continue;
      const flipped = Buffer.from(bytes);
      flipped[offset] = value;
      yield flipped;
    }
}

async function* piecesOf(bytes: Buffer): AsyncIterable<Buffer> {
  yield bytes;
}

/** Of all contents: a whole store is read for some of them, and the reader alone is asked about each. */
const SHARE = 12;

/** What a check says of a store, file by file. */
async function outcomes({ path, journal }: Laid, file: string, contents: readonly Buffer[]): Promise<string[]> {
  const seen = new Set<string>();
  for (const content of contents.filter((_, n) => n % SHARE === 0)) {
    await writeFile(file, content);
    const said = await checkFileStore(path).then(
      ({ damage, doubts = [] }) => [...damage, ...doubts],
      (error: Error) => [error.message],
    );
    const isPlace =
      /offset \d+|line \d+|was changed since|another time|\[\d+\]|must be a list|er svc|heading is missing|is not part of/;
    if (said.length === 0) seen.add("accepted");
    else if (!said.some((text) => text.startsWith(file) && isPlace.test(text))) seen.add(said.join());
    else seen.add("refused");
  }
  expect(journal).toBeDefined();
  return [...seen];
}

describe("A changed byte", () => {
  it("anywhere in the journal is refused with file and place", async () => {
    const laid = await laidOut(["a", "b"].map(named), records());
    const contents = [...flips(Buffer.concat(laid.lines))];
    for (const content of contents) expect((await readJournal(piecesOf(content))).faults).not.toEqual([]);
    expect(await outcomes(laid, laid.journal, contents)).toEqual(["refused"]);
  });

  it("anywhere in db.json is refused with file and place", async () => {
    const laid = await laidOut([], records({ users: people().users.slice(0, 1) }));
    const contents = [...flips(laid.document)];
    for (const content of contents) expect((await readLines(piecesOf(content))).isAsWritten).toBe(false);
    expect(await outcomes(laid, laid.path, contents)).toEqual(["refused"]);
  });
});

describe("A journal whose last line did not reach the disk completely", () => {
  const PAGE = 4096;

  /** The last line spans several pages of the file. */
  async function longLine(): Promise<Laid & { whole: Buffer; start: number }> {
    const laid = await laidOut([put(1)], records());
    const long = Buffer.from(
      journalLine(
        3,
        Array.from({ length: 60 }, (_, n) => put(n)),
      ),
    );
    const whole = Buffer.concat([...laid.lines, long]);
    return { ...laid, whole, start: whole.length - long.length };
  }

  it("keeps the lines before it, whichever pages are missing", async () => {
    const { journal, path, document, whole, start } = await longLine();
    const pages = Array.from({ length: Math.ceil(whole.length / PAGE) }, (_, n) => n * PAGE);
    expect(pages.length).toBeGreaterThan(4);
    for (const page of pages) {
      const torn = Buffer.from(whole);
      torn.fill(0, Math.max(page, start), Math.min(page + PAGE, torn.length));
      await writeFile(path, document);
      await writeFile(journal, torn);
      const { store, warnings } = await attempt(path);
      expect(warnings).toEqual([expect.stringContaining(`ends with an incomplete line at offset ${start} `)]);
      expect(await store!.find("states", state(5).state)).toBeUndefined();
      await store!.close();
    }
  });

  it("is refused if no crash can cause it: zeros within a page, or a line behind it", async () => {
    const { journal, path, whole, start } = await longLine();
    const within = Buffer.from(whole);
    within.fill(0, start + 100, start + 200);
    await writeFile(journal, within);
    expect((await refused(path)).message).toContain(`offset ${start}: checksum mismatch`);
    const behind = Buffer.concat([whole, Buffer.from(journalLine(4, [put(2)]))]);
    behind.fill(0, start, (Math.floor(start / PAGE) + 1) * PAGE);
    await writeFile(journal, behind);
    expect((await refused(path)).message).toContain(`offset ${start}: checksum mismatch`);
  });

  it("keeps the lines before it and drops the rest with one warning, wherever it was cut", async () => {
    const names = ["a", "b", "c", "d"];
    const laid = await laidOut(names.map(named), records());
    const whole = Buffer.concat(laid.lines);
    const ends = laid.lines.map((_, n) => Buffer.concat(laid.lines.slice(0, n + 1)).length);
    for (let cut = ends[0]!; cut < whole.length; cut++) {
      const { lines, faults, torn } = await readJournal(piecesOf(whole.subarray(0, cut)));
      const kept = ends.filter((end) => end <= cut).length;
      expect([lines.length, faults, torn === undefined]).toEqual([kept, [], ends.includes(cut)]);
    }
    // The places at which a store reads something else, and one within each line.
    const cuts = ends.flatMap((end) => [end, end + 1, end + 50, end - 1]);
    for (const cut of cuts.filter((one) => one >= ends[0]! && one < whole.length)) {
      await writeFile(laid.path, laid.document);
      await writeFile(laid.journal, whole.subarray(0, cut));
      const { store, warnings } = await attempt(laid.path);
      await store!.saveState(state(9));
      const next = await attempt(await abandoned(laid.path));
      const kept = ends.filter((end) => end <= cut).length;
      expect((await next.store!.personas()).map((row) => row.id)).toEqual(names.slice(0, kept));
      expect(await statesIn(next.store!, [9])).toEqual([state(9)]);
      expect([warnings.length, next.warnings]).toEqual([ends.includes(cut) ? 0 : 1, []]);
      await Promise.all([store!.close(), next.store!.close()]);
    }
  });
});

describe("Misplaced lines in the journal", () => {
  it.each<[string, (lines: Buffer[]) => Buffer[], string]>([
    ["one is missing", ([one, , three]) => [one!, three!], "changes 3 to 3 are missing"],
    ["the first is missing", ([, two, three]) => [two!, three!], "line 1, offset 0: not the beginning of a journal"],
    ["two are swapped", ([one, two, three]) => [one!, three!, two!], "changes 3 to 3 are missing"],
    ["one is there twice", ([one, two]) => [one!, two!, two!], "change 3 stands behind change 3"],
    ["an empty one is between", ([one, two]) => [one!, Buffer.from("\n"), two!], "checksum mismatch"],
    ["text is before", (lines) => [Buffer.from("\ufeff"), ...lines], "not the beginning of a journal"],
  ])("are refused: %s", async (_, arrange, message) => {
    const { path, journal, lines } = await laidOut([1, 2, 3].map(put));
    const arranged = Buffer.concat(arrange(lines));
    await writeFile(journal, arranged);
    const refusal = await refused(path);
    expect(refusal.message).toContain(message);
    expect([refusal.message.startsWith(journal), refusal.reason]).toEqual([true, "damaged"]);
    expect(await readFile(journal)).toEqual(arranged);
  });
});

/** A store as a crash leaves it, with changes in its journal. */
async function crashed(): Promise<string> {
  const path = await makeStore();
  const store = await openFileStore(path, { warn });
  onTestFinished(() => store.close());
  await store.completeSignIn(arrival({ uid: "late" }));
  return abandoned(path);
}

describe("A journal that does not belong to its db.json", () => {
  /** Start, check and export name the fault, and change nothing. */
  async function expectNamed(path: string, message: string): Promise<void> {
    const before = await filesBeside(path);
    expect((await refused(path)).message).toContain(message);
    const { damage, doubts = [] } = await checkFileStore(path);
    expect([...damage, ...doubts]).toEqual([expect.stringContaining(message)]);
    await expect(exported(driverOf(path))).rejects.toThrow(message);
    expect(await filesBeside(path)).toEqual(before);
  }

  it("is refused by name: another store's", async () => {
    const [path, other] = [await crashed(), await crashed()];
    await copyFile(journalOf(other), journalOf(path));
    await expectNamed(path, "it belongs to another store, or is of another time than db.json");
  });

  it("is refused by name: one of the two is an older copy", async () => {
    const path = await makeStore();
    const [document, journal] = [await readFile(path), await readFile(journalOf(path))];
    const store = await openFileStore(path, { warn });
    await store.completeSignIn(arrival({ uid: "late" }));
    await store.deleteUser(A, people().users[0]!.id);
    await store.close();
    const older = join(temporaryDirectory(), "db.json");
    await writeFile(older, document);
    await copyFile(journalOf(path), journalOf(older));
    await expectNamed(older, "is of another time than db.json");
    await writeFile(journalOf(path), journal);
    await expectNamed(path, "is of another time than db.json");
  });

  it("is refused by name: none, an empty one, and one without its db.json", async () => {
    const path = await makeStore();
    await rm(journalOf(path));
    await expectNamed(path, "db.journal is missing");
    await writeFile(journalOf(path), "");
    await expectNamed(path, "its first line is missing");
    const other = await crashed();
    await rm(other);
    await expectNamed(other, "the db.json that it continues is missing");
  });
});

it("A start begins a new journal and leaves the existing one unchanged, even with a cut last line", async () => {
  const path = await crashed();
  await writeFile(
    journalOf(path),
    Buffer.concat([await readFile(journalOf(path)), Buffer.from(journalLine(99, [put(9)])).subarray(0, 60)]),
  );
  const before = await readFile(journalOf(path));
  const kept = join(temporaryDirectory(), "kept");
  await link(journalOf(path), kept);
  const { store, warnings } = await attempt(path);
  await store!.saveState(state(2));
  expect(warnings).toEqual([expect.stringContaining("a disk that lost data leaves one too")]);
  expect(await readFile(kept)).toEqual(before);
  const again = await attempt(await abandoned(path));
  expect(await again.store!.find("states", state(2).state)).toEqual(state(2));
  expect((await contentOf(again.store!)).users).toHaveLength(people().users.length + 1);
});
