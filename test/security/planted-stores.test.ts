import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN } from "../_paths.ts";
import { startSvc } from "../_attacks.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { writeRunning } from "../_server-file.ts";
import { createDatabase } from "../postgres/_postgres.ts";
import { id, instance, records } from "../store/_records.ts";
import { openJsonStore } from "../../src/server/store/json/json-store.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { openStore } from "../../src/server/store/open.ts";
import type { InstanceRecord } from "../../src/server/store/records.ts";

const warn = (): void => undefined;
const GOOD = { publishable_key: "pk_0123456789abcdef", secret_key: `sk_${"known-to-its-author-".repeat(3)}` };

function git(cwd: string, ...argv: string[]): void {
  const identity = ["-c", "user.name=Mallory", "-c", "user.email=mallory@evil.test"];
  execFileSync("git", [...identity, ...argv], { cwd, stdio: "pipe" });
}

/** A store with an instance of the attacker's, with all its files as svc leaves them. */
async function plant(directory: string, values: Partial<InstanceRecord> = GOOD): Promise<string> {
  const path = join(directory, ".svc", "db.json");
  const store = await openJsonStore(path, { warn });
  await store.seed(records({ instances: [{ ...instance(id(1), "evil"), ...GOOD, ...values }] }));
  await store.close();
  return path;
}

/** A repository with that store, and a clone of it. */
async function cloned(umask = "022"): Promise<string> {
  const origin = temporaryDirectory();
  await plant(origin);
  git(origin, "init", "-q");
  git(origin, "add", "--force", ".");
  git(origin, "commit", "-qm", "A demo");
  const clone = join(temporaryDirectory(), "clone");
  execFileSync("/bin/sh", ["-c", `umask ${umask}; git clone -q "$0" "$1"`, origin, clone]);
  return clone;
}

interface Ended {
  /** The publishable key of the server that started. */
  readonly key?: string;
  readonly refused?: string;
}

/** Starts svc serve, reads which store it has, and stops it. */
async function serve(cwd: string, { flags = [], env = {} }: { flags?: string[]; env?: object } = {}): Promise<Ended> {
  const server = await startSvc(["--json", ...flags], { cwd, env: { HOME: join(cwd, "../home"), ...env } }).catch(
    (error: Error) => error,
  );
  if (server instanceof Error) return { refused: server.message };
  const line = server.output().find((one) => one.startsWith('{"type":"ready"'));
  const ready = JSON.parse(line!) as { instances: { publishable_key: string }[] };
  await server.stop();
  return { key: ready.instances[0]!.publishable_key };
}

/** A directory of the user's, with a home beside it. */
function project(): string {
  const directory = join(temporaryDirectory(), "project");
  mkdirSync(directory);
  return directory;
}

const REFUSED = { refused: expect.stringContaining("svc did not create it for you") as string };

