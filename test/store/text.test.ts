import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { acceptFileStore, checkFileStore } from "../../src/server/store/file/check.ts";
import { refused } from "./_journal.ts";
import { filesBeside, makeStore, warn } from "./_move.ts";

/** The path of a store whose `db.json` somebody has written again, byte by byte. */
async function rewritten(edit: (bytes: Buffer) => Buffer): Promise<string> {
  const path = await makeStore();
  await writeFile(path, edit(await readFile(path)));
  return path;
}

/** The line that has a text, counted from 1. */
const lineOf = async (path: string, part: string): Promise<number> =>
  (await readFile(path, "latin1")).split("\n").findIndex((one) => one.includes(part)) + 1;

describe("The text of a db.json", () => {
  it("is refused where it is not UTF-8, with its line, and not accepted with other letters", async () => {
    const path = await rewritten((bytes) =>
      Buffer.from(bytes.toString("latin1").replace("Ada Lovelace", "Ada Lov\u00e9lace"), "latin1"),
    );
    const before = await filesBeside(path);
    const line = await lineOf(path, "Lov\u00e9lace");
    const said = new RegExp(`is not text in UTF-8 \\(line ${line}, byte \\d+\\)`);
    expect((await refused(path)).message).toMatch(said);
    expect((await checkFileStore(path)).damage[0]).toMatch(said);
    await expect(acceptFileStore(path, warn)).rejects.toThrow(said);
    expect(await filesBeside(path)).toEqual(before);
  });

  it("may begin with a byte order mark, which is skipped", async () => {
    const path = await rewritten((bytes) => Buffer.concat([Buffer.from("\ufeff"), bytes]));
    expect((await refused(path)).message).toContain("was changed since svc wrote it");
    await acceptFileStore(path, warn);
    expect(await checkFileStore(path)).toMatchObject({ damage: [], doubts: [] });
    expect((await readFile(path, "utf8")).startsWith("{")).toBe(true);
  });

  it("is refused with the line of a trailing comma", async () => {
    const path = await rewritten((bytes) =>
      Buffer.from(bytes.toString().replace(/\}\n\],\n"sessions"/, '},\n],\n"sessions"')),
    );
    const line = (await lineOf(path, '"sessions":[')) - 2;
    expect((await refused(path)).message).toContain(`not JSON: Trailing comma (line ${line}, column `);
  });
});
