// Below the faces: places are made as svc serve makes them.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { makePlace } from "../../src/cli/commands/serve/place.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { answering } from "../_answering.ts";
import { startServer } from "../_control.ts";
import { cwd, HERE, run, service, useDirectory } from "../_cli-directory.ts";
import { createContext, memoryKeyring, runCli, type CliOptions } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { writeRunning } from "../_server-file.ts";
import { START } from "../_setup.ts";
import { portOf } from "../_port-of.ts";

useDirectory();

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
  it("reports no problem when there is none, and reads and changes nothing", async () => {
    const env = { SVC_PORT: String(await freePort()), SVC_DATA_DIR: temporaryDirectory() };
    const { code, checks } = await doctor({ env });
    const { "localhost names": _, ...rest } = checks;
    expect([code, new Set(Object.values(rest).map(({ status }) => status))]).toEqual([0, new Set(["ok"])]);
    expect(Object.keys(checks)).toEqual([
      "svc.config.json", "stores", "port", "localhost names", "proxy", "service", "reachable", "discovery", "clock", "key",
    ]); // prettier-ignore
  });

  it("asks the real providers that have credentials here through the proxy", async () => {
    const connects: string[] = [];
    const proxy = createHttpServer().on("connect", ({ url }, socket) => {
      connects.push(url!);
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    const port = await portOf(proxy);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}`, SVC_DATA_DIR: temporaryDirectory() };
    const none = await doctor({ env });
    expect(none.checks["proxy"]).toMatchObject({ status: "ok", message: "no provider is asked through HTTPS_PROXY" });
    const real = { ...env, SVC_GITHUB_CLIENT_ID: "id", SVC_GITHUB_CLIENT_SECRET: "secret" };
    const context = createContext({ env: real, cwd });
    expect(await main(["doctor", "--json"], { ...context, fetch: undefined })).toBe(1);
    const { checks } = JSON.parse(context.written.stdout) as { checks: Said[] };
    expect(checks.find(({ name }) => name === "proxy")).toEqual({
      name: "proxy",
      status: "failed",
      message: `github.com could not be reached through the proxy 127.0.0.1:${port} of HTTPS_PROXY (502).`,
      remedy: "Check HTTPS_PROXY, or add the host to NO_PROXY.",
    });
    expect(connects).toEqual(["github.com:443"]);
    const exempt = await doctor({ env: { ...real, NO_PROXY: "github.com" } });
    expect(exempt.checks["proxy"]!.status).toBe("ok");
  });

  it("names the stores of directories that are gone, with the line that removes them", async () => {
    const env = { SVC_DATA_DIR: temporaryDirectory() };
    const directory = join(cwd, "old shop");
    await mkdir(directory);
    const place = await makePlace({ cwd: directory, env });
    await makePlace({ cwd, env });
    const message = "2 stores";
    expect((await doctor({ env })).checks["stores"]).toEqual({ name: "stores", status: "ok", message });
    await rm(directory, { recursive: true });
    const { status, remedy, ...gone } = (await doctor({ env })).checks["stores"]!;
    expect([status, gone.message]).toEqual(["warning", `1 store of directories that are gone: ${directory}.`]);
    execFileSync("/bin/sh", ["-c", remedy!.replace(/.*: /, "")]);
    expect([existsSync(place), existsSync(await makePlace({ cwd, env }))]).toEqual([false, true]);
  });

  it("reports the port of the running server, which needs no keyring", async () => {
    const addresses = { url: "http://localhost:7911", api_url: "http://api.localhost:7911" };
    await writeRunning(cwd, { ...addresses, instances: [] });
    const { checks } = await doctor({ fetch: answering(200, "{}"), env: HERE, keyring: undefined as never });
    expect(checks["port"]!.message).toBe(`7911 is used by svc serve, pid ${process.pid}`);
    // Nothing to do if the system resolves the names.
    expect(checks["localhost names"]!.remedy ?? addresses.url).toContain(addresses.url);
  });

  it.each<[what: string, name: string, status: string, message: string, options: () => CliOptions | Promise<CliOptions>]>([
    ["no service", "service", "failed", "No service is configured", () => ({ env: HERE })],
    ["an invalid address", "service", "failed", "must be an http or https address", () => ({ env: { SVC_BASE_URL: "acme", SVC_SECRET_KEY: undefined } })],
    ["a service that is down", "reachable", "failed", "ECONNREFUSED", () => ({ fetch: () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" })) })],
    ["something else that listens there", "discovery", "failed", "without a discovery document", () => ({ fetch: answering(200, "<html>") })],
    ["something else that answers in JSON", "discovery", "failed", "without a discovery document", () => ({ fetch: answering(200, "null") })],
    ["another issuer", "discovery", "warning", "https://x.test", () => ({ fetch: answering(200, '{"issuer":"https://x.test"}') })],
    ["a clock behind", "clock", "failed", "3600 seconds behind", () => ({ fetch: answering(200, "{}", { date: new Date(service.clock.now().getTime() + 3_600_000).toUTCString() }) })],
    ["a clock ahead", "clock", "failed", "61 seconds ahead of", () => ({ fetch: answering(200, "{}", { date: new Date(service.clock.now().getTime() - 61_000).toUTCString() }) })],
    ["no clock", "clock", "skipped", "does not send", () => ({ fetch: answering(200, "{}") })],
    ["a key of another", "key", "failed", "refused this key", () => ({ env: { SVC_BASE_URL: service.addresses.instanceUrl(service.acme), SVC_SECRET_KEY: service.globex.secret_key } })],
    ["no key", "key", "warning", "No secret key", () => ({ env: { SVC_SECRET_KEY: undefined } })],
    ["a damaged configuration file", "svc.config.json", "failed", "(line 2, column 1)", async () => {
      await writeFile(join(cwd, "svc.config.json"), "{\n");
      return {};
    }],
    ["a misspelt setting", "svc.config.json", "failed", "svc.config.json can't be used: prot: unknown key", async () => {
      await writeFile(join(cwd, "svc.config.json"), '{"prot":1}');
      return {};
    }],
    ["a public address with a path", "svc.config.json", "failed", 'public_url: "https://auth.test/x" is not an origin', async () => {
      await writeFile(join(cwd, "svc.config.json"), '{"public_url":"https://auth.test/x"}');
      return {};
    }],
    ["a configuration that svc must be told to use", "svc.config.json", "failed", "endpoints.token (github.corp.test)", async () => {
      const endpoints = { token: "https://github.corp.test/token" };
      await writeFile(join(cwd, "svc.config.json"), JSON.stringify({ providers: { github: { endpoints } } }));
      return {};
    }],
    ["a configuration that would get the environment's secret", "svc.config.json", "failed", "SVC_GITHUB_CLIENT_ID is set", async () => {
      const endpoints = { token: "http://localhost:5390/token" };
      const github = { client_id: "a", client_secret: "b", endpoints };
      await writeFile(join(cwd, "svc.config.json"), JSON.stringify({ providers: { github } }));
      return { env: { SVC_GITHUB_CLIENT_ID: "id", SVC_GITHUB_CLIENT_SECRET: "secret" } };
    }],
    ["a configuration that is a directory", "svc.config.json", "failed", "cannot be read: it is not a file", async () => {
      await mkdir(join(cwd, "svc.config.json"));
      return {};
    }],
  ])("says what to do about %s", async (_, name, status, message, options) => {
    const { code, checks } = await doctor(await options());
    expect(checks[name]).toMatchObject({ status, message: expect.stringContaining(message) as string });
    expect(code).toBe(Object.values(checks).some((check) => check.status === "failed") ? 1 : 0);
  }); // prettier-ignore

  it("marks each check on a terminal", async () => {
    const { stdout } = await run(["doctor"], { tty: true, keyring: memoryKeyring() });
    expect(stdout).toMatch(/^✓ key {10,}accepted \(SVC_SECRET_KEY\), instance acme \(/m);
  });
});

it("svc doctor reads the service's own clock, and says how to set it back", async () => {
  const server = await startServer({ now: () => START });
  const [acme] = server.instances;
  const env = {
    SVC_BASE_URL: server.url,
    SVC_SECRET_KEY: acme!.secret_key,
    SVC_CONTROL_URL: server.url,
    SVC_CONTROL_KEY: server.control_key,
  };
  const clock = async (): Promise<unknown> =>
    (await doctor({ env, fetch: globalThis.fetch as unknown as Fetch })).checks["clock"];
  expect(await clock()).toMatchObject({ status: "ok", message: "agrees with the service's" });
  await server.control("POST /clock/advance", { by: "61m" });
  expect(await clock()).toMatchObject({
    status: "warning",
    message: expect.stringContaining("shows 2026-06-01T13:01:00.000Z"),
    remedy: "Reset it to real time with: svc dev clock reset",
  });
  await server.control("POST /clock/freeze", { at: START.toISOString() });
  expect(await clock()).toMatchObject({ status: "warning" });
  await server.control("POST /clock/reset");
  expect(await clock()).toMatchObject({ status: "ok" });
});

it("svc doctor does not ask the clock of another service than the one it checks", async () => {
  const server = await startServer({ now: () => START });
  await server.control("POST /clock/advance", { by: "61m" });
  const asked: string[] = [];
  const fetch: Fetch = async (url) => {
    asked.push(url);
    const headers = { date: START.toUTCString() };
    return new Response("{}", { headers }) as unknown as Awaited<ReturnType<Fetch>>;
  };
  const env = {
    SVC_PORT: String(await freePort()),
    SVC_BASE_URL: "https://acme.example.com",
    SVC_SECRET_KEY: undefined,
    SVC_CONTROL_URL: server.url,
    SVC_CONTROL_KEY: server.control_key,
  };
  const { checks } = await doctor({ env, fetch });
  expect(checks["clock"]).toMatchObject({ status: "ok" });
  expect(asked).toEqual(["https://acme.example.com/.well-known/openid-configuration"]);
});

it("svc doctor in an empty directory tests a name that exists, and suggests no port that is in use", async () => {
  const port = await portOf(createServer());
  await writeFile(join(cwd, "svc.config.json"), JSON.stringify({ port }));
  const { checks } = await doctor({ env: HERE });
  expect(checks["port"]).toMatchObject({
    status: "warning",
    message: `${port} is in use by another program.`,
    remedy: expect.stringContaining("svc serve --port 0"),
  });
  const { message, remedy = "" } = checks["localhost names"]!;
  expect(message).toContain("api.localhost");
  expect(remedy).not.toMatch(/:\d/);
});

it("svc doctor names the directory of the server that has the port", async () => {
  const other = temporaryDirectory();
  const taken = await portOf(createServer());
  const addresses = { url: `http://localhost:${taken}`, api_url: `http://api.localhost:${taken}` };
  await writeRunning(other, { ...addresses, instances: [] });
  const { checks } = await doctor({ env: { ...HERE, SVC_PORT: String(taken) } });
  const message = `${taken} is in use by the svc server of ${other}, pid ${process.pid}.`;
  expect(checks["port"]).toMatchObject({ status: "warning", message });
});

it("svc doctor tests the name of an instance of the server that runs", async () => {
  const instance = { id: "1", name: "Initech", subdomain: "initech", url: "http://initech.localhost:7911" };
  const keys = { publishable_key: "pk_initech", secret_key: "sk_initech", redirect_uris: [] };
  const addresses = { url: "http://localhost:7911", api_url: "http://api.localhost:7911" };
  await writeRunning(cwd, { ...addresses, instances: [{ ...instance, ...keys }] });
  const { checks } = await doctor({ env: HERE });
  expect(checks["localhost names"]!.message).toContain("initech.localhost");
});

it("svc serve says that its port is in use by svc serve, with the process, where it knows that", async () => {
  const port = await portOf(createServer());
  const addresses = { url: `http://localhost:${port}`, api_url: `http://api.localhost:${port}`, instances: [] };
  const serve = (): ReturnType<typeof runCli> =>
    runCli(["serve", "--port", String(port), "--store", "memory"], { cwd, signal: "SIGINT" });
  expect(await serve()).toMatchObject({
    code: 8,
    stderr: expect.stringMatching(/in use by another process.*--port 0/),
  });
  await writeRunning(cwd, { ...addresses, pid: 4711, identity_secret: "of another server" });
  expect(await serve()).toMatchObject({ code: 8, stderr: expect.stringContaining("in use by another process") });
  await writeRunning(cwd, { ...addresses, pid: 4711 });
  const { code, stderr } = await serve();
  expect(code).toBe(8);
  expect(stderr).toMatch(
    /^✗ Port \d+ is in use by the svc server of \/.*, pid 4711\..*--port 0 takes any that is free\.\n$/,
  );
});