describe.skipIf(process.platform === "win32")("T53: A store that came with a repository", () => {
  it.each(["022", "002", "077"])("is refused, and not changed, with the umask %s", async (umask) => {
    const clone = await cloned(umask);
    const before = readFileSync(join(clone, ".svc/db.json"), "utf8");
    expect(await serve(clone)).toEqual({
      refused: expect.stringContaining(`${join(clone, ".svc/db.json")} lies in a repository`) as string,
    });
    // Modes are those of the checkout, and nothing was added.
    expect(execFileSync("git", ["status", "--porcelain", "--ignored"], { cwd: clone }).toString()).toBe("");
    expect(readFileSync(join(clone, ".svc/db.json"), "utf8")).toBe(before);
    expect(await serve(clone, { flags: ["--reset"] })).toEqual(REFUSED);
  });

  it("says what to do", async () => {
    const clone = await cloned();
    const { code, stdout, stderr } = await runCli(["serve"], { cwd: clone, env: { HOME: temporaryDirectory() } });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("name it once: svc serve --store .svc/db.json");
    rmSync(join(clone, ".svc"), { recursive: true });
    const { key } = await serve(clone);
    expect(key).toMatch(/^pk_/);
    expect(key).not.toBe(GOOD.publishable_key);
  });

  it("is obeyed once the user has named it", async () => {
    for (const named of [{ flags: ["--store", ".svc/db.json"] }, { env: { SVC_STORE: ".svc/db.json" } }]) {
      const clone = await cloned();
      expect(await serve(clone)).toEqual(REFUSED);
      expect(await serve(clone, named)).toEqual({ key: GOOD.publishable_key });
      expect(await serve(clone)).toEqual({ key: GOOD.publishable_key });
      // Another user of the machine has not named it.
      expect(await serve(clone, { env: { HOME: temporaryDirectory() } })).toEqual(REFUSED);
    }
  });

  it.each<[way: string, move: (clone: string) => void]>([
    ["a configuration names it", (clone) => {
      renameSync(join(clone, ".svc"), join(clone, "data"));
      writeFileSync(join(clone, "svc.config.json"), '{"store":"data/db.json"}');
    }],
    ["a link leads to it", (clone) => {
      renameSync(join(clone, ".svc"), join(clone, "data"));
      execFileSync("ln", ["-s", "data", ".svc"], { cwd: clone });
    }],
    ["only its journal is there", (clone) => {
      rmSync(join(clone, ".svc"), { recursive: true });
      mkdirSync(join(clone, ".svc"), { mode: 0o700 });
      writeFileSync(join(clone, ".svc/db.journal"), '{"sequence":1,"changes":[]}\n', { mode: 0o600 });
    }],
    ["svc runs in a directory below", (clone) => {
      mkdirSync(join(clone, "packages/app"), { recursive: true });
      renameSync(join(clone, ".svc"), join(clone, "packages/app/.svc"));
    }],
    ["it is a work tree", (clone) => {
      rmSync(join(clone, ".git"), { recursive: true });
      writeFileSync(join(clone, ".git"), "gitdir: /elsewhere\n");
    }],
    ["Mercurial brought it", (clone) => renameSync(join(clone, ".git"), join(clone, ".hg"))],
    ["Jujutsu brought it", (clone) => renameSync(join(clone, ".git"), join(clone, ".jj"))],
    ["Subversion brought it", (clone) => renameSync(join(clone, ".git"), join(clone, ".svn"))],
    ["an archive brought it, and has no repository", (clone) => rmSync(join(clone, ".git"), { recursive: true })],
    ["it brings a mark", (clone) => writeFileSync(join(clone, ".svc/db.json.owner"), `${"0".repeat(64)}\n`)],
  ])("is refused where %s", async (way, move) => {
    const clone = await cloned();
    move(clone);
    expect(await serve(way.includes("below") ? join(clone, "packages/app") : clone)).toEqual(REFUSED);
  }); // prettier-ignore

  it("does not take the place of the user's own, whose files git may replace as they are ignored", async () => {
    const own = project();
    git(own, "init", "-q");
    git(own, "commit", "-qm", "Begin", "--allow-empty");
    const { key } = await serve(own);
    expect(key).toMatch(/^pk_/);
    const evil = await cloned();
    git(own, "fetch", "-q", evil, "HEAD");
    git(own, "checkout", "-q", "FETCH_HEAD");
    expect(readFileSync(join(own, ".svc/db.json"), "utf8")).toContain(GOOD.publishable_key);
    expect(await serve(own)).toEqual(REFUSED);
  });
});

describe("T53: A user's own store in a repository", () => {
  it("is opened again, also where the project was moved, or became a repository later", async () => {
    const own = project();
    const first = await serve(own);
    git(own, "init", "-q");
    expect(await serve(own)).toEqual(first);
    const moved = `${own}-renamed`;
    renameSync(own, moved);
    cpSync(moved, own, { recursive: true });
    for (const directory of [moved, own]) expect(await serve(directory)).toEqual(first);
    // A file system without modes shows such ones for every file.
    for (const name of ["", "/db.json", "/db.journal"]) chmodSync(`${own}/.svc${name}`, 0o777);
    expect(await serve(own)).toEqual(first);
  });

  it("is opened again after an import and a copy", async () => {
    const own = project();
    git(own, "init", "-q");
    const env = { HOME: join(own, "../home"), PATH: process.env["PATH"] };
    const svc = (...argv: string[]): Buffer => execFileSync(process.execPath, [BIN, ...argv], { cwd: own, env });
    const { key } = await serve(own);
    svc("store", "export", "--output-file", "backup.ndjson");
    svc("store", "copy", ".svc/db.json", "copy/db.json");
    for (const replace of [
      () => svc("store", "import", "backup.ndjson"),
      () => renameSync(join(own, "copy"), join(own, ".svc")),
    ]) {
      rmSync(join(own, ".svc"), { recursive: true });
      replace();
      expect(await serve(own)).toEqual({ key });
    }
  });

  it("must be named each time without a home", async () => {
    const own = project();
    git(own, "init", "-q");
    const env = { HOME: "/dev/null" };
    const first = await serve(own, { env });
    expect(await serve(own, { env })).toEqual(REFUSED);
    expect(await serve(own, { env, flags: ["--store", ".svc/db.json"] })).toEqual(first);
  });

  it("needs no home outside of a repository, as in a container", async () => {
    const data = project();
    const env = { HOME: "/dev/null" };
    const first = await serve(data, { env });
    expect(await serve(data, { env })).toEqual(first);
    expect(existsSync(join(data, ".svc/db.json.owner"))).toBe(false);
  });
});

