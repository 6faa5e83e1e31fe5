// Below the faces: what the system refuses is met by one call.

import { mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDirectories } from "../../src/disk/write-atomically.ts";
import { temporaryDirectory } from "../_files.ts";

describe("Creating directories", () => {
  it("creates all that are missing with the mode, and tells the first", async () => {
    const top = temporaryDirectory();
    expect(await createDirectories(join(top, "a/b/c"), 0o700)).toBe(join(top, "a"));
    for (const name of ["a", "a/b", "a/b/c"]) expect((await stat(join(top, name))).mode & 0o777).toBe(0o700);
    expect(await createDirectories(join(top, "a/b/d"), 0o700)).toBe(join(top, "a/b/d"));
  });

  it("changes nothing that is there, also behind a link", async () => {
    const top = temporaryDirectory();
    await mkdir(join(top, "real"), 0o755);
    await symlink("real", join(top, "link"));
    expect(await createDirectories(join(top, "real"), 0o700)).toBeUndefined();
    expect(await createDirectories(join(top, "link"), 0o700)).toBeUndefined();
    expect(await createDirectories("/", 0o700)).toBeUndefined();
    expect((await stat(join(top, "real"))).mode & 0o777).toBe(0o755);
  });

  it("may be done several times at once", async () => {
    const top = temporaryDirectory();
    const made = await Promise.all(Array.from({ length: 8 }, () => createDirectories(join(top, "a/b/c"))));
    expect(made).toContain(join(top, "a"));
    expect(await readdir(join(top, "a/b"))).toEqual(["c"]);
  });

  it("fails at a file and at a link that leads nowhere", async () => {
    const top = temporaryDirectory();
    await writeFile(join(top, "file"), "");
    await symlink("nowhere", join(top, "link"));
    await expect(createDirectories(join(top, "file"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(createDirectories(join(top, "file/a"))).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(createDirectories(join(top, "link"))).rejects.toMatchObject({ code: "EEXIST" });
  });

  it.runIf(process.platform === "linux")(
    "fails where the system creates none, instead of trying for ever",
    async () => {
      await expect(createDirectories("/proc/x/y")).rejects.toMatchObject({ code: "ENOENT" });
    },
  );
});
