import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeCheck } from "../src/cli/commands/doctor/machine.ts";
import { ENVIRONMENT } from "../src/cli/help/environment.ts";
import { EXIT } from "../src/cli/errors.ts";
import { writeRunningServer, type RunningServerFile } from "../src/cli/connection/running-server.ts";
import { parseConfig } from "../src/server/config.ts";
import { parseSeed } from "../src/server/seed/index.ts";
import type { Fetch } from "../src/wire/fetch.ts";
import { memoryKeyring, runCli, type CliOptions, type CliResult } from "./_cli.ts";
import { setup, type Service } from "./_setup.ts";

const NOBODY = "00000000-0000-4000-8000-00000000ffff";

let cwd: string;
let service: Service;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "svc-tools-"));
  service = await setup();
});
afterEach(() => rm(cwd, { recursive: true }));

function run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(argv, { service, cwd, ...options, env: { HOME: cwd, NO_COLOR: "1", ...options.env } });
}

function answering(status: number, body: string, headers: Record<string, string> = {}): Fetch {
  return async () => new Response(body, { status, headers }) as unknown as Awaited<ReturnType<Fetch>>;
}

/** The service under test, as if it ran in this directory. */
async function runHere(): Promise<RunningServerFile> {
  const { acme, globex, addresses } = service;
  const server: RunningServerFile = {
    pid: process.pid,
    url: addresses.front,
    api_url: addresses.api,
    instances: [acme, globex].map(({ id, name, subdomain, publishable_key, secret_key }) => ({
      id,
      name,
      subdomain,
      url: `http://${subdomain}.localhost:7820`,
      publishable_key,
      secret_key,
    })),
  };
  await writeRunningServer(cwd, server);
  return server;
}

const HERE = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined };

describe("svc api", () => {
  it("prints the body, byte for byte", async () => {
    const body = await (await service.as(service.acme, "/api/v1/users")).text();
    expect(await run(["api", "GET", "/api/v1/users"])).toMatchObject({ code: 0, stdout: body, stderr: "" });
  });

  it("encodes fields into a query, and leaves alone what was written", async () => {
    const { requests } = await run(["api", "get", "/api/v1/users/search?limit=1", "-F", "query=name:a+b c&d"]);
    expect(requests[0]?.url).toBe("http://acme.localhost:7820/api/v1/users/search?limit=1&query=name%3Aa%2Bb%20c%26d");
    const written = await run(["api", "GET", "/api/v1/users/search?query=created_at>=2026-01-01T00:00:00%2B02:00"]);
    expect([written.code, written.requests[0]?.url.endsWith("%2B02:00")]).toEqual([0, true]);
  });

  it("makes a JSON body of fields, or takes one as it is", async () => {
    const token = await service.tokenFor("google", "ada");
    const path = ["api", "POST", "/api/v1/tokens/verify"];
    await writeFile(join(cwd, "body.json"), JSON.stringify({ token }));
    for (const result of [
      await run([...path, "-F", `token=${token}`]),
      await run([...path, "--input", "body.json"]),
      await run([...path, "--input", "-"], { stdin: JSON.stringify({ token }) }),
    ])
      expect([result.code, JSON.parse(result.stdout)]).toMatchObject([0, { resource: "token" }]);
  });

  it("shows a redirect, and does not follow it", async () => {
    const { code, stdout, requests } = await run(["api", "GET", "/sign-in?redirect_uri=http://localhost:3000/", "-i"]);
    expect([code, requests.length]).toEqual([0, 1]);
    expect(stdout).toMatch(/^HTTP 302\n(.*\n)*location: http:/);
  });

  it("sends the key with the API's paths alone", async () => {
    const keyed = async (path: string): Promise<boolean> =>
      "x-service-secret-key" in (await run(["api", "GET", path])).requests[0]!.headers!;
    expect(await keyed("/api/v1/users")).toBe(true);
    expect(await keyed("/.well-known/openid-configuration")).toBe(false);
    expect(await keyed("/sign-in?redirect_uri=http://localhost:3000/")).toBe(false);
    expect(await keyed("/api/../sign-in")).toBe(false);
  });

  it("finds instances where they are found, and sends no secret key there", async () => {
    const { publishable_key } = service.acme;
    const env = { SVC_API_URL: service.addresses.api, SVC_PUBLISHABLE_KEY: publishable_key };
    const argv = ["api", "GET", "/api/v1/instances/search", "-F", `query=publishable_key:${publishable_key}`];
    const { code, requests } = await run(argv, { env });
    expect([code, new URL(requests[0]!.url).origin]).toEqual([0, "http://api.localhost:7820"]);
    expect(requests[0]?.headers).toEqual({ accept: "application/json", "x-service-publishable-key": publishable_key });
    const nowhere = await run(["api", "GET", "/api/v1/users"], { env: { ...env, SVC_BASE_URL: undefined } });
    expect([nowhere.code, nowhere.requests]).toEqual([2, []]);
  });

  it.each<[code: number, argv: string[], options: CliOptions]>([
    [1, ["GET", "/x"], { fetch: answering(500, "<html>") }],
    [2, ["GET", "/api/v1/users/search"], {}],
    [2, ["FETCH", "/api/v1/users"], {}],
    [2, ["GET", "/api/v1/users", "-F", "limit"], {}],
    [2, ["POST", "/api/v1/tokens/verify", "-F", "token=x", "--input", "-"], { stdin: "{}" }],
    [2, ["POST", "/api/v1/tokens/verify", "--input", "nothing.json"], {}],
    [3, ["GET", `/api/v1/users/${NOBODY}`], {}],
    [3, ["GET", "/nowhere"], {}],
    [4, ["GET", "/api/v1/users"], { env: { SVC_SECRET_KEY: undefined } }],
    [5, ["POST", "/api/v1/tokens/verify", "-F", "token=x.y.z"], {}],
    [7, ["GET", "/api/v1/users"], { fetch: () => Promise.reject(new Error("x", { cause: { code: "ECONNRESET" } })) }],
  ])("ends with %i for %j", async (code, argv, options) => {
    expect((await run(["api", ...argv], options)).code).toBe(code);
  });

  it("shows a terminal nothing that it would obey", async () => {
    for (const body of ['{"name":"\\u001b[31m"}', "plain \u001b[31m\ntext"]) {
      const { stdout, stderr } = await run(["api", "GET", "/x"], { tty: true, fetch: answering(400, body) });
      expect(stdout + stderr).not.toContain("\u001b");
    }
  });
});

