// Below the faces: files of other modes and owners.
import { chmod, chown, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeCurrent } from "../../src/cli/credentials/profiles.ts";
import { addProfile, contextOf, home, run, useHome } from "../_cli-home.ts";

useHome();

const A = "https://a.svc.test";

describe("A profile file", () => {
  it("is readable by its owner only and leaves no temporary file", async () => {
    await addProfile("acme", A);
    await writeCurrent(contextOf(), "acme");
    const root = join(home, ".config/svc");
    const modeOf = async (path: string): Promise<number> => (await stat(join(root, path))).mode & 0o777;
    expect(await Promise.all([".", "profiles", "profiles/acme.json", "config.json"].map(modeOf))).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ]);
    expect([await readdir(root), await readdir(join(root, "profiles"))]).toEqual([
      ["config.json", "profiles"],
      ["acme.json"],
    ]);
  });

  it("loses none of many concurrent writes", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    await Promise.all(names.map((name) => addProfile(name, A)));
    const { stdout } = await run(["profiles", "list", "--json"]);
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(names.toSorted());
  });

  it.each([
    [0o644, "contains a secret key that others can read"],
    [0o640, "contains a secret key that others can read"],
    [0o666, "others can change it"],
    [0o620, "others can change it"],
  ])("of mode %o is refused with the command that fixes it", async (mode, message) => {
    await addProfile("acme", A);
    const path = join(home, ".config/svc/profiles/acme.json");
    await chmod(path, mode);
    const { code, stderr, requests } = await run(["users", "list", "--profile", "acme"]);
    expect([code, requests]).toEqual([1, []]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`chmod 600 '${path}'`);
  });

  // Only root can change a file's owner, and root may read every file, so a child process of another user reads it.
  it.skipIf(process.getuid?.() !== 0)("of another user is refused", async () => {
    await addProfile("acme", A);
    await chown(join(home, ".config/svc/profiles/acme.json"), 12_345, 12_345);
    const uid = process.getuid!;
    process.getuid = () => 54_321;
    try {
      const { code, stderr } = await run(["users", "list", "--profile", "acme"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("belongs to another user")]);
    } finally {
      process.getuid = uid;
    }
  });
});
