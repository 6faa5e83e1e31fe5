import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyedClientOptions } from "../src/cli/connection/client-options.ts";
import { configDirectory, writeCurrent, writeProfile, type Profile } from "../src/cli/credentials/profiles.ts";
import { writeRunningServer } from "../src/cli/connection/running-server.ts";
import { storeKey } from "../src/cli/credentials/stored-key.ts";
import { resolveTarget, type TargetFlags } from "../src/cli/connection/target.ts";
import { setup } from "./_setup.ts";
import { createContext, memoryKeyring, runCli, type CliOptions, type CliResult, type TestContext } from "./_cli.ts";

const A = "https://a.svc.test";
const B = "https://b.svc.test";

let home: string;
let cwd: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "svc-home-"));
  cwd = join(home, "work");
  await mkdir(cwd);
});
afterEach(() => rm(home, { recursive: true }));

function keyOf(name: string): string {
  return `sk_${name}_0123456789abcdefghijklmnopqrstuvwxyz`;
}

function contextOf(options: CliOptions = {}): TestContext {
  return createContext({ cwd, ...options, env: { HOME: home, ...options.env } });
}

function run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(argv, { cwd, ...options, env: { HOME: home, ...options.env } });
}

/** A profile whose key lies in its file. */
async function addProfile(name: string, base_url: string, more: Partial<Profile> = {}): Promise<void> {
  const secret_key = await storeKey(contextOf(), name, new URL(base_url).origin, keyOf(name), true);
  await writeProfile(contextOf(), name, { base_url, secret_key, ...more });
}

/** All that a person can say about each value, and nothing besides. */
async function sayEverywhere(): Promise<{ flags: TargetFlags; env: Record<string, string> }> {
  const all = (name: string, base_url: string): Promise<void> =>
    addProfile(name, base_url, { api_url: `${base_url}/api-${name}`, publishable_key: `pk_${name}` });
  await all("flagged", A);
  await all("named", A);
  await all("current", A);
  await writeCurrent(contextOf(), "current");
  await writeRunningServer(cwd, {
    pid: process.pid,
    url: "http://localhost:1",
    api_url: "http://api.localhost:1",
    instances: [
      {
        id: "id",
        name: "local",
        subdomain: "local",
        url: "http://local.localhost:1",
        publishable_key: "pk_server",
        secret_key: keyOf("server"),
      },
    ],
  });
  return {
    flags: { baseUrl: `${A}/flag`, apiUrl: `${A}/flag-api`, profile: "flagged" },
    env: {
      SVC_BASE_URL: `${A}/env`,
      SVC_API_URL: `${A}/env-api`,
      SVC_PUBLISHABLE_KEY: "pk_env",
      SVC_SECRET_KEY: keyOf("env"),
      SVC_PROFILE: "named",
    },
  };
}

