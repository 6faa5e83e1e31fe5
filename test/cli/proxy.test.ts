// Below the faces: which proxy is for which address is a rule of many rows.
import { createServer, type RequestListener } from "node:http";
import { expect, it } from "vitest";
import { proxyOf } from "../../src/network/proxy.ts";
import { main } from "../../src/cli/main.ts";
import { createContext } from "../_cli.ts";
import { KEY } from "../_client.ts";
import { portOf } from "../_port-of.ts";

const PROXY = "http://proxy.test:8080";

it.each<[address: string, env: Record<string, string>, proxy: string | undefined]>([
  ["https://acme.test", {}, undefined],
  ["https://acme.test", { HTTPS_PROXY: PROXY }, PROXY],
  ["https://acme.test", { https_proxy: PROXY, HTTPS_PROXY: "http://other.test" }, PROXY],
  ["https://acme.test", { HTTP_PROXY: PROXY }, PROXY],
  ["http://acme.test", { HTTPS_PROXY: PROXY }, undefined],
  ["https://acme.test", { HTTPS_PROXY: "127.0.0.1:7971" }, "http://127.0.0.1:7971"],
  ["https://acme.test", { HTTPS_PROXY: "proxy.test:8080" }, PROXY],
  ["https://acme.test", { HTTPS_PROXY: "https://u:p@proxy.test" }, "https://u:p@proxy.test"],
  ["http://localhost:7820", { HTTP_PROXY: PROXY }, undefined],
  ["http://acme.localhost:7820", { HTTP_PROXY: PROXY }, undefined],
  ["https://127.8.8.8", { HTTPS_PROXY: PROXY }, undefined],
  ["http://[::1]:7820", { HTTP_PROXY: PROXY }, undefined],
])("The proxy for %s by %j is %s", (address, env, proxy) => {
  expect(proxyOf(address, env)).toBe(proxy);
});

it.each<[list: string, exempt: string[], others: string[]]>([
  ["*", ["https://acme.test", "https://10.1.2.3"], []],
  ["acme.test", ["https://acme.test", "https://a.acme.test"], ["https://notacme.test", "https://acme.test.evil.test"]],
  [".acme.test", ["https://acme.test", "https://a.acme.test"], ["https://b.test"]],
  ["*.acme.test", ["https://a.acme.test"], ["https://b.test"]],
  ["a.test, ACME.test", ["https://acme.test"], ["https://b.test"]],
  ["acme.test:8443", ["https://acme.test:8443"], ["https://acme.test"]],
  ["acme.test:443", ["https://acme.test"], ["http://acme.test", "https://acme.test:8443"]],
  ["10.0.0.0/8", ["https://10.1.2.3", "http://10.255.255.255"], ["https://11.0.0.1", "https://10.acme.test"]],
  ["10.1.2.3", ["https://10.1.2.3"], ["https://10.1.2.4", "https://1.10.1.2.3.test"]],
  ["192.168.4.0/22", ["https://192.168.7.255"], ["https://192.168.8.0"]],
  ["fd00::/8", ["https://[fd12::1]"], ["https://[fe80::1]", "https://253.0.0.1"]],
  ["[fd00::1]", ["https://[fd00::1]"], ["https://[fd00::2]"]],
  ["0.0.0.0/0", ["https://8.8.8.8"], ["https://acme.test", "https://[fd00::1]"]],
  ["10.0.0.0/33,10.0.0.0/x,/8,10.0.0.0/,,", [], ["https://10.0.0.1", "https://acme.test"]],
])("NO_PROXY=%s exempts %j, and not %j", (list, exempt, others) => {
  const isExempt = (address: string): boolean =>
    proxyOf(address, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: list }) === undefined;
  expect(exempt.filter((address) => !isExempt(address))).toEqual([]);
  expect(others.filter(isExempt)).toEqual([]);
});

/** A server on its own port, and what it is asked to connect to. */
async function serverOf(listener: RequestListener): Promise<{ port: number; connects: string[] }> {
  const connects: string[] = [];
  const server = createServer(listener).on("connect", ({ url }, socket) => {
    connects.push(url!);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  return { port: await portOf(server), connects };
}

async function listUsers(env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const context = createContext({ env: { SVC_SECRET_KEY: KEY, SVC_RETRIES: "0", SVC_TIMEOUT: "1", ...env } });
  return { code: await main(["users", "list"], { ...context, fetch: undefined }), stderr: context.written.stderr };
}

it("A proxy without a scheme is asked, but not for an address in a network of NO_PROXY", async () => {
  const { port, connects } = await serverOf((_, response) => response.end());
  const env = { HTTPS_PROXY: `127.0.0.1:${port}`, SVC_BASE_URL: "https://10.255.255.1" };
  // undici is loaded with the first request.
  const { code, stderr } = await listUsers({ ...env, SVC_TIMEOUT: "60" });
  expect([code, stderr]).toEqual([
    7,
    expect.stringContaining(`through the proxy 127.0.0.1:${port} of HTTPS_PROXY (502)`),
  ]);
  expect(connects).toEqual(["10.255.255.1:443"]);
  expect((await listUsers({ ...env, NO_PROXY: "10.0.0.0/8" })).code).toBe(7);
  expect(connects).toHaveLength(1);
});

it("A proxy that hangs up is asked once for each try, and named", async () => {
  let asked = 0;
  const server = createServer().on("connect", (_, socket) => {
    asked++;
    socket.end();
  });
  const port = await portOf(server);
  const env = { http_proxy: `http://127.0.0.1:${port}`, SVC_BASE_URL: "https://acme.invalid" };
  // undici is loaded with the first request.
  const { code, stderr } = await listUsers({ ...env, SVC_TIMEOUT: "60" });
  expect([code, stderr]).toEqual([
    7,
    expect.stringContaining(`through the proxy 127.0.0.1:${port} of http_proxy (ECONNRESET).\n  Check http_proxy`),
  ]);
  expect(asked).toBe(1);
});

it("A proxy that is not an address is named, and where it is set", async () => {
  const { code, stderr } = await listUsers({ HTTPS_PROXY: "http://a b", SVC_BASE_URL: "https://acme.invalid" });
  expect([code, stderr]).toEqual([7, expect.stringContaining("HTTPS_PROXY is not an address.")]);
});

it("T15: A secret key for *.localhost goes to this machine, whatever the proxy is", async () => {
  const proxy = await serverOf((_, response) => response.end());
  const keys: unknown[] = [];
  const { port } = await serverOf(({ headers }, response) => {
    keys.push(headers["x-service-secret-key"]);
    response.end("[]");
  });
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, SVC_BASE_URL: `http://acme.localhost:${port}` };
  expect((await listUsers(env)).code).toBe(0);
  expect([keys, proxy.connects]).toEqual([[KEY], []]);
});
