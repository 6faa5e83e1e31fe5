// Below the faces: a store is opened in a directory that a stranger made, without a server.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { needs } from "../_machine.ts";
import { runningIn, writeRunning } from "../_server-file.ts";
import { serveHere } from "../_serving.ts";
import { createDatabase } from "../postgres/_postgres.ts";
import { id, instance, records } from "../store/_records.ts";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { openStore } from "../../src/server/store/open.ts";
import type { InstanceRecord } from "../../src/server/store/records.ts";

const warn = (): void => undefined;
const GOOD = { publishable_key: "pk_0123456789abcdef", secret_key: `sk_${"known-to-its-author-".repeat(3)}` };

const IDENTITY = ["-c", "user.name=Mallory", "-c", "user.email=mallory@evil.test"];

function git(cwd: string, ...argv: string[]): string {
  return execFileSync("git", [...IDENTITY, ...argv], { cwd, stdio: "pipe" }).toString();
}

/** A store with an instance of the attacker's, with all its files as svc leaves them. */
async function plant(path: string, values: Partial<InstanceRecord> = GOOD): Promise<string> {
  const store = await openFileStore(path, { warn });
  await store.seed(records({ instances: [{ ...instance(id(1), "evil"), ...GOOD, ...values }] }));
  await store.close();
  return path;
}

/** A clone of a repository that somebody else has filled. */
async function cloned(fill: (origin: string) => unknown): Promise<string> {
  const origin = temporaryDirectory();
  await fill(origin);
  const clone = join(temporaryDirectory(), "clone");
  // In one process: the tests' own is large, and takes long to start another.
  const commands = ["init -q", "add --force .", 'commit -qm "A demo"', `clone -q . '${clone}'`];
  const line = commands.map((command) => `git ${IDENTITY.join(" ")} ${command}`).join(" && ");
  execFileSync("sh", ["-c", line], { cwd: origin, stdio: "pipe" });
  return clone;
}

const write = (directory: string, name: string, content: object): void =>
  writeFileSync(join(directory, name), JSON.stringify(content));

/** Fills a repository with a configuration that names a seed with this instance. */
const seeding =
  (values: object) =>
  (origin: string): void => {
    write(origin, "svc.config.json", { seed: "seed.json" });
    write(origin, "seed.json", { instances: [{ name: "Evil", subdomain: "evil", ...values }] });
  };

/** Starts svc serve there. @returns the keys that it knows, or why it did not start */
async function serve(cwd: string, ...flags: string[]): Promise<{ keys?: string[]; refused?: string }> {
  const server = await serveHere(flags, { cwd }).catch((error: Error) => error);
  if (server instanceof Error) return { refused: server.message };
  const { instances } = runningIn(cwd);
  await server.stop();
  return { keys: instances.flatMap(({ publishable_key, secret_key }) => [publishable_key, secret_key]) };
}