describe("Where a value is from", () => {
  // Each row takes the highest source of the row before away.
  const NOTHING = { flags: [], env: [], server: true };
  const ADDRESSES = ["baseUrl", "apiUrl"];
  const VARIABLES = ["SVC_BASE_URL", "SVC_API_URL", "SVC_PUBLISHABLE_KEY", "SVC_SECRET_KEY"];
  const rows: [what: string, without: typeof NOTHING | object, expected: Record<string, string>][] = [
    [
      "flags, then --profile",
      NOTHING,
      {
        base_url: "--base-url",
        api_url: "--api-url",
        publishable_key: "profile flagged",
        secret_key: "profile flagged (file)",
      },
    ],
    [
      "--profile alone",
      { flags: ADDRESSES },
      {
        base_url: "profile flagged",
        api_url: "profile flagged",
        publishable_key: "profile flagged",
        secret_key: "profile flagged (file)",
      },
    ],
    [
      "flags, then variables",
      { flags: ["profile"] },
      {
        base_url: "--base-url",
        api_url: "--api-url",
        publishable_key: "SVC_PUBLISHABLE_KEY",
        secret_key: "SVC_SECRET_KEY",
      },
    ],
    [
      "variables",
      { flags: [...ADDRESSES, "profile"] },
      {
        base_url: "SVC_BASE_URL",
        api_url: "SVC_API_URL",
        publishable_key: "SVC_PUBLISHABLE_KEY",
        secret_key: "SVC_SECRET_KEY",
      },
    ],
    ...VARIABLES.map((variable): [string, object, Record<string, string>] => [
      `variables, and SVC_PROFILE for ${variable}`,
      { flags: [...ADDRESSES, "profile"], env: [variable] },
      {
        base_url: "SVC_BASE_URL",
        api_url: "SVC_API_URL",
        publishable_key: "SVC_PUBLISHABLE_KEY",
        secret_key: "SVC_SECRET_KEY",
        [variable.slice(4).toLowerCase()]: variable === "SVC_SECRET_KEY" ? "profile named (file)" : "profile named",
      },
    ]),
    [
      "SVC_PROFILE alone",
      { flags: [...ADDRESSES, "profile"], env: VARIABLES },
      {
        base_url: "profile named",
        api_url: "profile named",
        publishable_key: "profile named",
        secret_key: "profile named (file)",
      },
    ],
    [
      "the server that runs here",
      { flags: [...ADDRESSES, "profile"], env: [...VARIABLES, "SVC_PROFILE"] },
      Object.fromEntries(
        ["base_url", "api_url", "publishable_key", "secret_key"].map((name) => [name, "the server that runs here"]),
      ),
    ],
    [
      "the current profile",
      { flags: [...ADDRESSES, "profile"], env: [...VARIABLES, "SVC_PROFILE"], server: false },
      {
        base_url: "profile current",
        api_url: "profile current",
        publishable_key: "profile current",
        secret_key: "profile current (file)",
      },
    ],
  ];

  it.each(rows)("is %s", async (_, without, expected) => {
    const { flags, env, server } = { ...NOTHING, ...without } as { flags: string[]; env: string[]; server: boolean };
    const said = await sayEverywhere();
    const less = (all: object, names: string[]): Record<string, string> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name))) as Record<string, string>;
    if (!server) await rm(join(cwd, ".svc"), { recursive: true });
    const target = await resolveTarget(contextOf({ env: less(said.env, env) }), less(said.flags, flags));
    const sources = Object.entries(target).flatMap(([name, value]) =>
      name in expected ? [[name, (value as { source: string }).source]] : [],
    );
    expect(Object.fromEntries(sources)).toEqual(expected);
  });

  it("is shown by whoami, with the key masked", async () => {
    await addProfile("acme", A);
    const { code, stdout } = await run(["whoami", "--profile", "acme", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        profile: { value: "acme", source: "--profile" },
        base_url: { value: A, source: "profile acme" },
        api_url: null,
        publishable_key: null,
        secret_key: { value: "sk_…wxyz", source: "profile acme (file)" },
      },
    ]);
  });

  it("is shown by whoami where there is no key, with exit code 4", async () => {
    const { code, stdout } = await run(["whoami"], { env: { SVC_BASE_URL: A } });
    expect([code, stdout.split("\n")]).toEqual([
      4,
      [
        "profile\t(none)",
        `base_url\t${A}  (SVC_BASE_URL)`,
        "api_url\t(none)",
        "publishable_key\t(none)",
        "secret_key\t(none)",
        "",
      ],
    ]);
  });

  it("is told to somebody whose current profile gives way", async () => {
    await addProfile("acme", A);
    await writeCurrent(contextOf(), "acme");
    const { stderr } = await run(["whoami"], { env: { SVC_BASE_URL: B, SVC_SECRET_KEY: keyOf("env") } });
    expect(stderr).toBe('The current profile, "acme", gives way to this. Use it with: --profile acme\n');
  });
});

