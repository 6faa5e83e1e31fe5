import { createHmac } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { checkToken, type TokenResult } from "../../src/client/verify.ts";
import { startServer, type ControlledServer } from "../_control.ts";

const KEY = "ctl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
let said: unknown[][];

beforeEach(() => {
  said = vi.spyOn(console, "warn").mockImplementation(() => {}).mock.calls;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, Symbol.for("svc-identity.service-clock"));
});

function follow(url: string, key = KEY): void {
  vi.stubEnv("SVC_CONTROL_URL", url);
  vi.stubEnv("SVC_CONTROL_KEY", key);
}

/** What an attacker runs on the machine, or a file of a repository names. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Expired {
  readonly server: ControlledServer;
  readonly secretKey: string;
  readonly instance: string;
  /** A token that expired an hour ago by this machine's clock. */
  readonly token: string;
  /** When it was valid. */
  readonly validAt: string;
}

async function expired(): Promise<Expired> {
  const server = await startServer();
  const { secret_key: secretKey, id: instance } = server.instances[0]!;
  const then = new Date(Date.now() - 2 * 3_600_000).toISOString();
  await server.control("POST /clock/set", { at: then });
  const { body } = await server.control("POST /sign-ins", { as: "ada" });
  await server.control("POST /clock/reset");
  return { server, secretKey, instance, token: body.token, validAt: then };
}

const expectExpired = (result: TokenResult): void =>
  expect(result).toMatchObject({ ok: false, error: { code: "token_expired" } });

it("T68: an answer that no secret key proves leaves an expired token expired", async () => {
  const { secretKey, token, validAt: then } = await expired();
  const proofs: Record<string, (nonce: string) => unknown> = {
    none: () => undefined,
    "of another type": () => 5,
    "that is not base64url": () => "%%%",
    "by the control key": (nonce) => createHmac("sha256", KEY).update(`svc clock ${nonce} ${then}`).digest("base64url"),
    "by an empty key": (nonce) => createHmac("sha256", "").update(`svc clock ${nonce} ${then}`).digest("base64url"),
    "that is the token's own signature": () => token.split(".")[2],
  };
  for (const prove of Object.values(proofs)) {
    const url = await listen((request, response) => {
      const nonce = new URL(request.url ?? "", "http://x").searchParams.get("nonce") ?? "";
      response.end(JSON.stringify({ now: then, proof: prove(nonce) }));
    });
    follow(url);
    expectExpired(await checkToken(token, { secretKey }));
  }
  expect(said.join()).toContain("Tokens are verified by this machine's clock, and not by that of SVC_CONTROL_URL");
});

it("T68: a proof that was given before proves nothing", async () => {
  const { server, secretKey, instance, token, validAt: then } = await expired();
  await server.control("POST /clock/set", { at: then });
  const { body } = await server.control(`GET /clock/proof?nonce=${"n".repeat(32)}&instance=${instance}`);
  expect(body.now).toContain(then.slice(0, 13));
  follow(await listen((_, response) => response.end(JSON.stringify(body))));
  expectExpired(await checkToken(token, { secretKey }));
});

it("T68: a service that signs for another application does not decide about this one's tokens", async () => {
  const { server, token, secretKey, validAt: then } = await expired();
  const other = await startServer();
  await other.control("POST /clock/set", { at: then });
  follow(other.url);
  expectExpired(await checkToken(token, { secretKey }));
  // One with the right key does.
  await server.control("POST /clock/set", { at: then });
  follow(server.url);
  expect(await checkToken(token, { secretKey })).toMatchObject({ ok: true });
});

it("T68: an address beyond this machine is never asked, nor is one without a key", async () => {
  const { secretKey, token } = await expired();
  const fetched = vi.spyOn(globalThis, "fetch");
  for (const url of [
    "http://192.0.2.1:7820",
    "https://clock.evil.test",
    "http://localhost.evil.test",
    "nonsense",
    "",
  ]) {
    follow(url);
    expectExpired(await checkToken(token, { secretKey }));
  }
  follow("http://127.0.0.1:9", "");
  expectExpired(await checkToken(token, { secretKey }));
  expect(fetched).not.toHaveBeenCalled();
  expect(said).toEqual([]);
});

it.each<[what: string, listener: RequestListener]>([
  ["redirects elsewhere", (_, response) => response.writeHead(302, { location: "http://192.0.2.1/" }).end()],
  ["never stops answering", (_, response) => void setInterval(() => response.write("x".repeat(1000)), 1).unref()],
  ["ends the connection", (request) => void request.socket.destroy()],
])("T68: a program at the address that %s changes nothing, and is left alone for a while", async (_, listener) => {
  const { secretKey, token, server } = await expired();
  let asked = 0;
  const url = await listen((request, response) => {
    asked++;
    expect(request.headers.authorization).toBeUndefined();
    listener(request, response);
  });
  follow(url);
  expectExpired(await checkToken(token, { secretKey }));
  expectExpired(await checkToken(token, { secretKey }));
  expect(asked).toBe(1);
  expect(server.control_key).not.toBe("");
  expect(said).toHaveLength(1);
});

it("T68: a token that the key did not sign causes no request", async () => {
  const { secretKey, token, server } = await expired();
  follow(server.url);
  const fetched = vi.spyOn(globalThis, "fetch");
  expect(await checkToken(`${token}x`, { secretKey })).toMatchObject({ ok: false });
  expect(await checkToken("a.b.c", { secretKey })).toMatchObject({ ok: false });
  expect(fetched).not.toHaveBeenCalled();
});
