import { readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Document } from "../../src/server/store/json/document/document.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { DocumentFile } from "../../src/server/store/json/files/document-file.ts";
import { StoreRefused } from "../../src/server/store/store.ts";
import { documentIn } from "./_files.ts";
import { attempt, type Laid, laidOut, named, put, refused, statesIn } from "./_journal.ts";
import { people, records, state } from "./_records.ts";

/** One bit of each byte flipped, and a line feed at some places, which splits a line. */
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

/** The result for a store with such a file: from its reader, and now and then from opening the store. */
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
    else if (!/offset \d+|line \d+|first line|format \d+|another (time|store)/.test(message))
      seen.add(`does not name the place: ${message}`);
    else seen.add("refused");
  }
  return [...seen];
}

describe("A changed byte", () => {
  it("anywhere in the journal is refused with file and position, and nothing is overwritten", async () => {
    const laid = await laidOut(["a", "b"].map(named), records());
    const read = (): Promise<unknown> => documentIn(laid.path);
    expect(await outcomes(laid, laid.journal, flips(Buffer.concat(laid.lines)), read)).toEqual(["refused"]);
  });

  it("anywhere in db.json is refused with file and position, and nothing is overwritten", async () => {
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
    const read = (): Promise<unknown> => new DocumentFile(laid.path, new Document()).read();
    expect(await outcomes(laid, laid.path, flips(laid.document), read)).toEqual(["refused"]);
  });

  it("in a cut line is dropped with the line", async () => {
    const { path, journal, lines } = await laidOut([1, 2].map(put));
    const bytes = Buffer.concat(lines).subarray(0, -30);
    bytes[bytes.length - 5]! ^= 1;
    await writeFile(journal, bytes);
    const { store, warnings } = await attempt(path);
    expect(warnings.length).toBe(1);
    expect(await statesIn(store!, [1, 2])).toEqual([state(1), undefined]);
  });
});

describe("Misplaced lines in the journal", () => {
  const arrangements: [string, (lines: Buffer[]) => Buffer[], string][] = [
    ["one is missing", ([one, , three]) => [one!, three!], "change 3 is missing"],
    ["the first is missing", ([, two, three]) => [two!, three!], "its first line is missing or damaged"],
    ["two are swapped", ([one, two, three]) => [one!, three!, two!], "change 3 is missing"],
    ["an empty one is between", ([one, two]) => [one!, Buffer.from("\n"), two!], "checksum mismatch"],
    ["text is before", (lines) => [Buffer.from("\ufeff"), ...lines], "its first line is missing or damaged"],
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

  it("are refused if they are older than db.json", async () => {
    const { path, journal, lines } = await laidOut([1, 2].map(put));
    const first = await attempt(path);
    await first.store!.close();
    await writeFile(journal, Buffer.concat(lines));
    expect((await refused(path)).message).toContain("it is of another time than db.json");
    expect(await readFile(journal)).toEqual(Buffer.concat(lines));
  });

  it("are refused if db.json is missing", async () => {
    const { path, journal, lines } = await laidOut([1, 2].map(put));
    await rm(path);
    expect((await refused(path)).message).toContain("change 1 is missing");
    expect(await readFile(journal)).toEqual(Buffer.concat(lines));
  });
});
