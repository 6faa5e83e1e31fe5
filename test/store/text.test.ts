import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openMaintenance } from "../../src/server/index.ts";
import { refused } from "./_journal.ts";
import { filesBeside, makeStore, warn } from "./_move.ts";

const { accept, check } = await openMaintenance(warn);

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
    expect((await check(path)).damage[0]).toMatch(said);
    await expect(accept(path)).rejects.toThrow(said);
    expect(await filesBeside(path)).toEqual(before);
  });

  it("may begin with a byte order mark, which is skipped", async () => {
    const path = await rewritten((bytes) => Buffer.concat([Buffer.from("\ufeff"), bytes]));
    expect((await refused(path)).message).toContain("was changed since svc wrote it");
    await accept(path);
    expect(await check(path)).toMatchObject({ damage: [], doubts: [] });
    expect((await readFile(path, "utf8")).startsWith("{")).toBe(true);
  });

  it("is refused with the name of what it has beside its tables", async () => {
    const path = await rewritten((bytes) =>
      Buffer.from(JSON.stringify({ ...JSON.parse(bytes.toString()), usres: [] })),
    );
    expect((await refused(path)).message).toContain(`${path}: "usres" is not part of a store`);
    await expect(accept(path)).rejects.toThrow('"usres" is not part of a store');
  });

  it("is exported as far as it can be read where another svc laid it out", async () => {
    const path = await rewritten((bytes) => Buffer.from(bytes.toString().replace('"version":1', '"version":2')));
    const warnings: string[] = [];
    let text = "";
    const { exportReadable } = await openMaintenance((message) => void warnings.push(message));
    await exportReadable(path, async (piece) => void (text += piece));
    expect(text).toContain("Ada Lovelace");
    expect(warnings[0]).toContain("was written by a newer svc");
  });

  it("is refused with the line of a trailing comma", async () => {
    const path = await rewritten((bytes) =>
      Buffer.from(bytes.toString().replace(/\}\n\],\n"sessions"/, '},\n],\n"sessions"')),
    );
    const line = (await lineOf(path, '"sessions":[')) - 2;
    const { message } = await refused(path);
    expect(message).toContain(`${path}: not JSON: Trailing comma (line ${line}, column `);
    expect(message).toContain("If you have edited it, correct it there. Otherwise the store is damaged");
  });
});
