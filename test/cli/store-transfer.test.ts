import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createContext } from "../_cli.ts";
import { at, cwd, damage, makeStore, modeOf, open, svc, useDirectory } from "../_store-commands.ts";
import { people } from "../store/_records.ts";

useDirectory();

describe("svc store copy", () => {
  it("shows progress on a terminal only", async () => {
    await makeStore();
    expect((await svc("copy data/db.json a/db.json", { tty: ["stderr"] })).stderr).toContain(
      "[########################] 16 of 16",
    );
    expect((await svc("copy data/db.json b/db.json --json")).stderr).not.toContain("[");
  });

  it("reads a store in use, and refuses a target that is in use or not empty", async () => {
    await makeStore();
    await makeStore("full/db.json");
    const server = await open();
    expect((await svc("copy data/db.json new/db.json")).code).toBe(0);
    await server.deleteUser(people().instances[1]!.id, people().users[0]!.id);
    expect((await svc("copy full/db.json data/db.json")).code).toBe(8);
    const { code, stdout, stderr } = await svc("copy data/db.json full/db.json");
    expect([code, stdout]).toEqual([9, ""]);
    expect(stderr).toContain(`${at("full/db.json")} is not empty. Nothing was changed.`);
  });
});

describe("With --json every line on stderr is JSON, and says who filled a store", () => {
  const audited = { type: "audit", action: "records_imported", instance: null, id: null, count: 4, key: "store" };

  it.each([
    ["copy data/db.json new/db.json", audited],
    ["import backup.ndjson --store new/db.json", audited],
    ["export --output-file other.ndjson", { type: "log", level: "info" }],
  ])("svc store %s", async (line, expected) => {
    await makeStore();
    await svc("export --output-file backup.ndjson");
    const lines = (await svc(`${line} --json`)).stderr.trimEnd().split("\n");
    expect(lines.map((one) => JSON.parse(one) as unknown)).toEqual([
      expect.objectContaining({ ...expected, time: expect.any(String) as string }),
    ]);
    // Nothing more is there to be filled.
    if (expected === audited) expect((await svc(`${line} --json`)).stderr).toBe("");
  });
});

describe("svc store export and svc store import", () => {
  it("transfer all records through a file that only its owner can read", async () => {
    await makeStore();
    await svc("export --output-file backup.ndjson");
    expect(await modeOf(at("backup.ndjson"))).toBe("600");
    const backup = await readFile(at("backup.ndjson"), "utf8");
    expect((await svc("export")).stdout).toBe(backup);
    expect((await svc("import backup.ndjson --store new/db.json")).code).toBe(0);
    expect((await svc("export --store new/db.json")).stdout).toBe(backup);
  });

  it("leave no incomplete file behind", async () => {
    await damage(await makeStore());
    expect(await svc("export --output-file backup")).toMatchObject({ code: 9 });
    expect(await readdir(cwd)).toEqual(["data"]);
  });

  it("read standard input and keep no copy of it", async () => {
    await makeStore();
    const { stdout } = await svc("export");
    const spools = async (): Promise<string[]> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith("svc-import-"));
    const before = await spools();
    expect(await svc("import - --store new/db.json", { stdin: stdout })).toMatchObject({ code: 0 });
    expect((await svc("export --store new/db.json")).stdout).toBe(stdout);
    const cut = await svc("import - --store cut/db.json", { stdin: stdout.slice(0, -10) });
    expect(cut.code).toBe(1);
    expect(cut.stderr).toMatch(/^✗ standard input, line \d+: it was cut off here\. Nothing was imported\.\n$/);
    expect(await spools()).toEqual(before);
    expect((await readdir(cwd)).toSorted()).toEqual(["data", "new"]);
  });

  it("stop with a message when the reader closes the pipe", async () => {
    await makeStore();
    const context = createContext({ cwd });
    const gone = { ...context.stdout, ready: async () => false };
    expect(await main(["store", "export", "--store", "data/db.json"], { ...context, stdout: gone })).toBe(1);
    expect(context.written.stderr).toContain("closed early");
  });
});
