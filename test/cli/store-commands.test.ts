import { appendFile, chmod, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { placeIn } from "../_server-file.ts";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/server/store/records.ts";
import { encodeLine } from "../../src/server/store/json/files/journal-lines.ts";
import { type CliOptions } from "../_cli.ts";
import { at, cwd, damage, makeStore, modeOf, open, svc, useDirectory } from "../_store-commands.ts";
import { people, state } from "../store/_records.ts";

useDirectory();

const COMMANDS = ["check", "repair", "compact", "migrate", "copy", "export", "import"];

const SECRETS = [...people().instances.map((one) => one.secret_key), "digest", state(1).state];

async function filesIn(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
  return Object.fromEntries(names.map((name, n) => [name, contents[n]!]));
}

describe("The store of a store command", () => {
  it.each([
    ["the flag", "--store a/db.json", { SVC_STORE: "b/db.json" }, "a/db.json"],
    ["the environment", "--json", { SVC_STORE: "b/db.json" }, "b/db.json"],
    ["a configuration file that is named", "--config other.json", { SVC_STORE: "" }, "d/db.json"],
  ])("is named by %s", async (_, flags, env, expected) => {
    await writeFile(at("other.json"), '{"store":"d/db.json"}');
    const { code, stderr } = await svc(`check ${flags}`, { env });
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no store at ${at(expected)}.`);
  });

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

  it.each(COMMANDS)(
    "is checked: svc store %s refuses what is not a store, and repeats no password",
    async (command) => {
      const commandLine = (location: string): string =>
        command === "copy"
          ? `copy ${location} x/db.json`
          : command === "import"
            ? `import f --store ${location}`
            : `${command} --store ${location}`;
      await writeFile(at("f"), "");
      const url = await svc(commandLine("mysql://ada:hunter2@db.test/svc"));
      expect(url.code).toBe(2);
      expect(url.stderr).toMatch(/^✗ ("mysql:" is not a supported kind of store|This command is for a db\.json)/);
      expect(url.stderr).not.toContain("hunter2");
      expect(await svc(commandLine("memory"))).toMatchObject({ code: 2 });
      expect(await svc(commandLine("db.sqlite"))).toMatchObject({ code: 2 });
      expect(await readdir(cwd)).toEqual(["f"]);
    },
  );
});

describe("svc store check", () => {
  it("describes a sound store", async () => {
    const path = await makeStore();
    const { code, stdout, stderr } = await svc("check --json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      location: path,
      kind: `json, format ${VERSION}`,
      bytes: (await stat(path)).size + (await stat(join(dirname(path), "db.journal"))).size,
      sequence: 2,
      tables: { settings: 0, instances: 2, personas: 2, users: 4, identities: 4, sessions: 4, states: 1 },
      damage: [],
      dangling: [],
      notes: [],
      sound: true,
    });
  });

  it("reads a store that a server has open, with the changes in its journal", async () => {
    const store = await open();
    await store.seed(people());
    expect(JSON.parse((await svc("check --json")).stdout)).toMatchObject({ sequence: 1, tables: { users: 4 } });
    await store.deleteUser(people().instances[1]!.id, people().users[0]!.id);
    const { stdout } = await svc("check --json");
    expect(JSON.parse(stdout)).toMatchObject({ sequence: 2, tables: { users: 3 }, sound: true });
  });

  it("names file, line, offset and record of damage, and what to do", async () => {
    const path = await makeStore();
    await damage(path);
    const before = await filesIn(dirname(path));
    const { code, stdout, stderr } = await svc("check");
    const text = before["db.json"]!;
    const offset = Buffer.byteLength(text.slice(0, text.lastIndexOf("\n", text.indexOf("Charles Babbage")) + 1));
    const line = text.slice(0, text.indexOf("Charles Babbage")).split("\n").length;
    expect(code).toBe(1);
    expect(stdout).toContain(
      `✗ ${path}, line ${line}, offset ${offset}: checksum mismatch (users ${people().users[1]!.id})\n`,
    );
    expect(stdout).toContain("damaged\t1\n");
    expect(stderr).toBe("To keep what can be read: svc store repair\n");
    const named = await svc("check --store data/db.json");
    expect(named.stderr).toBe("To keep what can be read: svc store repair --store data/db.json\n");
    expect(await filesIn(dirname(path))).toEqual(before);
  });

  it("names records that reference missing ones", async () => {
    const store = await open();
    const { users, ...rest } = people();
    await store.seed({ ...rest, users: users.slice(1) });
    const { code, stdout, stderr } = await svc("check");
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ identities \S+ belongs to user \S+, which isn't there\n/);
    expect(stderr).toContain("svc store repair --drop-dangling");
  });

  it("reports an incomplete last line of the journal, which is not damage", async () => {
    const path = await makeStore();
    await appendFile(join(dirname(path), "db.journal"), '{"sequence":3,"chan');
    const { code, stderr } = await svc("check");
    expect(code).toBe(0);
    expect(stderr).toContain("ends with an incomplete line");
  });

  it.skipIf(process.getuid?.() === 0)("reports a file that cannot be read", async () => {
    const path = await makeStore();
    await chmod(path, 0);
    expect(await svc("check")).toMatchObject({ code: 1, stderr: expect.stringContaining("EACCES") as string });
  });
});

describe("svc store repair", () => {
  it("leaves a sound store alone", async () => {
    const path = await makeStore();
    const before = await filesIn(dirname(path));
    const { code, stdout, stderr } = await svc("repair --yes");
    expect([code, stdout, stderr]).toEqual([0, "", `${path} is not damaged: nothing to repair.\n`]);
    expect(await filesIn(dirname(path))).toEqual(before);
  });

  it.each<[string, string, CliOptions, number, string]>([
    ["is only tried", "repair --dry-run", {}, 0, "Nothing was changed.\n"],
    ["cannot ask for confirmation", "repair", {}, 2, "Add --yes to repair without confirmation"],
    ["is not confirmed", "repair", { tty: true, confirm: () => false }, 1, "Declined. Nothing was changed.\n"],
  ])("changes nothing where it %s", async (_, line, options, expected, message) => {
    const path = await makeStore();
    await damage(path);
    const before = await filesIn(dirname(path));
    const { code, stdout, stderr } = await svc(line, options);
    expect(code).toBe(expected);
    expect(stdout).toContain(`(users ${people().users[1]!.id})`);
    expect(stderr).toContain(message);
    expect(stderr).toContain("Kept: 0 settings, 2 instances, 2 personas, 3 users, 4 identities, 4 sessions, 1 state.");
    expect(await filesIn(dirname(path))).toEqual(before);
  });

  it("copies every file, then keeps readable records and leaves the others in the copy only", async () => {
    const path = await makeStore();
    await damage(path);
    const before = await readFile(path, "utf8");
    const questions: string[] = [];
    const confirm = (question: string): boolean => questions.push(question) > 0;
    const { code, stderr } = await svc("repair", { tty: true, confirm });
    expect([code, questions]).toEqual([
      0,
      [expect.stringMatching(/^Rewrite .*db\.json without these records\? Its files are copied first\.$/)],
    ]);
    const copy = `${path}.2026-06-01T12-00-00.000Z.bak`;
    expect(stderr).toContain(copy);
    expect([await readFile(copy, "utf8"), await modeOf(copy), await modeOf(path)]).toEqual([before, "600", "600"]);
    expect((await svc("check --json")).code).toBe(1);
    // This test's clock is stopped.
    for (const name of await readdir(dirname(path))) if (name.endsWith(".bak")) await rm(join(dirname(path), name));
    expect(await svc("repair --yes --drop-dangling --json")).toMatchObject({ code: 0 });
    expect((await svc("check --json")).code).toBe(0);
  });

  it("names the records that it keeps without their owner, and that no export takes", async () => {
    const path = await makeStore();
    await damage(path);
    const { code, stderr } = await svc("repair --yes");
    expect(code).toBe(0);
    expect(stderr).toContain(
      `  sessions ${people().sessions[2]!.session_id}: it belongs to user ${people().users[1]!.id}, which isn't there\n`,
    );
    expect(stderr).toContain("svc store repair --drop-dangling\n");
    expect((await svc("repair --dry-run")).stderr).toContain("can't be exported or copied");
    expect(await svc("export")).toMatchObject({ code: 1, stderr: expect.stringContaining("belongs to") as string });
    // This test's clock is stopped.
    for (const name of await readdir(dirname(path))) if (name.endsWith(".bak")) await rm(join(dirname(path), name));
    expect((await svc("repair --yes --drop-dangling")).code).toBe(0);
    expect((await svc("export")).code).toBe(0);
  });

  it("names an instance with a key that svc would refuse at its start, as the check does", async () => {
    const store = await open();
    const { instances, ...rest } = people();
    await store.seed({ ...rest, instances: [{ ...instances[0]!, secret_key: "sk_x" }, ...instances.slice(1)] });
    await store.close();
    const fault = `instances ${instances[0]!.id}: its secret_key is not valid`;
    expect(await svc("check")).toMatchObject({ code: 1, stdout: expect.stringContaining(fault) as string });
    expect((await svc("repair --yes")).stderr).toContain(fault);
    expect(await svc("export")).toMatchObject({ code: 1, stderr: expect.stringContaining(fault) as string });
  });

  it("is refused while a server has the store open", async () => {
    await open();
    await makeStore("other/db.json");
    const held = await open("other/db.json");
    expect(await svc("repair --yes --store other/db.json")).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(`is in use by process ${process.pid}`) as string,
    });
    await held.close();
  });
});