describe("svc instances", () => {
  it("lists those of the server that runs here, without their secret keys", async () => {
    await runHere();
    const { code, stdout } = await run(["instances", "list"], { env: HERE });
    expect([code, stdout.split("\n").map((line) => line.split("\t")[0])]).toEqual([0, ["acme", "globex", ""]]);
    const json = await run(["instances", "list", "--json"], { env: HERE });
    expect(JSON.parse(json.stdout)).toHaveLength(2);
    expect(stdout + json.stdout).not.toContain("sk_");
  });

  it("are 3 where no server runs", async () => {
    expect((await run(["instances", "list"], { env: HERE })).code).toBe(3);
  });

  it("are discovered without a key", async () => {
    const body = await (await service.fetch("http://acme.localhost:7820/.well-known/openid-configuration")).text();
    const { code, stdout, requests } = await run(["instances", "discover", "--json"], {
      env: { SVC_SECRET_KEY: undefined },
    });
    expect([code, stdout, requests.length]).toEqual([0, `${body}\n`, 1]);
  });
});

describe("svc open", () => {
  it.each([
    [[], "http://localhost:7820/"],
    [["front"], "http://localhost:7820/"],
    [["discovery", "--instance", "globex"], "http://globex.localhost:7820/.well-known/openid-configuration"],
    [["sign-in"], "http://acme.localhost:7820/sign-in?redirect_uri=http%3A%2F%2Flocalhost%3A7820%2F__svc%2Fsigned-in"],
    [
      ["sign-in", "--redirect-uri", "http://a.test/?x=1"],
      "http://acme.localhost:7820/sign-in?redirect_uri=http%3A%2F%2Fa.test%2F%3Fx%3D1",
    ],
  ])("%j opens %s, and only prints it when asked to", async (argv, url) => {
    await runHere();
    const opened: string[] = [];
    const openBrowser = async (address: string): Promise<void> => void opened.push(address);
    expect(await run(["open", ...argv], { env: HERE, openBrowser })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `Opened ${url}\n`,
    });
    expect(await run(["open", ...argv, "--print"], { env: HERE, openBrowser })).toMatchObject({
      code: 0,
      stdout: `${url}\n`,
      stderr: "",
    });
    expect((await run(["open", ...argv, "--print", "--json"], { env: HERE })).stdout).toBe(
      `${JSON.stringify({ url })}\n`,
    );
    expect(opened).toEqual([url]);
  });

  it("says the address where no browser can be opened", async () => {
    const { code, stderr } = await run(["open"]);
    expect([code, stderr]).toEqual([
      0,
      "No browser could be opened. Open this by hand:\n  http://acme.localhost:7820/\n",
    ]);
  });

  it("asks where a sign-in elsewhere is to lead", async () => {
    expect((await run(["open", "sign-in"])).code).toBe(2);
    expect((await run(["open", "nowhere"])).code).toBe(2);
  });
});

