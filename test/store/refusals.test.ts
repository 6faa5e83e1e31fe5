// Below the faces: another kind of file in each place, opened without a server.

import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFailed } from "vitest";
import { STORE_VERSION } from "../../src/server/store/records.ts";
import { notOpened } from "../../src/server/store/file/refusals.ts";
import { attempt, laidOut, refused } from "./_journal.ts";
import { temporaryDirectory } from "../_files.ts";

describe("Another kind of file in the place of db.json", () => {
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
    [
      "a store's first line alone",
      `{"format":"svc-identity","version":${STORE_VERSION},"store":"a","journal":"b","number":1,\n`,
    ],
    [
      "a number of text",
      `{"format":"svc-identity","version":${STORE_VERSION},"store":"a","journal":"b","number":"1",\n`,
    ],
  ];
  it.each(contents)("is refused and left unchanged: %s", async (_, content) => {
    const path = join(temporaryDirectory(), "db.json");
    await writeFile(path, content);
    const refusal = await refused(path);
    const isStore = content.includes('svc-identity",');
    expect(refusal.message).toContain(isStore ? `${path}: ` : `${path} is not a store of svc`);
    expect(refusal.reason).toBe(isStore ? "damaged" : "unusable");
    expect(await readFile(path)).toEqual(Buffer.from(content));
  });

  it("is refused and left unchanged: the store of a newer svc", async () => {
    const { path, document } = await laidOut([]);
    const newer = Buffer.from(
      document.toString().replace(`"version":${STORE_VERSION},`, `"version":${STORE_VERSION + 1},`),
    );
    await writeFile(path, newer);
    const refusal = await refused(path);
    expect(refusal.reason).toBe("unusable");
    expect(refusal.message).toBe(
      `${path} was written by a newer svc, whose format is not ${STORE_VERSION}. Update svc, or choose another --store.`,
    );
    expect(await readFile(path)).toEqual(newer);
  });

  it.each([
    ["a newer", STORE_VERSION + 1, "Update svc"],
    ["an older", STORE_VERSION - 1, "Use that one"],
  ])("is called so before it is called damage: what %s svc laid out otherwise", async (what, version, remedy) => {
    const { path } = await laidOut([]);
    const text = `{"format":"svc-identity","version":${version},"people":[]}`;
    await writeFile(path, text);
    const { reason, message } = await refused(path);
    expect([reason, message]).toEqual([
      "unusable",
      `${path} was written by ${what} svc, whose format is not ${STORE_VERSION}. ${remedy}, or choose another --store.`,
    ]);
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it.each([
    ["its end", -1, 10],
    ["half of it", -400, -1],
  ])("is refused and left unchanged: a store without %s", async (_, from) => {
    const { path, document } = await laidOut([]);
    await truncate(path, document.length - 2 + from);
    const refusal = await refused(path);
    expect([refusal.reason, refusal.message.startsWith(`${path}: `)]).toEqual(["damaged", true]);
    expect((await stat(path)).size).toBe(document.length - 2 + from);
  });

  it.each(["db.json", "db.journal"])("is refused: a directory named %s", async (name) => {
    const path = join(temporaryDirectory(), "db.json");
    const place = join(dirname(path), name);
    await mkdir(place);
    const refusal = await refused(path);
    expect(refusal.message).toContain(place);
    expect((await stat(place)).isDirectory()).toBe(true);
  });

  it("is refused: a symbolic link to itself", async () => {
    const path = join(temporaryDirectory(), "db.json");
    await symlink(path, path);
    expect((await refused(path)).message).toContain(path);
  });

  it.skipIf(process.platform === "win32")("is refused at once: a pipe", async () => {
    const path = join(temporaryDirectory(), "db.json");
    execFileSync("mkfifo", [path]);
    // Releases a reader that waits for the pipe, which fails if there is none.
    onTestFailed(() => closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)));
    const { refusal } = await attempt(path);
    expect(refusal?.message).toContain(path);
  });
});

describe("An unusable place for a store", () => {
  it("is refused: a file where the directory should be", async () => {
    const file = join(temporaryDirectory(), "file");
    await writeFile(file, "mine");
    const refusal = await refused(join(file, "db.json"));
    expect([refusal.reason, refusal.message.startsWith(`${file} can't be used`)]).toEqual(["unusable", true]);
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  it.skipIf(process.platform === "win32").each(["a new store", "an existing store"])(
    "is refused until it is repaired: a read-only directory for %s",
    async (kind) => {
      const directory = temporaryDirectory();
      const path = join(directory, "db.json");
      if (kind === "an existing store") {
        const laid = await laidOut([]);
        await copyFile(laid.path, path);
        await copyFile(laid.journal, join(directory, "db.journal"));
      }
      await chmod(directory, 0o555);
      const root = process.geteuid?.() === 0;
      // Root may do everything.
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

it.each([
  ["ENOSPC", "Free some space on its disk."],
  ["EDQUOT", "Free some space on its disk."],
  ["ENAMETOOLONG", "Choose another --store."],
])("The error for a store that cannot be opened because of %s says what to do", (code, remedy) => {
  const refusal = notOpened("/data/db.json", Object.assign(new Error(code), { code }));
  expect(refusal.message).toBe(`/data/db.json can't be opened (${code}). ${remedy}`);
});