describe("T53: A repository of somebody else", needs("git"), () => {
  const endpoints = { token: "https://evil.test/token" };
  it.each<[what: string, values: object, point: string]>([
    ["a secret key", { secret_key: GOOD.secret_key }, "instances[0].secret_key"],
    [
      "endpoints of another host",
      { connections: { google: { client_id: "i", client_secret: "s", endpoints } } },
      "instances[0].connections.google.endpoints.token (evil.test)",
    ],
    [
      "redirect_uris of another host",
      { redirect_uris: ["http://localhost:3000/callback", "https://evil.test/callback"] },
      'instances[0].redirect_uris[1]: "https://evil.test/callback"',
    ],
    ["redirect_uris that take any host", { redirect_uris: ["*"] }, 'instances[0].redirect_uris[0]: "*"'],
    [
      "redirect_uris of many hosts",
      { preview: true, redirect_uris: ["https://*.evil.pages.dev/callback"] },
      'instances[0].redirect_uris[0]: "https://*.evil.pages.dev/callback"',
    ],
  ])("starts no server with a seed that has %s, until the seed is named", async (_, values, point) => {
    const clone = await cloned(seeding(values));
    const { code, stdout, stderr } = await runCli(["serve"], { cwd: clone });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`  seed.json: ${point}\n`);
    expect(stderr).toContain("If you trust it, add: --seed seed.json");
    expect((await serve(clone)).refused).toContain(JSON.stringify(point).slice(1, -1));
    for (const flags of [
      ["--seed", "seed.json"],
      ["--config", "svc.config.json"],
    ])
      expect((await serve(clone, ...flags, "--store", "memory")).refused).toBeUndefined();
  });

  it("has everything listed at once, of both files", async () => {
    const clone = await cloned((origin) => {
      seeding({ secret_key: GOOD.secret_key, redirect_uris: ["*"] })(origin);
      write(origin, "svc.config.json", { seed: "seed.json", host: "0.0.0.0", store: "data/db.json" });
    });
    const { stderr } = await runCli(["serve"], { cwd: clone });
    expect(stderr.split("\n").filter((line) => /^ {2}s\S+\.json: /.test(line))).toEqual([
      "  svc.config.json: host",
      "  svc.config.json: store",
      "  seed.json: instances[0].secret_key",
      '  seed.json: instances[0].redirect_uris[0]: "*"',
    ]);
    expect(stderr).toContain("If you trust it, add: --config svc.config.json");
  });

  it("starts one with a seed that hands over nothing, and with keys of its own", async () => {
    const clone = await cloned(seeding({ redirect_uris: ["http://localhost:3000/callback"] }));
    const { keys } = await serve(clone);
    expect(keys).toHaveLength(2);
    expect(git(clone, "status", "--porcelain", "--ignored")).toBe("");
  });

  it("brings a store without effect", async () => {
    const clone = await cloned((origin) => plant(join(origin, ".svc/db.json")));
    const before = readFileSync(join(clone, ".svc/db.json"), "utf8");
    const { stop } = await serveHere([], { cwd: clone });
    const { instances } = runningIn(clone);
    expect((await stop()).code).toBe(0);
    expect(instances.map(({ secret_key }) => secret_key)).not.toContain(GOOD.secret_key);
    expect(readFileSync(join(clone, ".svc/db.json"), "utf8")).toBe(before);
    // Whoever names it is obeyed.
    expect((await serve(clone, "--store", ".svc/db.json")).keys).toContain(GOOD.secret_key);
  });

  it.each<[what: string, fill: (origin: string) => unknown]>([
    [".svc that leads elsewhere", (origin) => {
      mkdirSync(join(origin, "public"));
      writeFileSync(join(origin, "public/index.html"), "");
      symlinkSync("public", join(origin, ".svc"));
    }],
    [".svc with a .gitignore that ignores nothing", (origin) => {
      mkdirSync(join(origin, ".svc"));
      writeFileSync(join(origin, ".svc/.gitignore"), "!*\n");
    }],
    [".svc/servers that leads elsewhere", (origin) => {
      mkdirSync(join(origin, ".svc"));
      symlinkSync("../public", join(origin, ".svc/servers"));
    }],
  ])("brings links without effect: %s", async (_, fill) => {
    const clone = await cloned(fill);
    const all = (): string[] => readdirSync(clone, { recursive: true }).map(String).filter((name) => !name.startsWith(".git/"));
    const before = all();
    for (const flags of [[], ["--store", "memory"]]) expect((await serve(clone, ...flags)).keys).toHaveLength(4);
    expect([all(), git(clone, "status", "--porcelain", "--ignored")]).toEqual([before, ""]);
  }); // prettier-ignore
});

describe("T40: A store that somebody named inside a git work tree", needs("git"), () => {
  const warnings = async (cwd: string): Promise<string[]> => {
    const server = await serveHere(["--store", "data/db.json"], { cwd });
    await server.stop();
    return server.output().filter((line) => line.includes("git work tree"));
  };

  it("is warned of unless git ignores it", async () => {
    const cwd = temporaryDirectory();
    expect(await warnings(cwd)).toEqual([]);
    git(cwd, "init", "-q");
    expect(await warnings(cwd)).toEqual([expect.stringContaining("data/db.json has secret keys")]);
    writeFileSync(join(cwd, ".gitignore"), "data/\n");
    expect(await warnings(cwd)).toEqual([]);
  });

  it("has git run nothing that the repository names", async () => {
    const cwd = temporaryDirectory();
    git(cwd, "init", "-q");
    writeFileSync(join(cwd, "evil.sh"), `#!/bin/sh\ntouch '${join(cwd, "pwned")}'\n`, { mode: 0o755 });
    git(cwd, "config", "core.fsmonitor", join(cwd, "evil.sh"));
    git(cwd, "-c", "core.fsmonitor=false", "add", "evil.sh");
    expect(await warnings(cwd)).toHaveLength(1);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
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
    const path = await plant(join(temporaryDirectory(), "db.json"), values);
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
    const own = temporaryDirectory();
    await plant(join(own, "db.json"), { publishable_key: COMMAND });
    const { refused } = await serve(own, "--store", "db.json");
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
  });

  it.each([COMMAND, "pk_'$(touch pwned)'", "pk_\\", "pk_\r"])(
    "is refused where a format can't hold it: %j",
    async (publishable_key) => {
      const cwd = temporaryDirectory();
      await running(cwd, publishable_key);
      const { code, stdout, stderr } = await runCli(["env", "--format", "dotenv"], { cwd });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("SVC_PUBLISHABLE_KEY has a character that can't be written in this format.");
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
