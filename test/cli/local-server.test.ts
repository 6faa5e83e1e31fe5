// Below the faces: what svc serve writes is made without a process.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createNetwork } from "../../src/cli/connection/network.ts";
import { announce } from "../../src/cli/commands/serve/announce.ts";
import { findLocalServer } from "../../src/cli/connection/running-server.ts";
import type { RunningServerFile } from "../../src/cli/connection/server-file.ts";
import { writeCurrent, writeProfile } from "../../src/cli/credentials/profiles.ts";
import { storeKey } from "../../src/cli/credentials/keys.ts";
import { main } from "../../src/cli/main.ts";
import { serve } from "../../src/server/index.ts";
import { createContext, runCli, type TestContext } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { leaveTrace, placeIn, writeRunning } from "../_server-file.ts";
import { ADA, CONTROL_KEY } from "../_setup.ts";
import { portOf } from "../_port-of.ts";

const KEY = "sk_production_0123456789abcdefghijklmnopqrstuv";
const REST = { name: "Ada", avatar_url: null, email_verified: true, providers: [], created_at: "2026-01-01T00:00:00Z" };

let cwd: string;
beforeEach(() => {
  cwd = temporaryDirectory();
});

/** A command's context with the real network. */
function world(env: Record<string, string> = {}): TestContext {
  const context = createContext({ cwd, env: { HOME: cwd, ...env } });
  const real = { ...context, fetch: undefined };
  return { ...real, network: createNetwork(real) };
}

async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = world();
  const code = await main(argv, context);
  return { code, ...context.written };
}

/** A real server with the files that `svc serve` writes. */
async function start(startedAt: string) {
  const server = await serve({ port: 0, store: "memory" });
  onTestFinished(() => server.close());
  const context = { ...world(), now: () => new Date(startedAt) };
  const { path = "", withdraw } = await announce(context, server, expect.unreachable);
  const file = JSON.parse(readFileSync(path, "utf8")) as RunningServerFile;
  return { server, file, own: { path, withdraw } };
}

describe("Local servers in one directory", () => {
  it("have one file each, and commands use the newest that runs", async () => {
    const older = await start("2026-06-01T12:00:00.000Z");
    const newer = await start("2026-06-01T12:00:01.000Z");
    expect([older, newer].map(({ own }) => existsSync(own.path))).toEqual([true, true]);
    expect((await run("whoami", "--json")).stdout).toContain(`:${newer.file.port}`);

    await newer.own.withdraw();
    await newer.server.close();
    expect((await run("whoami", "--json")).stdout).toContain(`:${older.file.port}`);

    await older.own.withdraw();
    expect([older, newer].map(({ own }) => existsSync(own.path))).toEqual([false, false]);
  });

  it("are replaced by an older running one when the newest was killed", async () => {
    const older = await start("2026-06-01T12:00:00.000Z");
    const newer = await start("2026-06-01T12:00:01.000Z");
    await newer.server.close();
    const { code, stdout } = await run("whoami", "--json");
    expect([code, stdout.includes(`:${older.file.port}`)]).toEqual([0, true]);
  });

  it("leave no file behind after a kill once another one starts", async () => {
    const killed = await start("2026-06-01T12:00:00.000Z");
    await killed.server.close();
    const next = await start("2026-06-01T12:00:01.000Z");
    expect([killed, next].map(({ own }) => existsSync(own.path))).toEqual([false, true]);
  });
});

describe("A program that took over the port of a local server", () => {
  /** Answers every request and records it. */
  async function listen(): Promise<{ port: number; received: string[] }> {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ proof: "0".repeat(64), id: ADA, resource: "token", data: { valid: true } }));
    });
    return { port: await portOf(server), received };
  }

  it.each([
    ["process 1, as in a container", 1],
    ["this process", process.pid],
  ])("is sent no key and no token, even if the file names %s", async (_, pid) => {
    const { port, received } = await listen();
    const url = `http://127.0.0.1:${port}`;
    const instance = { id: "i", name: "A", subdomain: "a", url, publishable_key: "pk_a", secret_key: KEY };
    const control_key = CONTROL_KEY;
    await writeRunning(cwd, { pid, url, api_url: url, identity_secret: "x", control_key, instances: [instance] });
    await leaveTrace(cwd);
    const context = { ...world(), stdin: createContext({ stdin: "a.token.x" }).stdin };
    expect(await main(["tokens", "verify", "-"], context)).toBe(7);
    expect((await run("users", "delete", ADA, "--yes")).code).toBe(7);
    expect((await run("dev", "clock")).code).toBe(7);
    expect(received.every((line) => line.startsWith("GET /__svc/identity?challenge="))).toBe(true);
    for (const key of [KEY, CONTROL_KEY]) expect(received.join()).not.toContain(key);
    expect(received.length).toBeGreaterThan(0);
  });
});

