// Locks, links and modes of files: see transcripts/store.txt for the rest.
import { chmod, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeIn } from "../_server-file.ts";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createContext } from "../_cli.ts";
import { at, cwd, makeStore, modeOf, open, svc, useDirectory } from "../_store-commands.ts";
import { people, state } from "../store/_records.ts";

useDirectory();

const SECRETS = [...people().instances.map((one) => one.secret_key), "digest", state(1).state];

describe("The store of a store command", () => {
  it("is the one of svc serve by default", async () => {
    const { stderr } = await svc("check", { env: { SVC_STORE: "" } });
    expect(stderr).toContain(`There is no store at ${join(placeIn(cwd), "db.json")}.`);
  });

  it("may be a symbolic link, which is followed", async () => {
    const path = await makeStore("real/db.json");
    await symlink(path, at("link.json"));
    expect((await svc("check --store link.json")).stdout).toContain(`location\t${path}\n`);
    expect((await svc(`copy link.json link2.json`)).code).toBe(0);
    await symlink(at("away/db.json"), at("nowhere.json"));
    expect((await svc("check --store nowhere.json")).stderr).toContain("is a link that leads nowhere");
  });
});

describe("svc store check", () => {
  it("reads a store that a server has open, with the changes in its journal", async () => {
    const store = await open();
    await store.seed(people());
    expect(JSON.parse((await svc("check --json")).stdout)).toMatchObject({ sequence: 1, tables: { users: 4 } });
    await store.deleteUser(people().instances[1]!.id, people().users[0]!.id);
    const { stdout } = await svc("check --json");
    expect(JSON.parse(stdout)).toMatchObject({ sequence: 2, tables: { users: 3 }, sound: true });
  });

  it("names records that reference missing ones", async () => {
    const store = await open();
    const { users, ...rest } = people();
    await store.seed({ ...rest, users: users.slice(1) });
    const { code, stdout } = await svc("check");
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ identities \S+ belongs to user \S+, which isn't there\n/);
  });

  it.skipIf(process.getuid?.() === 0)("reports a file that cannot be read", async () => {
    const path = await makeStore();
    await chmod(path, 0);
    expect(await svc("check")).toMatchObject({ code: 1, stderr: expect.stringContaining("EACCES") as string });
  });
});

describe("svc store check --accept", () => {
  it("is refused while a server has the store open", async () => {
    await makeStore();
    await open();
    expect(await svc("check --accept")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(`is in use by process ${process.pid}`) as string,
    });
  });
});

describe("Every svc store command", () => {
  it("except export prints no secret", async () => {
    const path = await makeStore();
    await makeStore("whole/db.json");
    const { stdout: whole } = await svc("export --store whole/db.json");
    await writeFile(at("altered"), whole.replaceAll('"record":{', '"record":{{'));
    const text = await readFile(path, "utf8");
    // Every line of the document is damaged.
    await writeFile(path, text.replaceAll('"id":', '"id"=').replaceAll('"state":', '"state"='));
    const lines = ["check", "check --json", "check --accept", "export", "export --readable", "migrate"];
    const more = ["copy data/db.json x/db.json", "copy whole/db.json y/db.json", "import altered --store z/db.json"];
    for (const line of [...lines, ...more]) {
      const { stdout, stderr } = await svc(line, { tty: ["stdout", "stderr"] });
      for (const secret of SECRETS) expect(line.startsWith("export") ? stderr : stdout + stderr).not.toContain(secret);
    }
  });
});

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

describe("svc store export and svc store import", () => {
  it("write a file that only its owner can read", async () => {
    await makeStore();
    await svc("export --output-file backup.ndjson");
    expect(await modeOf(at("backup.ndjson"))).toBe("600");
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
