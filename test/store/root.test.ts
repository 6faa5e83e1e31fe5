// Below the faces: root repairs the store of a user that this machine does not have.

import { chown, mkdir, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { acceptFileStore } from "../../src/server/store/file/check.ts";
import { createMaintenance } from "../../src/server/store/move/index.ts";
import { notOpened } from "../../src/server/store/file/refusals.ts";
import { temporaryDirectory } from "../_files.ts";
import { makeStore, warn } from "./_move.ts";

/** Of a service, which may not be anybody on this machine. */
const USER = 54_321;
const GROUP = 54_322;

/** The owners of the files of a store. */
async function owners(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).filter((name) => !name.endsWith(".lock"));
  const found = await Promise.all(names.map((name) => stat(join(directory, name))));
  return Object.fromEntries(
    found.map(({ uid, gid, mode }, n) => [names[n]!, `${uid}:${gid} ${(mode & 0o777).toString(8)}`]),
  );
}

const OWNED = { "db.json": `${USER}:${GROUP} 600`, "db.journal": `${USER}:${GROUP} 600` };

async function owned(): Promise<string> {
  const directory = join(temporaryDirectory(), "stores");
  await mkdir(directory, { mode: 0o700 });
  await chown(directory, USER, GROUP);
  return directory;
}

describe.skipIf(process.getuid?.() !== 0)("A store of a service's user that root repairs", () => {
  it("stays the user's after a copy, an edit that was accepted, and an import", async () => {
    const { copy, import: fill, export: save } = createMaintenance(warn);
    const from = await makeStore();
    const copied = await owned();
    await copy(from, join(copied, "db.json"));
    expect(await owners(copied)).toEqual(OWNED);
    await acceptFileStore(join(copied, "db.json"), warn);
    expect(await owners(copied)).toEqual(OWNED);
    const name = join(temporaryDirectory(), "backup.ndjson");
    const file = await open(name, "wx+");
    onTestFinished(() => file.close());
    await save(from, (text) => file.appendFile(text));
    const imported = await owned();
    await fill(join(imported, "db.json"), name, file);
    expect(await owners(imported)).toEqual(OWNED);
  });

  it("keeps the owner of files that were there before", async () => {
    const path = await makeStore();
    const directory = join(path, "..");
    const other = join(directory, "notes.txt");
    await (await open(other, "wx")).close();
    await chown(directory, USER, GROUP);
    await acceptFileStore(path, warn);
    expect((await stat(other)).uid).toBe(0);
    expect(await owners(directory)).toMatchObject({ ...OWNED, "db.json": "0:0 600" });
  });

  it("is refused to the user with the owner's number where a file is root's", async () => {
    const path = await makeStore();
    const getuid = vi.spyOn(process, "getuid").mockReturnValue(USER);
    onTestFinished(() => getuid.mockRestore());
    const refusal = Object.assign(new Error("open"), { code: "EACCES", path });
    expect(notOpened(path, refusal).message).toBe(
      `${path} can't be opened (EACCES). ${path} belongs to user 0, and svc runs as user ${USER}: give it to that user, or choose another --store.`,
    );
  });
});
