import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createContext } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { HAS_IPV6 } from "../_ipv6.ts";
import { runningIn } from "../_server-file.ts";
import { serveHere } from "../_serving.ts";

/** Another user's program, which passes on what it gets, and keeps it. */
interface Relay {
  readonly port: number;
  readonly received: string[];
  /** Where it passes it on to, and as which host: by default the one that was asked. */
  target: { hostname: string; port: number; host?: string };
}

async function listenFirst(port = 0, address = "127.0.0.1"): Promise<Relay> {
  const received: string[] = [];
  const server = createServer((message, response) => {
    received.push(`${message.method} ${message.url} ${JSON.stringify(message.headers)}`);
    const { host = message.headers.host, ...to } = relay.target;
    const passed = request({ ...to, method: message.method, path: message.url, headers: { ...message.headers, host } });
    passed.once("error", () => response.destroy());
    passed.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    message.pipe(passed);
  }).listen(port, address);
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const relay: Relay = { port: (server.address() as AddressInfo).port, received, target: { hostname: "", port: 0 } };
  return relay;
}

/** A command in a directory, over real connections. */
async function run(cwd: string, ...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = createContext({ cwd, env: { HOME: cwd } });
  const code = await main(argv, { ...context, fetch: undefined });
  return { code, ...context.written };
}

/** The file as it would be with another port for commands, or for what they send a key to. */
async function rewrite(cwd: string, change: (text: string) => string): Promise<void> {
  const { path, ...file } = runningIn(cwd);
  await writeFile(path, change(JSON.stringify(file)), { mode: 0o600 });
}

const COMMANDS = [["users", "list"], ["dev", "clock"], ["env"], ["whoami"]];

describe("T49: A program that passes a command's challenge on to the server", () => {
  it("is asked nothing where it listens at the public address", async () => {
    const cwd = temporaryDirectory();
    const relay = await listenFirst();
    const publicUrl = `http://localhost:${relay.port}`;
    const { port } = (await serveHere(["--store", "memory", "--public-url", publicUrl], { cwd })).ready;
    relay.target = { hostname: "127.0.0.1", port };
    const { url, api_url, instances } = runningIn(cwd);
    for (const address of [url, api_url, ...instances.map((instance) => instance.url)])
      expect(new URL(address).port).toBe(String(port));
    for (const argv of COMMANDS) expect([argv, (await run(cwd, ...argv)).code]).toEqual([argv, 0]);
    expect(relay.received).toEqual([]);
    // It does pass on what it gets.
    expect((await fetch(`${publicUrl}/__svc/health/live`)).status).toBe(200);
    expect(relay.received).toHaveLength(1);
  });

  it.each<[host: string, hostFor: (port: number) => string | undefined]>([
    ["the host that was asked", () => undefined],
    ["the server's own host", (port) => `localhost:${port}`],
  ])("gets no proof for its own address, and so no key, as %s", async (_, hostFor) => {
    const cwd = temporaryDirectory();
    const relay = await listenFirst();
    const publicUrl = `http://localhost:${relay.port}`;
    const { port } = (await serveHere(["--store", "memory", "--public-url", publicUrl], { cwd })).ready;
    const host = hostFor(port);
    relay.target = { hostname: "127.0.0.1", port, ...(host !== undefined && { host }) };
    await rewrite(cwd, (text) => text.replaceAll(`localhost:${port}`, `localhost:${relay.port}`));
    for (const argv of COMMANDS) expect([argv, (await run(cwd, ...argv)).code]).toEqual([argv, 7]);
    expect(relay.received.length).toBeGreaterThan(0);
    expect(relay.received.filter((line) => !line.startsWith("GET /__svc/identity?"))).toEqual([]);
    expect(relay.received.join("")).not.toMatch(/sk_|ctl_/);
  });

  it("gets no key where the server has proved another of its addresses", async () => {
    const cwd = temporaryDirectory();
    const relay = await listenFirst();
    const { port } = (await serveHere(["--store", "memory"], { cwd })).ready;
    relay.target = { hostname: "127.0.0.1", port };
    await rewrite(cwd, (text) => text.replaceAll(`.localhost:${port}`, `.localhost:${relay.port}`));
    expect((await run(cwd, "users", "list")).code).toBe(7);
    expect(relay.received).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")(
    "gets no proof for localhost from a server that listens elsewhere",
    async () => {
      const cwd = temporaryDirectory();
      const port = await freePort();
      const beyond = ["--host", "127.0.0.2", "--public-url", "https://auth.example.test", "--providers", "simulated"];
      await serveHere(["--store", "memory", "--control", "--drain", "0", "--port", String(port), ...beyond], { cwd });
      const relays = [await listenFirst(port), ...(HAS_IPV6 ? [await listenFirst(port, "::1")] : [])];
      for (const relay of relays) relay.target = { hostname: "127.0.0.2", port };
      for (const argv of COMMANDS) expect([argv, (await run(cwd, ...argv)).code]).toEqual([argv, 7]);
      const received = relays.flatMap((relay) => relay.received);
      expect(received.length).toBeGreaterThan(0);
      expect(received.filter((line) => !line.startsWith("GET /__svc/identity?"))).toEqual([]);
    },
  );
});