describe("T53: A key that is a command", () => {
  const COMMAND = "pk_$(touch pwned)\nNODE_OPTIONS=--require=./pwn.js";

  it.each<[what: string, values: Partial<InstanceRecord>, message: string]>([
    ["publishable key", { publishable_key: COMMAND }, "the publishable key of the instance"],
    [
      "publishable key with a line break at its end",
      { publishable_key: `${GOOD.publishable_key}\n` },
      "the publishable key",
    ],
    ["secret key", { secret_key: `${GOOD.secret_key}$(touch pwned)` }, "the secret key of the instance"],
    ["short secret key", { secret_key: "sk_short" }, "the secret key of the instance"],
    ["subdomain", { subdomain: "a/$(touch pwned)" }, "the subdomain of the instance"],
  ])("is refused when a store is opened, in a file and in PostgreSQL: %s", async (_, values, message) => {
    const path = await plant(temporaryDirectory(), values);
    const url = await createDatabase();
    const database = await openPostgresStore(url, { warn });
    await database.seed(records({ instances: [{ ...instance(id(1), "evil"), ...GOOD, ...values }] }));
    await database.close();
    for (const name of [path, url]) {
      const error = await openStore(name, { warn }).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ name: "StoreRefused", message: expect.stringContaining(message) as string });
      expect((error as Error).message).not.toMatch(/pwned|sk_|pk_/);
    }
  });

  it("is refused although the store was named", async () => {
    const own = project();
    await plant(own, { publishable_key: COMMAND });
    const { refused } = await serve(own, { flags: ["--store", ".svc/db.json"] });
    expect(refused).toContain("the publishable key of the instance");
  });

  it.each([
    ["a substitution", "pk_$(touch${IFS}pwned)`touch${IFS}pwned`"],
    ["quotes", 'pk_"$(touch${IFS}pwned)"'],
    ["a second command", "pk_x;touch${IFS}pwned"],
  ])("is text in what svc env writes, even if a server had one: %s", async (_, publishable_key) => {
    const cwd = temporaryDirectory();
    await running(cwd, publishable_key);
    for (const format of ["dotenv", "shell"]) {
      const { code, stdout } = await runCli(["env", "--format", format], { cwd });
      expect(code).toBe(0);
      writeFileSync(join(cwd, ".env"), stdout);
      const shown = execFileSync("/bin/sh", ["-c", '. ./.env; printf %s "$SVC_PUBLISHABLE_KEY"'], { cwd });
      expect(shown.toString()).toBe(publishable_key);
      expect(existsSync(join(cwd, "pwned"))).toBe(false);
      if (format === "shell") continue;
      const node = ["--env-file=.env", "-p", "process.env.SVC_PUBLISHABLE_KEY"];
      expect(execFileSync(process.execPath, node, { cwd }).toString().trim()).toBe(publishable_key);
    }
    const docker = await runCli(["env", "--format", "docker"], { cwd });
    expect(docker.stdout).toContain(`\nSVC_PUBLISHABLE_KEY=${publishable_key}\n`);
  });

  it.each([COMMAND, "pk_'$(touch pwned)'", "pk_\\", "pk_\r"])(
    "is refused where a format can't hold it: %j",
    async (publishable_key) => {
      const cwd = temporaryDirectory();
      await running(cwd, publishable_key);
      for (const format of ["dotenv", "docker"]) {
        const { code, stdout, stderr } = await runCli(["env", "--format", format], { cwd });
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toContain("SVC_PUBLISHABLE_KEY has a character that can't be written in this format.");
      }
    },
  );
});

/** The file of a server that has such a key. */
async function running(cwd: string, publishable_key: string): Promise<void> {
  const url = "http://localhost:7999";
  const one = { id: id(1), name: "A", subdomain: "a", url: "http://a.localhost:7999", publishable_key };
  await writeRunning(cwd, {
    url,
    api_url: "http://api.localhost:7999",
    instances: [{ ...one, secret_key: GOOD.secret_key }],
  });
}
