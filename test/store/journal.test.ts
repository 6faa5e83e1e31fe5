import { readFile, writeFile } from "node:fs/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/server/store/json/document/tables.ts";
import { decodeLine, encodeLine } from "../../src/server/store/json/files/journal-lines.ts";
import { attempt, type Laid, laidOut, named, put, refused, statesIn } from "./_journal.ts";
import { abandoned } from "./_abandoned.ts";
import { records, state, take } from "./_records.ts";
import { Document } from "../../src/server/store/json/document/document.ts";
import { replayedInto } from "./_files.ts";

describe("A line of the journal", () => {
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.tuple(fc.constant("delete" as const), fc.constant("users" as const), fc.string({ unit: "binary" })),
    fc
      .record({ redirect_uri: fc.string({ unit: "binary" }), code_verifier: fc.option(fc.string()) })
      .map((more): Change => ["put", "states", state(1, more)]),
  );

  it("is read back as it was written", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(change, { maxLength: 4 }), (sequence, changes) => {
        const line = encodeLine(sequence, changes);
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(decodeLine(line.subarray(0, -1))).toEqual({ sequence, changes });
      }),
    );
  });

  it("is rejected after a cut or a bit flip anywhere", () => {
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
    "is rejected if it never was one: %s",
    (line) => expect(decodeLine(Buffer.from(line))).toBeUndefined(),
  );
});

describe("A journal whose last line did not reach the disk completely", () => {
  const PAGE = 4096;

  /** The last line spans several pages of the file. */
  async function longLine(): Promise<Laid & { whole: Buffer; start: number }> {
    const many = Array.from({ length: 60 }, (_, n): Change => ["put", "states", state(n)]);
    const laid = await laidOut([put(1)], records());
    const long = encodeLine(3, many);
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
      expect(warnings).toEqual([expect.stringContaining(`dropped an incomplete last line at offset ${start} `)]);
      expect(await take(store!, state(5).state)).toBeUndefined();
      await store!.close();
    }
  });

  it("is rejected if no crash can cause it: zeros within a page, or a line after it", async () => {
    const { journal, path, whole, start, lines } = await longLine();
    const within = Buffer.from(whole);
    within.fill(0, start + 100, start + 200);
    await writeFile(journal, within);
    expect((await refused(path)).message).toContain(`offset ${start}: checksum mismatch`);

    const behind = Buffer.concat([whole, encodeLine(4, [put(2)])]);
    behind.fill(0, start, (Math.floor(start / PAGE) + 1) * PAGE);
    await writeFile(journal, behind);
    expect((await refused(path)).message).toContain(`offset ${start}: checksum mismatch`);
    expect(lines).toHaveLength(1);
  });
});

describe("A journal whose last line was cut by a crash", () => {
  const names = ["a", "b", "c", "d"];
  /** The intact part of a cut journal, and the warning for the rest. */
  function expectedOf({ journal, lines }: Laid, cut: number): { kept: string[]; start: number; warned: string[] } {
    const ends = lines.map((_, n) => Buffer.concat(lines.slice(0, n + 1)).length);
    const kept = ends.filter((end) => end <= cut).length;
    const start = ends[kept - 1]!;
    const warning = `${journal}: dropped an incomplete last line at offset ${start} (${cut - start} bytes).`;
    return {
      kept: names.slice(0, kept),
      start,
      warned: cut === start ? [] : [expect.stringContaining(warning) as string],
    };
  }

  it("keeps the lines before it and drops the rest with one warning, wherever it was cut", async () => {
    const laid = await laidOut(names.map(named), records());
    const whole = Buffer.concat(laid.lines);
    for (let cut = laid.lines[0]!.length; cut < whole.length; cut++) {
      await writeFile(laid.journal, whole.subarray(0, cut));
      const kept: string[] = [];
      const { length, torn } = await replayedInto(new Document(), laid.path, ([, , record]) =>
        kept.push((record as { id: string }).id),
      );
      const { warned, ...expected } = expectedOf(laid, cut);
      expect({ kept, start: length }).toEqual(expected);
      expect(torn !== undefined).toBe(warned.length > 0);
    }
  }, 120_000);

  it("continues after them", async () => {
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
  }, 120_000);

  it("drops a tail of bytes that never reached the disk", async () => {
    const { path, journal, lines } = await laidOut([1, 2, 3].map(put));
    await writeFile(journal, Buffer.concat([...lines, Buffer.alloc(4096)]));
    const { store, warnings } = await attempt(path);
    expect(warnings.length).toBe(1);
    expect(await statesIn(store!, [1, 2, 3])).toEqual([state(1), state(2), state(3)]);
  });

  it("is rejected if the cut is not at the end", async () => {
    const { path, journal, lines } = await laidOut([1, 2, 3, 4].map(put));
    const cut = Buffer.concat(lines.slice(0, 2)).subarray(0, -20);
    await writeFile(`${journal}.old`, cut);
    await writeFile(journal, Buffer.concat(lines.slice(2)));
    const before = [await readFile(path), await readFile(journal), await readFile(`${journal}.old`)];
    expect((await refused(path)).reason).toBe("damaged");
    expect([await readFile(path), await readFile(journal), await readFile(`${journal}.old`)]).toEqual(before);
  });
});
