// Below the faces: which system call fails, and when, is decided here.
import { existsSync } from "node:fs";
import { open, readdir, readFile, stat, symlink, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { writeAtomically } from "../../src/disk/write-atomically.ts";
import { temporaryDirectory } from "../_files.ts";

const text =
  (content: string) =>
  (file: FileHandle): Promise<void> =>
    file.writeFile(content);

async function place(): Promise<{ directory: string; path: string }> {
  const directory = temporaryDirectory();
  return { directory, path: join(directory, "file.json") };
}

/** Replaces the sync of every file handle. */
async function spyOnSync(directory: string, sync: () => Promise<void>): Promise<void> {
  const handle = await open(directory);
  const spy = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync").mockImplementation(sync);
  await handle.close();
  onTestFinished(() => spy.mockRestore());
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

it("An atomic write replaces a file with mode 0600 and leaves no other file", async () => {
  const { directory, path } = await place();
  await writeFile(path, "before", { mode: 0o644 });
  expect(await writeAtomically(path, async (file) => (await file.write("after")).bytesWritten)).toBe(5);
  expect(await readFile(path, "utf8")).toBe("after");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(["file.json"]);
});

it("An atomic write replaces a symbolic link and does not follow it", async () => {
  const { directory, path } = await place();
  const other = join(directory, "other.json");
  await writeFile(other, "theirs");
  await symlink(other, path);
  await writeAtomically(path, text("ours"));
  expect([await readFile(path, "utf8"), await readFile(other, "utf8")]).toEqual(["ours", "theirs"]);
});

it("An atomic write syncs the file before it gets its name, and the directory afterwards", async () => {
  const { directory, path } = await place();
  const wasNamed: boolean[] = [];
  await spyOnSync(directory, async () => void wasNamed.push(existsSync(path)));
  await writeAtomically(path, text("content"));
  expect(wasNamed).toEqual([false, true]);
});

it.each(["content", "name"])("An atomic write whose %s fails changes nothing", async (step) => {
  const { directory, path } = await place();
  await writeFile(path, "before");
  const refuse = (): never => {
    throw new Error("refused");
  };
  const fill = async (file: FileHandle): Promise<void> => {
    await file.writeFile("after");
    if (step === "content") refuse();
  };
  const beforeNaming = step === "name" ? refuse : undefined;
  await expect(writeAtomically(path, fill, { beforeNaming })).rejects.toThrow("refused");
  expect(await readFile(path, "utf8")).toBe("before");
  expect(await readdir(directory)).toEqual(["file.json"]);
});

it("An atomic write of a new file never replaces another file", async () => {
  const { directory, path } = await place();
  await writeAtomically(path, text("first"), { isNew: true });
  await expect(writeAtomically(path, text("second"), { isNew: true })).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(path, "utf8")).toBe("first");
  expect(await readdir(directory)).toEqual(["file.json"]);
});

it("An atomic write can leave the file open for appending", async () => {
  const { path } = await place();
  const file = await writeAtomically(path, async (opened) => opened.writeFile("one ").then(() => opened), {
    keepOpen: true,
  });
  await file.writeFile("two");
  await file.close();
  expect(await readFile(path, "utf8")).toBe("one two");
});

it("An atomic write fails if the directory cannot be synced, unless the file system has no such call", async () => {
  const { directory, path } = await place();
  let code = "EINVAL";
  await spyOnSync(directory, async () => {
    if (existsSync(path)) throw failure(code);
  });
  await writeAtomically(path, text("content"));
  code = "EIO";
  await expect(writeAtomically(join(directory, "file.json"), text("content"))).rejects.toMatchObject({ code: "EIO" });
});
