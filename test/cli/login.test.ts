// Keyrings and faults of a service: see transcripts/profiles.txt for the rest.
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { memoryKeyring, runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { setup, type Service } from "../_setup.ts";

let home: string;
let service: Service;
beforeEach(async () => {
  home = temporaryDirectory();
  service = await setup();
});

const NOT_SET = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined };

function run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(argv, {
    service,
    cwd: home,
    ...options,
    env: { HOME: home, NO_COLOR: "1", ...NOT_SET, ...options.env },
  });
}

/** Logs in to an instance through a pipe, into a file unless there is a keyring. */
async function logIn(name: "acme" | "globex", options: CliOptions = {}): Promise<CliResult> {
  const where = ["--base-url", service.addresses.instanceUrl(service[name])];
  const storage = options.keyring ? [] : ["--insecure-storage"];
  return run(["login", ...where, ...storage], { stdin: `${service[name].secret_key}\n`, ...options });
}

async function profile(name: string): Promise<string> {
  return readFile(join(home, ".config/svc/profiles", `${name}.json`), "utf8");
}

describe("svc login", () => {
  it("stores the key in the keyring under its origin, if there is a keyring", async () => {
    const keyring = memoryKeyring();
    const { stdout } = await logIn("acme", { keyring });
    expect(stdout).toContain("The key is in the keyring.");
    expect([...keyring.entries]).toEqual([["acme http://acme.localhost:7820", service.acme.secret_key]]);
    expect(await profile("acme")).not.toContain("sk_");
    expect((await run(["users", "list"], { keyring })).code).toBe(0);
  });

  it("does not open the keyring for commands that need no key", async () => {
    const keyring = memoryKeyring();
    await logIn("acme", { keyring });
    expect((await run(["open", "--print"])).code).toBe(0);
    expect((await run(["users", "list"])).code).toBe(1);
  });

  it("checks a key with a search that finds nothing", async () => {
    const { requests } = await logIn("acme");
    expect(requests.map(({ method, url }) => `${method} ${decodeURIComponent(new URL(url).search)}`)).toEqual([
      "GET ?query=id:00000000-0000-0000-0000-000000000000",
    ]);
  });

  it("stores nothing when the service cannot be reached, unless told not to check", async () => {
    const fetch = (): Promise<never> => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }));
    expect((await logIn("acme", { fetch })).code).toBe(7);
    expect(await readdir(home)).toEqual([]);
    const argv = ["login", "--no-check", "--insecure-storage", "--base-url", "https://acme.svc.test"];
    expect(await run(argv, { fetch, stdin: "sk_x" })).toMatchObject({ code: 0, requests: [] });
  });

  it("removes the key from the keyring when it is moved into a file", async () => {
    const keyring = memoryKeyring();
    await logIn("acme", { keyring });
    const argv = ["login", "--insecure-storage", "--profile", "acme"];
    await run(argv, { keyring, stdin: service.acme.secret_key });
    expect(keyring.entries.size).toBe(0);
  });
});

describe("svc logout", () => {
  it("removes the current profile's key wherever it is stored and keeps the address", async () => {
    const keyring = memoryKeyring();
    await logIn("acme");
    await logIn("globex", { keyring });
    expect(await run(["logout"], { keyring })).toMatchObject({
      code: 0,
      stdout: 'Deleted the key of profile "globex".\n',
    });
    expect(keyring.entries.size).toBe(0);
    expect((await run(["logout", "--profile", "acme", "--json"])).stdout).toBe('{"removed":["acme"]}\n');
    expect(JSON.parse(await profile("acme"))).toEqual({ base_url: "http://acme.localhost:7820" });
    expect(await run(["users", "list"])).toMatchObject({ code: 4, requests: [] });
  });

  it("keeps the profile when the keyring cannot be opened", async () => {
    await logIn("acme", { keyring: memoryKeyring() });
    expect((await run(["logout"])).code).toBe(1);
    expect(await profile("acme")).toContain("keyring");
  });
});

describe("A stored secret", () => {
  it("appears in no output and in no other file", async () => {
    await logIn("acme");
    await mkdir(join(home, "work"));
    const commands = [
      ["whoami"], ["profiles", "list"], ["profiles", "use", "acme"],
      ["doctor"], ["instances", "list"], ["api", "GET", "/api/v1/users", "--include"],
      ["api", "GET", "/nowhere"], ["open", "--print"], ["help"], ["help", "environment"],
      ["help", "--json"], ["completion", "bash"], ["init"], ["users", "list"], ["sessions", "list"],
      ["users", "list", "--base-url", "https://elsewhere.test"], ["login", "--insecure-storage"], ["logout"],
    ]; // prettier-ignore
    for (const argv of commands)
      for (const tty of [true, false])
        for (const json of [[], ["--json"]]) {
          const stdin = argv[0] === "login" ? service.acme.secret_key : "";
          const { stdout, stderr } = await run([...argv, ...json], { tty: tty && argv[0] !== "login", stdin });
          expect([argv, stdout + stderr]).not.toEqual([argv, expect.stringContaining(service.acme.secret_key)]);
          if (json.length > 0 && stdout !== "" && !["help", "completion", "api", "open"].includes(argv[0]!))
            expect([argv, typeof JSON.parse(stdout)]).toEqual([argv, "object"]);
        }
    const files = await readdir(home, { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile()))
      expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain(service.acme.secret_key);
  });
});