describe("A directory whose local server has stopped", () => {
  beforeEach(async () => {
    await leaveTrace(cwd);
    const context = world();
    const secret_key = await storeKey(context, "production", "https://acme.example.com", KEY, true);
    await writeProfile(context, "production", { base_url: "https://acme.example.com", secret_key });
    await writeCurrent(context, "production");
  });

  it("above the directory is named with both ways to go on, when a command runs and when a profile is chosen", async () => {
    const below = join(cwd, "app");
    await mkdir(below);
    const env = { HOME: cwd };
    const listed = await runCli(["users", "list"], { cwd: below, env });
    expect(listed.stderr).toContain(
      `--profile (production). If that server is no longer used, move ${placeIn(cwd)} away.`,
    );
    const used = await runCli(["profiles", "use", "production"], { cwd: below, env });
    expect(used.stderr).toContain(`${cwd} is not running. For this profile add --profile production.`);
  });

  it("makes a command with --wait wait for a server to start", async () => {
    const waiting = run("users", "list", "--count", "--wait", "60");
    await new Promise((resolve) => setImmediate(resolve));
    await start("2026-06-01T12:00:00.000Z");
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) as string });
    expect((await findLocalServer(world()))?.server).toBeDefined();
  });
});

it("A deletion says where the service does not name the instance of the key", async () => {
  const user = { id: ADA, resource: "user", data: { email: "ada@acme.test", ...REST } };
  const { stderr } = await runCli(["users", "delete", ADA, "--yes"], {
    env: { SVC_BASE_URL: "https://acme.example.com", SVC_SECRET_KEY: KEY },
    fetch: (_, { method }) =>
      Promise.resolve(Response.json(method === "DELETE" ? { deleted: true, id: ADA } : [user]) as never),
  });
  expect(stderr).toBe(
    "Deleting from https://acme.example.com (SVC_BASE_URL), which does not name the instance of this key\n" +
      "Deleted 1 user of https://acme.example.com (SVC_BASE_URL).\n",
  );
});

it("A read where two servers run in one directory says which one it asks", async () => {
  const older = await start("2026-06-01T12:00:00.000Z");
  expect((await run("users", "list", "--count")).stderr).toBe("");
  const newer = await start("2026-06-01T12:00:01.000Z");
  const { code, stderr } = await run("users", "list", "--count");
  expect([code, stderr]).toEqual([
    0,
    `Asks ${newer.server.url}, the newest server of this directory. Also here: ${older.server.url}. Name one with --base-url.\n`,
  ]);
});

describe("A deletion where two servers run in one directory", () => {
  it("needs an address, and with --yes an instance, which are enough to find that server's key", async () => {
    const older = await start("2026-06-01T12:00:00.000Z");
    const newer = await start("2026-06-01T12:00:01.000Z");
    for (const more of [[], ["--instance", "acme"]]) {
      const refused = await run("users", "delete", "ada@acme.test", "--yes", ...more);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("2 servers run in this directory")]);
      for (const { server } of [older, newer]) expect(refused.stderr).toContain(server.url);
    }
    const { url } = older.server;
    const named = ["users", "delete", "ada@acme.test", "--yes", "--base-url", url];
    expect((await run(...named)).stderr).toContain("--yes does not choose among the instances acme, globex.");
    const { code, stderr } = await run(...named, "--instance", "acme");
    const { id } = older.server.instances[0]!;
    expect([code, stderr]).toEqual([
      0,
      `Deleting from ${url} (--base-url), instance acme (${id})\nDeleted 1 user of acme (${url}, --base-url).\n`,
    ]);
    const counts = [older, newer].map(({ server }) => run("users", "list", "--count", "--base-url", server.url));
    expect((await Promise.all(counts)).map(({ stdout }) => Number(stdout))).toEqual([3, 4]);
  });

  it("sends a key to no address that only looks like a server of this directory", async () => {
    const { file } = await start("2026-06-01T12:00:00.000Z");
    const asked: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      asked.push(request.headers["x-service-secret-key"] as string | undefined);
      response.end("{}");
    });
    const port = await portOf(other);
    const url = `http://localhost:${port}`;
    await writeRunning(cwd, { ...file, port, url, api_url: url, instances: [{ ...file.instances[0]!, url }] });
    const { code } = await run("users", "list", "--base-url", url);
    expect([code, asked.filter(Boolean)]).toEqual([4, []]);
  });
});
