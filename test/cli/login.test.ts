import { mkdir, readdir, readFile, stat } from "node:fs/promises";
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
  it("stores a key from standard input and makes commands use it", async () => {
    const { code, stdout, stderr } = await logIn("acme");
    expect([code, stdout, stderr]).toEqual([
      0,
      `Logged in to http://acme.localhost:7820, instance acme (${service.acme.id}). The key is in a file that only you can read, unencrypted.\n`,
      '"acme" is now the current profile.\n',
    ]);
    const { requests, code: listed } = await run(["users", "list"]);
    expect([listed, requests[0]?.url]).toEqual([
      0,
      expect.stringMatching(/^http:\/\/acme\.localhost:7820\/api\/v1\/users(\?|$)/),
    ]);
    expect((await stat(join(home, ".config/svc/profiles/acme.json"))).mode & 0o777).toBe(0o600);
  });

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

  it("prompts for address and key on a terminal, and for a file without a keyring", async () => {
    const asked: string[] = [];
    const confirm = (question: string): boolean => asked.push(question) === 1;
    const answers = ["http://acme.localhost:7820", service.acme.secret_key];
    const { code, stderr } = await run(["login"], { tty: true, answers, confirm });
    expect([code, asked]).toEqual([
      0,
      ["No keyring is available. Store the key unencrypted, in a file that only you can read?"],
    ]);
    expect(stderr).not.toContain("sk_");
    expect(JSON.parse(await profile("acme"))).toMatchObject({ secret_key: { store: "file" } });
  });

  it("never replaces a keyring by a file without saying so", async () => {
    const where = ["login", "--base-url", "http://acme.localhost:7820"];
    const piped = await run(where, { stdin: service.acme.secret_key });
    expect([piped.code, piped.stderr]).toEqual([1, expect.stringContaining("svc login --insecure-storage")]);
    const refused = await run(where, { tty: true, answers: [service.acme.secret_key], confirm: () => false });
    expect(refused.code).toBe(1);
    expect((await run(where, { stdin: service.acme.secret_key, env: { SVC_KEYRING: "off" } })).stdout).toContain(
      "in a file that only you can read, unencrypted",
    );
  });

  it("checks a key with a search that finds nothing", async () => {
    const { requests } = await logIn("acme");
    expect(requests.map(({ method, url }) => `${method} ${decodeURIComponent(new URL(url).search)}`)).toEqual([
      "GET ?query=id:00000000-0000-0000-0000-000000000000",
    ]);
  });

  it.each<[what: string, code: number, argv: string[], stdin: (service: Service) => string, message: string]>([
    [
      "another instance's key",
      4,
      [],
      ({ globex }) => globex.secret_key,
      "http://acme.localhost:7820 refused this key.",
    ],
    [
      "a publishable key",
      2,
      [],
      ({ acme }) => acme.publishable_key,
      "The key is a publishable key: use the secret key",
    ],
    ["no key", 2, [], () => "\n", "The key is empty."],
    ["two keys", 2, [], () => "sk_a\nsk_b", "The key must begin with sk_ and contain no spaces"],
    ["something else", 2, [], () => "hunter2", "The key must begin with sk_ and contain no spaces"],
    [
      "plain http",
      2,
      ["--base-url", "http://acme.svc.test"],
      () => "sk_a",
      "others could read the secret key on its way",
    ],
    ["no address", 2, ["--base-url", "acme"], () => "sk_a", "--base-url must be an http or https address"],
    [
      "a login in the address",
      2,
      ["--base-url", "https://u:p@acme.test"],
      () => "sk_a",
      "must not contain a user name or password",
    ],
  ])("stores nothing with %s", async (_, code, argv, stdin, message) => {
    const where = argv.length > 0 ? argv : ["--base-url", "http://acme.localhost:7820"];
    const result = await run(["login", "--insecure-storage", ...where], { stdin: stdin(service) });
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/sk_[a-z0-9]|hunter2/);
    expect(await readdir(home)).toEqual([]);
  });

  it("prompts again after a rejected key, so that a second paste does not reach the shell", async () => {
    const answers = [service.globex.secret_key, service.acme.secret_key];
    const where = ["login", "--insecure-storage", "--base-url", "http://acme.localhost:7820"];
    const { code, stderr } = await run(where, { tty: true, answers });
    expect(code).toBe(0);
    expect(stderr).toContain("refused this key. Try again, or press Ctrl-C.");
  });

  it("stores nothing when the service cannot be reached, unless told not to check", async () => {
    const fetch = (): Promise<never> => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }));
    expect((await logIn("acme", { fetch })).code).toBe(7);
    expect(await readdir(home)).toEqual([]);
    const argv = ["login", "--no-check", "--insecure-storage", "--base-url", "https://acme.svc.test"];
    expect(await run(argv, { fetch, stdin: "sk_x" })).toMatchObject({ code: 0, requests: [] });
  });

  it("replaces a key and refuses the name of another service", async () => {
    await logIn("acme");
    expect((await logIn("acme")).code).toBe(0);
    const argv = ["login", "--profile", "acme", "--base-url", "http://globex.localhost:7820"];
    const { code, stderr } = await run(argv, { stdin: service.globex.secret_key });
    expect([code, stderr]).toEqual([2, expect.stringContaining("svc logout --forget --profile acme")]);
    expect(await profile("acme")).toContain(service.acme.secret_key);
  });

  it("removes the key from the keyring when it is moved into a file", async () => {
    const keyring = memoryKeyring();
    await logIn("acme", { keyring });
    const argv = ["login", "--insecure-storage", "--profile", "acme"];
    await run(argv, { keyring, stdin: service.acme.secret_key });
    expect(keyring.entries.size).toBe(0);
  });

  it("says what is used instead of it", async () => {
    const { stderr } = await logIn("acme", { env: { SVC_SECRET_KEY: "sk_other" } });
    expect(stderr).toContain("No address for the key in SVC_SECRET_KEY. For this profile add --profile acme.");
  });

  it.each<[what: string, options: CliOptions]>([
    ["in CI", { tty: true, env: { CI: "1" } }],
    ["with input switched off", { tty: true, env: { SVC_NO_INPUT: "1" } }],
    ["where the question could not be seen", { tty: ["stdin", "stdout"] }],
  ])("does not prompt %s", async (_, options) => {
    const { code } = await run(["login", "--base-url", "https://acme.svc.test"], { answers: ["sk_x"], ...options });
    expect(code).toBe(2);
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

  it("removes all keys and says what is left in the environment", async () => {
    await logIn("acme");
    await logIn("globex");
    const { stdout, stderr } = await run(["logout", "--all", "--json"], { env: { SVC_SECRET_KEY: "sk_x" } });
    expect([JSON.parse(stdout), stderr]).toEqual([{ removed: ["acme", "globex"] }, "SVC_SECRET_KEY is still set.\n"]);
  });

  it("keeps the profile when the keyring cannot be opened", async () => {
    await logIn("acme", { keyring: memoryKeyring() });
    expect((await run(["logout"])).code).toBe(1);
    expect(await profile("acme")).toContain("keyring");
  });

  it("exits with 3 when there is nothing to log out from, and for an unknown profile", async () => {
    expect((await run(["logout"])).code).toBe(3);
    expect((await run(["logout", "--profile", "none"])).code).toBe(3);
  });
});

