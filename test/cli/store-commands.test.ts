// Damage, locks and modes of files: see transcripts/store.txt for the rest.
import { chmod, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { placeIn } from "../_server-file.ts";
import { describe, expect, it } from "vitest";
import { at, cwd, damage, makeStore, open, svc, useDirectory } from "../_store-commands.ts";
import { people, state } from "../store/_records.ts";

useDirectory();

const SECRETS = [...people().instances.map((one) => one.secret_key), "digest", state(1).state];

async function filesIn(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
  return Object.fromEntries(names.map((name, n) => [name, contents[n]!]));
}

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

  it("names file, line and offset of damage, and what to do", async () => {
    const path = await makeStore();
    await damage(path);
    const before = await filesIn(dirname(path));
    const { code, stdout, stderr } = await svc("check");
    const text = before["db.json"]!;
    const offset = Buffer.byteLength(text.slice(0, text.lastIndexOf("\n", text.indexOf("Charles Babbage")) + 1));
    const line = text.slice(0, text.indexOf("Charles Babbage")).split("\n").length;
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ ${path}: line ${line}, offset ${offset}: not a record of users\n`);
    expect(stderr).toBe(
      "If you have edited db.json, correct it. Otherwise restore a backup, or keep what can be read: svc store export --readable\n",
    );
    const named = await svc("check --store data/db.json");
    expect(named.stderr).toContain("svc store export --readable --store data/db.json\n");
    expect(await filesIn(dirname(path))).toEqual(before);
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
  it("is refused while a server has the store open and where it is damaged", async () => {
    const path = await makeStore();
    const held = await open();
    expect(await svc("check --accept")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(`is in use by process ${process.pid}`) as string,
    });
    await held.close();
    await damage(path);
    const before = await filesIn(dirname(path));
    expect(await svc("check --accept")).toMatchObject({ code: 9 });
    expect(await filesIn(dirname(path))).toEqual(before);
  });
});

describe("svc store export --readable", () => {
  it("exports what can be read, names the rest, and can be imported", async () => {
    const path = await makeStore();
    await damage(path);
    const before = await filesIn(dirname(path));
    expect(await svc("export")).toMatchObject({ code: 9, stderr: expect.stringContaining("--readable") as string });
    const { code, stderr } = await svc("export --readable --output-file rest.ndjson");
    expect(code).toBe(0);
    expect(stderr).toMatch(/db\.json: line \d+, offset \d+: not a record of users\.\n/);
    expect(stderr).toContain(
      `sessions ${people().sessions[2]!.session_id} is left out: it belongs to user ${people().users[1]!.id}.\n`,
    );
    expect(stderr).toContain("Exported 2 instances, 2 personas, 3 users");
    expect(await filesIn(dirname(path))).toEqual(before);
    expect(await svc("import rest.ndjson --store new/db.json")).toMatchObject({ code: 0 });
    expect(await svc("check --store new/db.json")).toMatchObject({ code: 0 });
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
