// Below the faces: file systems without links, which a test can't mount.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renameNew } from "../../src/disk/write-atomically.ts";
import { temporaryDirectory } from "../_files.ts";

const refusing = (code: string) => (): Promise<void> => Promise.reject(Object.assign(new Error(code), { code }));

it.each([
  ["links", undefined],
  ["no links", refusing("EPERM")],
  ["no links, by another name", refusing("ENOTSUP")],
])("A file is renamed to a free name only, on a file system with %s", async (_, makeLink) => {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, "from"), join(directory, "to")];
  await writeFile(from, "ours");
  await writeFile(to, "theirs");
  await expect(renameNew(from, to, makeLink)).rejects.toMatchObject({ code: "EEXIST" });
  expect([await readFile(from, "utf8"), await readFile(to, "utf8")]).toEqual(["ours", "theirs"]);
  await renameNew(from, join(directory, "free"), makeLink);
  expect(await readFile(join(directory, "free"), "utf8")).toBe("ours");
  expect((await readdir(directory)).toSorted()).toEqual(["free", "to"]);
});

it("A file that cannot be renamed stays in place", async () => {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, "from"), join(directory, "to")];
  await writeFile(from, "ours");
  await expect(renameNew(from, to, refusing("EIO"))).rejects.toMatchObject({ code: "EIO" });
  expect(await readdir(directory)).toEqual(["from"]);
});