describe("svc profiles", () => {
  it("lists, selects and removes profiles", async () => {
    await logIn("acme");
    await logIn("globex");
    expect((await run(["profiles", "list"])).stdout).toBe(
      "acme\tfalse\thttp://acme.localhost:7820\tfile\nglobex\ttrue\thttp://globex.localhost:7820\tfile\n",
    );
    expect((await run(["profiles", "use", "acme"])).code).toBe(0);
    expect((await run(["users", "list"])).requests[0]?.url).toContain("acme.localhost");
    expect((await run(["users", "list", "--profile", "globex"])).requests[0]?.url).toContain("globex.localhost");
    expect((await run(["logout", "--forget", "--profile", "acme"])).code).toBe(0);
    expect(JSON.parse((await run(["profiles", "list", "--json"])).stdout)).toEqual([
      { name: "globex", current: false, base_url: "http://globex.localhost:7820", secret_key: "file" },
    ]);
    expect(await run(["users", "list"])).toMatchObject({ code: 4, requests: [] });
  });

  it.each([
    ["profiles", "use", "nobody"],
    ["logout", "--forget", "--profile", "nobody"],
  ])("%s %s exits with 3 for an unknown profile and names the existing ones", async (...argv) => {
    await logIn("acme");
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([
      3,
      '✗ Unknown profile "nobody".\n  Profiles: acme. Create another with: svc login\n',
    ]);
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
