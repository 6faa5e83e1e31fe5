import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { memoryKeyring, runCli, type CliOptions } from "../_cli.ts";
import { startServer } from "../_control.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { writeRunning } from "../_server-file.ts";
import { START } from "../_setup.ts";

interface Found {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly remedy?: string;
}

async function doctor(options: CliOptions): Promise<Record<string, Found>> {
  const { env, ...rest } = options;
  const { stdout } = await runCli(["doctor", "--json"], {
    keyring: memoryKeyring(),
    env: { HOME: "/nowhere", ...env },
    ...rest,
  });
  const { checks } = JSON.parse(stdout) as { checks: Found[] };
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

/** A port that another program has. */
async function takenPort(): Promise<number> {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  return (other.address() as AddressInfo).port;
}

it("svc doctor reads the service's own clock, and says how to set it back", async () => {
  const server = await startServer({ now: () => START });
  const [acme] = server.instances;
  const env = {
    SVC_BASE_URL: server.url,
    SVC_SECRET_KEY: acme!.secret_key,
    SVC_CONTROL_URL: server.url,
    SVC_CONTROL_KEY: server.control_key,
  };
  const options = { env, cwd: temporaryDirectory(), fetch: globalThis.fetch as unknown as Fetch };
  expect((await doctor(options))["clock"]).toMatchObject({ status: "ok", message: "agrees with the service's" });
  await server.control("POST /clock/advance", { by: "61m" });
  expect((await doctor(options))["clock"]).toMatchObject({
    status: "warning",
    message: expect.stringContaining("shows 2026-06-01T13:01:00.000Z"),
    remedy: "Reset it to real time with: svc dev clock reset",
  });
  await server.control("POST /clock/freeze", { at: START.toISOString() });
  expect((await doctor(options))["clock"]).toMatchObject({ status: "warning" });
  await server.control("POST /clock/reset");
  expect((await doctor(options))["clock"]).toMatchObject({ status: "ok" });
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
    SVC_CONTROL_URL: server.url,
    SVC_CONTROL_KEY: server.control_key,
  };
  const { clock } = await doctor({ env, cwd: temporaryDirectory(), fetch });
  expect(clock).toMatchObject({ status: "ok" });
  expect(asked).toEqual(["https://acme.example.com/.well-known/openid-configuration"]);
});

it("svc doctor in an empty directory tests a name that exists, and suggests no port that is in use", async () => {
  const cwd = temporaryDirectory();
  const port = await takenPort();
  await writeFile(join(cwd, "svc.config.json"), JSON.stringify({ port }));
  const found = await doctor({ cwd });
  expect(found["port"]).toMatchObject({ status: "warning", remedy: expect.stringContaining("svc serve --port 0") });
  const { message, remedy = "" } = found["localhost names"]!;
  expect(message).toContain("api.localhost");
  expect(remedy).not.toMatch(/:\d/);
});

it("svc doctor names the directory of the server that has the port", async () => {
  const other = temporaryDirectory();
  const taken = await takenPort();
  const addresses = { url: `http://localhost:${taken}`, api_url: `http://api.localhost:${taken}` };
  await writeRunning(other, { ...addresses, instances: [] });
  const { port } = await doctor({ cwd: temporaryDirectory(), env: { SVC_PORT: String(taken) } });
  const message = `${taken} is in use by the svc server of ${other}, pid ${process.pid}.`;
  expect(port).toMatchObject({ status: "warning", message });
});

it("svc doctor tests the name of an instance of the server that runs", async () => {
  const cwd = temporaryDirectory();
  const instance = { id: "1", name: "Initech", subdomain: "initech", url: "http://initech.localhost:7911" };
  const keys = { publishable_key: "pk_initech", secret_key: "sk_initech", redirect_uris: [] };
  const addresses = { url: "http://localhost:7911", api_url: "http://api.localhost:7911" };
  await writeRunning(cwd, { ...addresses, instances: [{ ...instance, ...keys }] });
  const found = await doctor({ cwd });
  expect(found["localhost names"]!.message).toContain("initech.localhost");
});

it("svc serve says that its port is in use by svc serve, with the process, where it knows that", async () => {
  const cwd = temporaryDirectory();
  const port = await takenPort();
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
