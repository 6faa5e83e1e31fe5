// Below the faces: a pure rule; test/server/serve.test.ts sends such headers.
import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { createClientAddress, createIsProxy } from "../../src/server/http/client-address.ts";
import { createStartLimit } from "../../src/server/sign-in/start-limit.ts";
import { APP, Clock } from "../_setup.ts";
import { followSignIn, startServer } from "../_control.ts";

const PROXY = "127.0.0.1";

/** The client's address by what a trusted proxy on this machine sends. */
function clientOf(forwarded: string): string {
  const message = { headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress: PROXY } };
  return createClientAddress(createIsProxy([PROXY]))(message as unknown as IncomingMessage);
}

it.each([
  ["9.9.9.9", "9.9.9.9"],
  ["9.9.9.9:5555", "9.9.9.9"],
  ["::ffff:9.9.9.9", "9.9.9.9"],
  ["::FFFF:909:909", "9.9.9.9"],
  ["0:0:0:0:0:ffff:9.9.9.9", "9.9.9.9"],
  ["[::ffff:9.9.9.9]:443", "9.9.9.9"],
  ["2001:db8::1", "2001:db8::1"],
  ["2001:DB8:0:0:0::1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["6.6.6.6, 9.9.9.9:1, 127.0.0.1:2, ::ffff:127.0.0.1,", "9.9.9.9"],
])("T32: a client has one address, however a trusted proxy writes it: %s", (forwarded, address) => {
  expect(clientOf(forwarded)).toBe(address);
});

it.each([
  "unknown",
  "1.2.3.4, unknown",
  "1.2.3.4, _hidden",
  "1.2.3.4:x",
  "[1.2.3.4",
  "1.2.3",
  "::1::",
  "",
  "1.2.3.4, x:1",
])("T32: what a client writes before an entry that is no address is not trusted: %s", (forwarded) => {
  expect(clientOf(forwarded)).toBe(PROXY);
});

it.each([
  ["mapped to IPv6", "::ffff:9.9.9.9", "::ffff:8.8.8.8"],
  ["mapped to IPv6 in hexadecimal", "::ffff:909:909", "::ffff:808:808"],
  ["with a port", "1.2.3.4:1000", "5.6.7.8:2000"],
])("T42: a client at one IPv4 address can't use up the sign-ins of another: %s", (_, attacker, other) => {
  const limit = createStartLimit(new Clock().now, () => undefined);
  for (let i = 0; i < 2_000; i++) limit.add(clientOf(attacker), `${i}`);
  expect(() => limit.add(clientOf(attacker), "another")).toThrow("too_many_sign_ins");
  expect(limit.add(clientOf(other), "another")).toBeUndefined();
});

it("T42: a client can't have more sign-ins by writing its port differently", () => {
  const limit = createStartLimit(new Clock().now, () => undefined);
  for (let i = 0; i < 2_000; i++) limit.add(clientOf(`1.2.3.4:${i}`), `${i}`);
  expect(() => limit.add(clientOf("1.2.3.4:9999"), "another")).toThrow("too_many_sign_ins");
});

it("A peer that sends X-Forwarded-For and is not trusted is named once, with the flag that trusts it", async () => {
  const warnings: string[] = [];
  const ofPeer = createClientAddress(createIsProxy(["10.0.0.1"]), (message) => warnings.push(message));
  const message = (remoteAddress: string, headers: object): string =>
    ofPeer({ headers, socket: { remoteAddress } } as unknown as IncomingMessage);
  const forwarded = { "x-forwarded-for": "9.9.9.9" };
  message("10.0.0.3", {});
  message("10.0.0.1", forwarded);
  expect(warnings).toEqual([]);
  expect([message("::ffff:10.0.0.2", forwarded), message("10.0.0.3", forwarded)]).toEqual(["10.0.0.2", "10.0.0.3"]);
  expect(warnings).toEqual([
    "10.0.0.2 sends X-Forwarded-For. If it is a proxy of yours, add --trust-proxy 10.0.0.2: until then all of its users are one client to svc.",
  ]);
});

it("T32: a session behind a trusted proxy has the client's address without its port", async () => {
  const server = await startServer({ trustProxy: [PROXY, "::1"] });
  const start = `${server.url}/oauth/authorize?provider=google&login_hint=ada&redirect_uri=${APP}`;
  await followSignIn(start, { "x-forwarded-for": "[::ffff:203.0.113.9]:4711", "user-agent": "test" });
  const { body } = await server.control("GET /sessions?limit=1");
  expect(body[0].data.ip_address).toBe("203.0.113.9");
});