describe("A key that is kept for one origin", () => {
  it.each<[what: string, argv: string[], env: Record<string, string>]>([
    ["a flag, beside --profile", ["--profile", "acme", "--base-url", B], {}],
    ["a flag, beside SVC_PROFILE", ["--base-url", B], { SVC_PROFILE: "acme" }],
    ["a flag", ["--base-url", B], {}],
    ["a variable, beside SVC_PROFILE", [], { SVC_PROFILE: "acme", SVC_BASE_URL: B }],
    ["a variable", [], { SVC_BASE_URL: B }],
    ["another port", ["--profile", "acme", "--base-url", `${A}:444`], {}],
    ["plain http", ["--profile", "acme", "--base-url", A.replace("https", "http")], {}],
    ["a name in front", ["--profile", "acme", "--base-url", "https://a.svc.test@b.svc.test"], {}],
    ["a name behind", ["--profile", "acme", "--base-url", `${A}.evil.test`], {}],
  ])("is not sent elsewhere by %s", async (_, argv, env) => {
    await addProfile("acme", A);
    await writeCurrent(contextOf(), "acme");
    for (const command of [["users", "list"], ["api", "GET", "/api/v1/users"], ["whoami", "--check"], ["doctor"]]) {
      const { requests, stdout, stderr } = await run([...command, ...argv], { env });
      expect(JSON.stringify(requests)).not.toContain(keyOf("acme"));
      expect(stdout + stderr).not.toContain(keyOf("acme"));
    }
  });

  it("says which service it is for", async () => {
    await addProfile("acme", A);
    const { code, stderr, requests } = await run(["users", "list", "--profile", "acme", "--base-url", B]);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(
      `--base-url names another service (${B}) than the one whose key is in profile acme (file) (${A}).`,
    );
  });

  it("is not found in the keyring for a profile that was changed to point elsewhere", async () => {
    const keyring = memoryKeyring();
    const secret_key = await storeKey(contextOf({ keyring }), "acme", A, keyOf("acme"), false);
    await writeProfile(contextOf(), "acme", { base_url: B, secret_key: { ...secret_key, origin: B } });
    const asked = run(["users", "list", "--profile", "acme"], { keyring });
    expect(await asked).toMatchObject({ code: 4, requests: [] });
  });

  it("of a file is not sent where the file was changed to point", async () => {
    await addProfile("acme", A);
    const path = join(home, ".config/svc/profiles/acme.json");
    const profile = JSON.parse(await readFile(path, "utf8")) as Profile;
    await writeProfile(contextOf(), "acme", { ...profile, base_url: B });
    expect(await run(["users", "list", "--profile", "acme"])).toMatchObject({ code: 2, requests: [] });
  });

  it("does not follow a redirect", async () => {
    await addProfile("acme", A);
    const fetch: CliOptions["fetch"] = async () =>
      new Response(null, { status: 302, headers: { location: B } }) as unknown as Awaited<
        ReturnType<NonNullable<CliOptions["fetch"]>>
      >;
    for (const command of [
      ["users", "list"],
      ["api", "GET", "/api/v1/users"],
    ]) {
      const { requests } = await run([...command, "--profile", "acme"], { fetch });
      expect(requests.map(({ url, redirect }) => [new URL(url).origin, redirect])).toEqual([[A, "manual"]]);
    }
  });

  it("does not go to an address that api is given whole", async () => {
    await addProfile("acme", A);
    for (const path of [
      `${B}/api/v1/users`,
      "//b.svc.test/api/v1/users",
      "/\\b.svc.test/api",
      "https://a.svc.test@b.svc.test/",
      "api",
    ]) {
      const { code, requests } = await run(["api", "GET", path, "--profile", "acme"]);
      expect([path, code, requests]).toEqual([path, 2, []]);
    }
  });

  it("can't be pointed elsewhere by svc config", async () => {
    await addProfile("acme", A);
    const { code } = await run(["config", "set", "base_url", B, "--profile", "acme"]);
    expect([code, (await run(["config", "get", "base_url", "--profile", "acme"])).stdout]).toEqual([2, `${A}\n`]);
  });
});