describe("svc store compact and svc store migrate", () => {
  it("name an incomplete last line of the journal that compacting drops", async () => {
    const path = await makeStore();
    const journal = join(dirname(path), "db.journal");
    const { size } = await stat(journal);
    await appendFile(journal, '{"sequence":3,"chan');
    const { code, stderr } = await svc("compact");
    expect(code).toBe(0);
    expect(stderr).toContain(`${journal}: dropped an incomplete last line at offset ${size} (19 bytes).`);
    expect((await svc("compact")).stderr).not.toContain("dropped");
  });

  it("compact the journal and print the result", async () => {
    const path = await makeStore();
    await appendFile(join(dirname(path), "db.journal"), encodeLine(3, [["delete", "states", state(1).state]]));
    const { code, stderr } = await svc("compact");
    expect(code).toBe(0);
    expect(stderr).toMatch(/bytes became \d+\.\n$/);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ sequence: 3, states: [] });
    expect(await svc("compact")).toMatchObject({
      code: 0,
      stderr: `${path} has an empty journal: nothing to compact.\n`,
    });
    expect(Object.keys(await filesIn(dirname(path)))).toEqual(["db.journal", "db.json"]);
  });

  it("are refused without a store, and create none", async () => {
    for (const command of ["compact", "migrate", "repair --yes", "export", "check"])
      expect(await svc(command)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("There is no store at") as string,
      });
    expect(await readdir(cwd)).toEqual([]);
  });

  it("leave compaction to a running server", async () => {
    const store = await open();
    await store.seed(people());
    const { code, stderr } = await svc("compact");
    expect(code).toBe(8);
    expect(stderr).toContain("compacts the journal itself");
  });

  it("upgrade an older store to the newest format and keep a copy beside it", async () => {
    const old = await readFile(new URL("../store/formats/2.db", import.meta.url), "utf8");
    await writeFile(at("db.json"), old);
    const before = (await svc("export --store db.json")).stdout;
    const { code, stderr } = await svc("migrate --store db.json");
    expect([code, stderr]).toEqual([0, `${at("db.json")}: from format 2 to ${VERSION}.\n`]);
    expect(await readFile(at("db.json.format-2.bak"), "utf8")).toBe(old);
    expect((await svc("export --store db.json")).stdout).toBe(before);
  });

  it("have nothing to do in a store of the newest format", async () => {
    const path = await makeStore();
    const before = await filesIn(dirname(path));
    expect(await svc("migrate")).toMatchObject({ code: 0, stderr: `${path} has format ${VERSION}: nothing to do.\n` });
    expect(await filesIn(dirname(path))).toEqual(before);
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
    const lines = ["check", "check --json", "repair --dry-run", "repair --yes --json", "export", "compact", "migrate"];
    const more = ["copy data/db.json x/db.json", "copy whole/db.json y/db.json", "import altered --store z/db.json"];
    for (const line of [...lines, ...more]) {
      const { stdout, stderr } = await svc(line, { tty: ["stdout", "stderr"] });
      for (const secret of SECRETS) expect(line.startsWith("export") ? stderr : stdout + stderr).not.toContain(secret);
    }
  });

  it.each(COMMANDS)("%s has help that starts with examples and ends with exit codes", async (command) => {
    const { code, stdout } = await svc(`${command} --help`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^Usage: svc store ${command} [^]*Examples:\\n  [^\\n]*svc store ${command}[^]*Options:[^]*Exit codes:\\n  0`,
      ),
    );
    expect(stdout.indexOf("Examples:")).toBeLessThan(stdout.indexOf("Options:"));
  });

  it("is listed by svc store --help", async () => {
    const { stdout } = await svc("--help");
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ +${command} `, "m"));
  });
});