describe("svc version", () => {
  const latest = (version: string): Fetch => answering(200, JSON.stringify({ name: "svc-identity", version }));

  it("asks nobody by itself", async () => {
    const { code, stdout, requests } = await run(["version", "--json"]);
    expect([code, JSON.parse(stdout), requests]).toEqual([
      0,
      {
        version: expect.stringMatching(/^\d/) as string,
        node: process.version,
        platform: `${process.platform}-${process.arch}`,
      },
      [],
    ]);
  });

  it.each([
    ["999.0.0", false],
    ["0.0.1", true],
    ["0.0.1-beta.1", true],
  ])("asks the registry, where the newest is %s", async (version, is_latest) => {
    const { code, stdout, requests } = await run(["version", "--check", "--json"], { fetch: latest(version) });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { latest: version, is_latest }]);
    expect(requests.map(({ url, headers }) => [url, headers])).toEqual([
      ["https://registry.npmjs.org/svc-identity/latest", { accept: "application/json" }],
    ]);
  });

  it("asks the registry that npm is told of", async () => {
    const env = { npm_config_registry: "https://npm.corp.test/" };
    const { requests } = await run(["version", "--check"], { env, fetch: latest("0.0.1") });
    expect(requests[0]?.url).toBe("https://npm.corp.test/svc-identity/latest");
  });

  it.each<[code: number, fetch: Fetch, message: string]>([
    [7, () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })), "could not be reached (ENOTFOUND)"],
    [1, answering(404, "{}"), "knows no svc-identity"],
    [1, answering(200, "<html>"), "gave no answer that can be used (200)"],
    [1, answering(200, '{"version":"\\u001b[31m"}'), "gave no answer that can be used"],
  ])("is %i where there is no answer", async (code, fetch, message) => {
    const { code: ended, stderr } = await run(["version", "--check"], { fetch });
    expect([ended, stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

interface Said {
  name: string;
  status: string;
  message: string;
  remedy?: string;
}

async function doctor(
  options: CliOptions = {},
  argv: string[] = [],
): Promise<{ code: number; checks: Record<string, Said> }> {
  const clock = service.clock.now().toUTCString();
  const fetch: Fetch = async (url, init) => {
    const response = await service.fetch(url, init as RequestInit);
    const headers = { ...Object.fromEntries(response.headers), date: clock };
    return new Response(await response.text(), { status: response.status, headers }) as unknown as Awaited<
      ReturnType<Fetch>
    >;
  };
  const { code, stdout } = await run(["doctor", "--json", ...argv], { fetch, keyring: memoryKeyring(), ...options });
  const { checks } = JSON.parse(stdout) as { checks: Said[] };
  for (const check of checks)
    expect([check.name, check.remedy !== undefined]).toEqual([check.name, check.status !== "ok"]);
  return { code, checks: Object.fromEntries(checks.map((check) => [check.name, check])) };
}

describe("svc doctor", () => {
  it("finds nothing where nothing is wrong, and reads and changes nothing", async () => {
    const env = { SVC_PORT: String(await freePort()) };
    const { code, checks } = await doctor({ env });
    const { "localhost names": _, ...rest } = checks;
    expect([code, new Set(Object.values(rest).map(({ status }) => status))]).toEqual([0, new Set(["ok"])]);
    expect(Object.keys(checks)).toEqual([
      "node", "profiles", "keyring", "svc.config.json", "store", "port", "localhost names", "service", "reachable", "discovery", "clock", "key",
    ]); // prettier-ignore
  });

  it.each<[what: string, name: string, status: string, message: string, options: () => CliOptions | Promise<CliOptions>]>([
    ["no service", "service", "failed", "No service to ask", () => ({ env: HERE })],
    ["an address that is none", "service", "failed", "is not the address", () => ({ env: { SVC_BASE_URL: "acme", SVC_SECRET_KEY: undefined } })],
    ["a service that is down", "reachable", "failed", "ECONNREFUSED", () => ({ fetch: () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" })) })],
    ["something else that listens there", "discovery", "failed", "no discovery document", () => ({ fetch: answering(200, "<html>") })],
    ["another issuer", "discovery", "warning", "https://x.test", () => ({ fetch: answering(200, '{"issuer":"https://x.test"}') })],
    ["a clock behind", "clock", "failed", "3600 seconds behind", () => ({ fetch: answering(200, "{}", { date: new Date(service.clock.now().getTime() + 3_600_000).toUTCString() }) })],
    ["a clock ahead", "clock", "failed", "61 seconds ahead of", () => ({ fetch: answering(200, "{}", { date: new Date(service.clock.now().getTime() - 61_000).toUTCString() }) })],
    ["no clock", "clock", "skipped", "does not say", () => ({ fetch: answering(200, "{}") })],
    ["a key of another", "key", "failed", "refuses this key", () => ({ env: { SVC_SECRET_KEY: service.globex.secret_key } })],
    ["no key", "key", "warning", "no secret key", () => ({ env: { SVC_SECRET_KEY: undefined } })],
    ["no keyring", "keyring", "warning", "none that can be used (no daemon)", () => ({ keyring: undefined as never })],
    ["no home", "profiles", "warning", "HOME is not set", () => ({ env: { HOME: undefined } })],
    ["a current profile that is gone", "profiles", "failed", '"gone", is not there', async () => {
      await mkdir(join(cwd, ".config/svc"), { recursive: true });
      await writeFile(join(cwd, ".config/svc/config.json"), '{"current":"gone"}', { mode: 0o600 });
      return {};
    }],
    ["a damaged profile", "profiles", "failed", "it is not JSON", async () => {
      await mkdir(join(cwd, ".config/svc/profiles"), { recursive: true });
      await writeFile(join(cwd, ".config/svc/profiles/x.json"), "{", { mode: 0o600 });
      return {};
    }],
    ["a damaged configuration file", "svc.config.json", "failed", "can't be read as JSON", async () => {
      await writeFile(join(cwd, "svc.config.json"), "{");
      return {};
    }],
    ["a store that others can read", "store", "failed", ".svc/db.json", async () => {
      await mkdir(join(cwd, ".svc"), { mode: 0o700 });
      await writeFile(join(cwd, ".svc/db.json"), "");
      await chmod(join(cwd, ".svc/db.json"), 0o644);
      return {};
    }],
  ])("says what to do about %s", async (_, name, status, message, options) => {
    const { code, checks } = await doctor(await options());
    expect(checks[name]).toMatchObject({ status, message: expect.stringContaining(message) as string });
    expect(code).toBe(Object.values(checks).some((check) => check.status === "failed") ? 1 : 0);
  }); // prettier-ignore

  it("says that a port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { checks } = await doctor({ env: { SVC_PORT: String(port) } });
    other.close();
    expect(checks["port"]).toMatchObject({ status: "warning", message: `${port} can't be listened on (EADDRINUSE).` });
  });

  it.each([
    ["18.20.0", "failed"],
    ["20.18.9", "failed"],
    ["20.19.0", "ok"],
    ["22.0.0", "ok"],
  ])("of Node.js %s is %s", (version, status) => {
    expect(nodeCheck(version).status).toBe(status);
  });

  it("marks each check for a person", async () => {
    const { stdout } = await run(["doctor"], { tty: true, keyring: memoryKeyring() });
    expect(stdout).toMatch(/^✓ node {10,}Node\.js \d/m);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe("svc init", () => {
  it.each<[argv: string[], files: string[]]>([
    [["--yes"], ["svc.config.json"]],
    [["--yes", "--no-seed", "--port", "7000"], ["svc.config.json"]],
    [
      ["--yes", "--name", "Acme"],
      ["seed.json", "svc.config.json"],
    ],
    [
      ["--yes", "--name", "日本", "--redirect-uri", "http://localhost:1/cb"],
      ["seed.json", "svc.config.json"],
    ],
    [["--yes", "--dir", "."], ["svc.config.json"]],
  ])("%j writes what the server takes", async (argv, files) => {
    const { code, stdout } = await run(["init", ...argv, "--json"]);
    expect([
      code,
      (JSON.parse(stdout) as { created: string[] }).created.toSorted(),
      (await readdir(cwd)).toSorted(),
    ]).toEqual([0, files, files]);
    const config = parseConfig(await readFile(join(cwd, "svc.config.json"), "utf8"), "x");
    expect(config.seed).toBe(files.length === 2 ? "seed.json" : undefined);
    if (files.length === 2)
      expect(parseSeed(await readFile(join(cwd, "seed.json"), "utf8"), "x", new Date()).instances).toHaveLength(1);
  });

  it.each([["svc.config.json"], ["seed.json"]])("never overwrites %s, and then writes nothing", async (file) => {
    await writeFile(join(cwd, file), "mine");
    const { code, stderr } = await run(["init", "--yes", "--name", "Acme"]);
    expect([code, await readdir(cwd), await readFile(join(cwd, file), "utf8")]).toEqual([8, [file], "mine"]);
    expect(stderr).toContain(`${file} is there already`);
  });

  it.each([
    [["init"]],
    [["init", "--yes", "--port", "http"]],
    [["init", "--yes", "--port", "0"]],
    [["init", "--yes", "--name", ""]],
    [["init", "--yes", "--redirect-uri", "javascript:alert(1)"]],
  ])("%j is wrong usage, and writes nothing", async (argv) => {
    expect([(await run(argv)).code, await readdir(cwd)]).toEqual([2, []]);
  });
});

interface MapEntry {
  command: string;
  description: string;
  examples: { command: string }[];
  exit_codes: number[];
  commands: MapEntry[];
}

describe("svc help", () => {
  it("is a map of every command, with a description, examples and exit codes for each of these", async () => {
    const { code, stdout } = await run(["help", "--map", "json"]);
    expect(code).toBe(0);
    const flat = (entry: MapEntry): MapEntry[] => [entry, ...entry.commands.flatMap(flat)];
    const all = flat(JSON.parse(stdout) as MapEntry);
    const own =
      /^svc (?:init|login|logout|whoami|profiles|config|api|open|doctor|completion|version|help|instances|serve|sign-in)\b/;
    for (const { command, description, examples, exit_codes } of all.filter((entry) => own.test(entry.command))) {
      expect([command, description !== "", examples.length > 0]).toEqual([command, true, true]);
      expect([command, exit_codes.includes(EXIT.done), exit_codes.includes(EXIT.usage)]).toEqual([command, true, true]);
    }
    expect(all.filter(({ command }) => own.test(command)).length).toBeGreaterThan(20);
  });

  it("of a command is the one that the command gives", async () => {
    for (const path of [["users"], ["users", "search"], ["login"], []])
      expect((await run(["help", ...path])).stdout).toBe((await run([...path, "--help"])).stdout);
  });

  it.each(["query", "output", "environment", "exit-codes"])("has a page on %s, within 120 columns", async (topic) => {
    const { code, stdout } = await run(["help", topic]);
    expect([code, stdout.split("\n").every((line) => line.length <= 120), stdout.length > 200]).toEqual([
      0,
      true,
      true,
    ]);
  });

  it.each([[["nonsense"]], [["users", "nonsense"]], [["users", "get", "x"]], [["--map", "xml"]]])(
    "%j is wrong usage",
    async (argv) => {
      expect(await run(["help", ...argv])).toMatchObject({ code: 2, stdout: "" });
    },
  );

  it("names every variable that is read", async () => {
    const read = new Set<string>();
    for (const file of await readdir(new URL("../src/cli", import.meta.url), { recursive: true })) {
      if (!file.endsWith(".ts") || file === "help/environment.ts") continue;
      const source = await readFile(new URL(`../src/cli/${file}`, import.meta.url), "utf8");
      for (const [, name] of source.matchAll(/(?:env\[|variable\(|checkPort\(env\[)"(SVC_\w+)"/g)) read.add(name!);
    }
    const { stdout } = await run(["help", "environment"]);
    expect([...read].filter((name) => !stdout.includes(name))).toEqual([]);
    expect(read.size).toBeGreaterThan(10);
    expect(Object.keys(ENVIRONMENT).every((name) => stdout.includes(name))).toBe(true);
  });
});