describe("The environment's key", () => {
  it("can be in a file, or printed by a command", async () => {
    await writeFile(join(cwd, "key"), `${keyOf("file")}\n`);
    const options = async (env: Record<string, string>): Promise<string | undefined> =>
      (await keyedClientOptions(contextOf({ env: { SVC_BASE_URL: A, ...env } }), {})).secretKey;
    expect(await options({ SVC_SECRET_KEY_FILE: "key" })).toBe(keyOf("file"));
    expect(await options({ SVC_SECRET_KEY_COMMAND: "/bin/cat key 2>/dev/null || /bin/echo sk_command" })).toMatch(
      /^sk_/,
    );
    expect(await options({ SVC_SECRET_KEY: keyOf("env"), SVC_SECRET_KEY_FILE: "key" })).toBe(keyOf("env"));
  });

  it.each<[env: Record<string, string>, message: RegExp]>([
    [{ SVC_SECRET_KEY_FILE: "none" }, /SVC_SECRET_KEY_FILE: .*none can't be read \(ENOENT\)/],
    [{ SVC_SECRET_KEY_COMMAND: "exit 3" }, /SVC_SECRET_KEY_COMMAND failed \(3\)/],
    [{ SVC_SECRET_KEY_COMMAND: "true" }, /SVC_SECRET_KEY_COMMAND: it printed nothing/],
    [{ SVC_SECRET_KEY_COMMAND: `echo ${keyOf("half")}; exit 1` }, /SVC_SECRET_KEY_COMMAND failed \(1\)/],
  ])("%j that can't be had is exit code 4, and is not repeated", async (env, message) => {
    const { code, stderr } = await run(["users", "list"], { env: { SVC_BASE_URL: A, PATH: "/bin:/usr/bin", ...env } });
    expect([code, stderr]).toEqual([4, expect.stringMatching(message)]);
    expect(stderr).not.toContain("sk_");
  });

  it("is not sent to the current profile's service by accident", async () => {
    await addProfile("acme", A);
    await writeCurrent(contextOf(), "acme");
    const { code, requests, stderr } = await run(["users", "list"], { env: { SVC_SECRET_KEY: keyOf("env") } });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain("Which service is SVC_SECRET_KEY for?");
  });
});

describe("The configuration's place", () => {
  it.each<[env: Record<string, string>, platform: string, directory: string | undefined]>([
    [{ SVC_CONFIG_DIR: "/c", XDG_CONFIG_HOME: "/x", HOME: "/h" }, "linux", "/c"],
    [{ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "linux", "/x/svc"],
    [{ XDG_CONFIG_HOME: "x", HOME: "/h" }, "linux", "/h/.config/svc"],
    [{ HOME: "/h" }, "linux", "/h/.config/svc"],
    [{ HOME: "/h" }, "darwin", "/h/.config/svc"],
    [{ APPDATA: "/a", HOME: "/h" }, "win32", "/a/svc"],
    [{ HOME: "" }, "linux", undefined],
    [{}, "linux", undefined],
  ])("with %j on %s is %s", (env, platform, directory) => {
    expect(configDirectory(env, platform)).toBe(directory);
  });

  it("is asked for where there is none, and otherwise not missed", async () => {
    const env = { HOME: undefined, SVC_BASE_URL: A };
    const { code, stderr } = await runCli(["login", "--no-check"], { env, stdin: keyOf("x"), cwd });
    expect([code, stderr.includes("HOME is not set")]).toEqual([2, true]);
    for (const HOME of [undefined, "", "/dev/null", "/nonexistent"])
      expect((await runCli(["profiles", "list"], { env: { HOME }, cwd })).code).toBe(0);
    expect((await runCli(["whoami"], { env, cwd })).code).toBe(4);
  });
});

describe("SVC_TIMEOUT", () => {
  it("is in seconds", async () => {
    const options = (SVC_TIMEOUT: string): Promise<object> =>
      keyedClientOptions(contextOf({ env: { SVC_BASE_URL: A, SVC_SECRET_KEY: "sk_x", SVC_TIMEOUT } }), {});
    expect(await options("0.5")).toMatchObject({ timeoutMs: 500 });
    expect(await options("")).not.toHaveProperty("timeoutMs");
    for (const wrong of ["0", "-1", "ten", "1e3", "5s"])
      await expect(options(wrong)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(wrong) as string,
      });
  });
});

describe("SVC_RETRIES, SVC_LOG and SVC_OUTPUT", () => {
  const env = { SVC_BASE_URL: A, SVC_SECRET_KEY: "sk_x" };

  it("say how often to try again, and refuse what is no number", async () => {
    const options = (SVC_RETRIES?: string): Promise<object> =>
      keyedClientOptions(contextOf({ env: { ...env, SVC_RETRIES } }), {});
    expect(await options()).toMatchObject({ retry: 1 });
    expect(await options("0")).toMatchObject({ retry: 0 });
    await expect(options("many")).rejects.toMatchObject({ exitCode: 2 });
  });

  it("tell each request on stderr, with no secret in it, and nothing unless that is asked for", async () => {
    const service = await setup();
    const key = { SVC_BASE_URL: service.addresses.front, SVC_SECRET_KEY: service.acme.secret_key };
    const loud = await runCli(["users", "list"], { service, env: { ...key, SVC_LOG: "debug" } });
    expect(loud.stderr).toMatch(/^svc: GET \/api\/v1\/users 200 \d+ ms\n$/);
    const token = await service.tokenFor("google", "ada");
    const verified = await runCli(["tokens", "verify", "-"], {
      service,
      stdin: token,
      env: { ...key, SVC_LOG: "debug" },
    });
    expect(verified.stderr).toContain("POST /api/v1/tokens/verify 200");
    for (const secret of [token, service.acme.secret_key]) expect(verified.stderr).not.toContain(secret);
    expect((await runCli(["users", "list"], { service, env: key })).stderr).toBe("");
    expect((await runCli(["users", "list"], { service, env: { ...key, SVC_LOG: "loud" } })).code).toBe(2);
  });

  it("choose the format of lists, below the flag", async () => {
    const service = await setup();
    const key = { SVC_BASE_URL: service.addresses.front, SVC_SECRET_KEY: service.acme.secret_key };
    const list = (SVC_OUTPUT: string, ...more: string[]): Promise<CliResult> =>
      runCli(["users", "list", ...more], { service, env: { ...key, SVC_OUTPUT } });
    expect((await list("ids")).stdout.split("\n")[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect((await list("ids", "--output", "csv")).stdout).toMatch(/^id,/);
    expect((await list("xml")).stderr).toContain('SVC_OUTPUT: there is no format "xml"');
  });
});

describe("Profile files", () => {
  it("are for their owner's eyes alone, and leave nothing beside them", async () => {
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

  it("do not lose one of many that are written at once", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    await Promise.all(names.map((name) => addProfile(name, A)));
    const { stdout } = await run(["profiles", "list", "--json"]);
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(names.toSorted());
  });

  it.each([
    ["nothing", ""],
    ["half of it", `{"base_url": "${A}", "secret_key": {"store": "file", "value": "${keyOf("x")}`],
    ["null", "null"],
    ["a list", "[]"],
    ["no address", "{}"],
    ["an address that is none", '{"base_url": "a"}'],
    ["a key without an origin", `{"base_url": "${A}", "secret_key": {"store": "file", "value": "${keyOf("x")}"}}`],
    ["a key nowhere", `{"base_url": "${A}", "secret_key": {"store": "cloud", "origin": "${A}"}}`],
  ])("with %s are named, and not repeated", async (_, text) => {
    await mkdir(join(home, ".config/svc/profiles"), { recursive: true });
    const path = join(home, ".config/svc/profiles/acme.json");
    await writeFile(path, text, { mode: 0o600 });
    for (const argv of [["users", "list"], ["whoami"], ["logout"]]) {
      const { code, stderr } = await run([...argv, "--profile", "acme"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} can't be used`)]);
      expect(stderr).not.toContain("sk_");
    }
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it.each([
    [0o644, "holds a secret key that others can read"],
    [0o640, "holds a secret key that others can read"],
    [0o666, "others can change it"],
    [0o620, "others can change it"],
  ])("of mode %o are refused, with the command that mends them", async (mode, message) => {
    await addProfile("acme", A);
    const path = join(home, ".config/svc/profiles/acme.json");
    await chmod(path, mode);
    const { code, stderr, requests } = await run(["users", "list", "--profile", "acme"]);
    expect([code, requests]).toEqual([1, []]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`chmod 600 '${path}'`);
  });

  // Only root can make a file another's; and root may read everybody's, so that a child of another user asks.
  it.skipIf(process.getuid?.() !== 0)("of another user are refused", async () => {
    await addProfile("acme", A);
    await chown(join(home, ".config/svc/profiles/acme.json"), 12_345, 12_345);
    const uid = process.getuid!;
    process.getuid = () => 54_321;
    try {
      const { code, stderr } = await run(["users", "list", "--profile", "acme"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("another user's")]);
    } finally {
      process.getuid = uid;
    }
  });

  it.each(["../x", "a/b", "A", "", ".", "..", "a".repeat(64), "con\u0000", "-x"])(
    "are not made for %j",
    async (name) => {
      const { code } = await run(["login", "--no-check", "--base-url", A, `--profile=${name}`], { stdin: keyOf("x") });
      expect([code, await readdir(home)]).toEqual([2, ["work"]]);
    },
  );
});
