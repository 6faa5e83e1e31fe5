import { spawn, type ChildProcess } from "node:child_process";
import { createHmac, generateKeyPairSync, randomBytes, sign as signWith } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkToken } from "../src/client/verify.ts";
import { createClient } from "../src/client/index.ts";
import { parseConfig } from "../src/server/config.ts";
import { parseSeed } from "../src/server/seed/index.ts";
import { serve, type RunningServer, type ServeOptions } from "../src/server/serve.ts";
import type { Fetch } from "../src/wire/fetch.ts";
import type { Provider } from "../src/wire/names.ts";
import { runCli } from "./_cli.ts";
import { APP, decodePart, encodePart, FRONT, SEED, setup, START, type Service } from "./_setup.ts";

const ADA = "00000000-0000-4000-8000-0000000000a1";
const NOBODY = "00000000-0000-4000-8000-00000000dead";
const VERIFY = "/api/v1/tokens/verify";
const NOW = START.getTime() / 1000;
const BIN = fileURLToPath(new URL("../bin/svc.js", import.meta.url));
/** What a browser can't leave out. */
const BROWSER = { "user-agent": "Mozilla/5.0", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

type Instance = Service["acme"];
type Answered = [status: number, body: unknown];

async function answer(response: Response): Promise<Answered> {
  const text = await response.text();
  return [response.status, text === "" ? "" : JSON.parse(text)];
}

function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "svc-security-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function seedFile(seed: object = SEED): string {
  const path = join(temporaryDirectory(), "seed.json");
  writeFileSync(path, JSON.stringify(seed));
  return path;
}

/** The service on a socket of its own. */
async function listening(options: ServeOptions = {}): Promise<RunningServer> {
  const server = await serve({ port: 0, store: "memory", seed: seedFile(), ...options });
  onTestFinished(() => server.close());
  return server;
}

interface Ask {
  method?: string;
  /** Goes out as it is: dots, escapes and backslashes stay. */
  path: string;
  host?: string;
  /** Name, value, name, value: a name may come twice. */
  headers?: readonly string[];
  body?: string;
}
interface Told {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request on a connection of its own. */
function ask(
  port: number,
  { method = "GET", path, host = `localhost:${port}`, headers = [], body }: Ask,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const lines = ["Host", host, "Connection", "close", ...headers];
    if (body !== undefined) lines.push("Content-Length", String(Buffer.byteLength(body)));
    const out = request(
      { host: "127.0.0.1", port, method, path, headers: lines as never, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    out.on("error", reject).end(body);
  });
}

/** A sign-in up to the callback's address, which is not asked yet. */
async function begun(
  { fetch }: Service,
  {
    provider = "google",
    as = "ada",
    headers = {},
  }: { provider?: Provider; as?: string; headers?: Record<string, string> } = {},
): Promise<{ callback: string; cookie: string; state: string }> {
  const query = new URLSearchParams({ provider, redirect_uri: APP, login_hint: as });
  const start = await fetch(`/oauth/authorize?${query.toString()}`, { headers });
  const authorize = start.headers.get("location") ?? "";
  const callback = (await fetch(authorize, { headers })).headers.get("location") ?? "";
  const cookie = (start.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { callback, cookie, state: new URL(callback).searchParams.get("state") ?? "" };
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body: string;
}
interface LoopbackProvider {
  readonly origin: string;
  /** All that the service sent. */
  readonly received: string[];
  /** In place of a good answer; "reset" cuts the connection. */
  reply: (path: string, received: string) => Reply | "reset" | undefined;
}

const random = (): string => randomBytes(24).toString("base64url");
/** Secrets that resemble nothing else. */
const SECRET = `sk_canary${random()}`;
const CLIENT_SECRET = `canary${random()}`;
const ACCESS_TOKEN = `canary${random()}`;
const REFRESH_TOKEN = `canary${random()}`;

/** All three providers' endpoints on this machine, so that the code for real ones is what runs. */
async function openProvider(): Promise<LoopbackProvider> {
  const good: Record<string, object> = {
    "/token": { access_token: ACCESS_TOKEN, refresh_token: REFRESH_TOKEN, expires_in: 3600 },
    "/userinfo": { sub: "7001", email: "joan@acme.test", email_verified: true, name: "Joan Clarke" },
    "/user": { id: 7002, login: "joan", name: "Joan Clarke", avatar_url: null },
    "/emails": [{ email: "joan@acme.test", primary: true, verified: true }],
    "/me": { data: { id: "7003", username: "joan", name: "Joan Clarke" } },
  };
  const server = createServer((message, response) => {
    let body = "";
    message.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    message.on("end", () => {
      const path = message.url ?? "";
      const received = `${JSON.stringify(message.headers)} ${body}`;
      provider.received.push(received);
      const reply = provider.reply(path, received) ?? { body: JSON.stringify(good[path]) };
      if (reply === "reset") return void message.socket.destroy();
      return void response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const provider: LoopbackProvider = { origin: `http://127.0.0.1:${port}`, received: [], reply: () => undefined };
  return provider;
}

function connectionsTo({ origin }: LoopbackProvider): Record<Provider, object> {
  const to = (...names: string[]): object => ({
    client_id: "svc-test",
    client_secret: CLIENT_SECRET,
    endpoints: Object.fromEntries(["authorize", "token", ...names].map((name) => [name, `${origin}/${name}`])),
  });
  return { google: to("userinfo"), github: to("user", "emails"), twitter: to("me") };
}

/** The seed, where Acme is connected to that provider. */
function connected(provider: LoopbackProvider, changes: object = {}): object {
  const [acme, globex] = SEED.instances;
  return { ...SEED, instances: [{ ...acme, connections: connectionsTo(provider), ...changes }, globex] };
}

const network: Fetch = (url, init) => globalThis.fetch(url, init) as ReturnType<Fetch>;

function locationOf(response: Response): URL {
  return new URL(response.headers.get("location") ?? "about:blank");
}

const BAD_STATE: Answered = [400, { error: "Invalid or expired state" }];

describe("redirects, states and browsers", () => {
  it.each([
    ["another site", "https://evil.example/callback"],
    ["another path", "http://localhost:3000/callback/../steal"],
    ["one character more", "http://localhost:3000/callback/"],
    ["another query", "http://localhost:3000/callback?next=https://evil.example"],
    ["another case", "http://localhost:3000/CALLBACK"],
    ["another scheme", "https://localhost:3000/callback"],
    ["another loopback name", "http://127.0.0.1:3000/callback"],
    ["a name that begins alike", "http://localhost.evil.example:3000/callback"],
    ["a user name that looks like the host", "http://localhost:3000@evil.example/callback"],
    ["a backslash", "http://localhost:3000\\@evil.example/callback"],
    ["no scheme", "//evil.example/callback"],
    ["a script", "javascript:alert(1)//http://localhost:3000/callback"],
    ["a header of its own", "http://localhost:3000/callback\r\nLocation: https://evil.example"],
    ["a fragment", "http://localhost:3000/callback#@evil.example"],
    ["nothing", ""],
  ])("T01: a token goes nowhere but to a registered address: not to %s", async (_, redirect_uri) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ provider: "google", redirect_uri, instance: "globex", login_hint: "ada" });
    for (const path of [
      "http://globex.localhost:7820/oauth/authorize",
      "http://globex.localhost:7820/sign-in",
      "/__svc/begin",
    ]) {
      for (const headers of [{}, BROWSER]) {
        const response = await fetch(`${path}?${query.toString()}`, { headers });
        expect([response.status, response.headers.get("location")]).toEqual([400, null]);
      }
    }
  });

  it("T01: at an address that the network can reach, nothing registered means nothing allowed", async () => {
    const { fetch } = await setup({ isLocal: false });
    for (const redirect_uri of [APP, "https://evil.example/callback"]) {
      const response = await fetch(
        `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri }).toString()}`,
      );
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    }
  });

  it("T02: the answer that carries the token says so to no cache, no referrer and no page", async () => {
    const service = await setup();
    const { callback, cookie } = await begun(service, { headers: BROWSER });
    const response = await service.fetch(callback, { headers: { ...BROWSER, cookie } });
    expect([response.status, await response.text()]).toEqual([302, ""]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      pragma: "no-cache",
      "referrer-policy": "no-referrer",
      location: expect.stringMatching(/^http:\/\/localhost:3000\/callback\?token=[\w-]+\.[\w-]+\.[\w-]{43}$/) as string,
    });
  });

  it("T02: a token that was in the application's address already is not passed on for ours", async () => {
    const { signIn } = await setup();
    const { href, searchParams } = await signIn("google", "ada", {
      redirect_uri: `${APP}?a=%2f&token=theirs&t%6Fken=too&b`,
    });
    expect(href).toBe(`${APP}?a=%2f&b&token=${searchParams.get("token")}`);
  });

  describe("T03: a sign-in is finished in the browser that began it, or not at all", () => {
    it.each<[string, (own: string, other: string) => string | undefined]>([
      ["with no cookie", () => undefined],
      ["with another sign-in's cookie", (_own, other) => other],
      ["with another sign-in's secret under its name", (own, other) => `${own.split("=")[0]}=${other.split("=")[1]}`],
      ["with an empty cookie", (own) => `${own.split("=")[0]}=`],
      ["with half of the cookie", (own) => own.slice(0, -10)],
      ["with a wrong cookie before the right one", (own) => `${own.split("=")[0]}=x; ${own}`],
    ])("%s", async (_, jar) => {
      const service = await setup();
      const victims = await begun(service, { headers: BROWSER });
      const attackers = await begun(service, { headers: BROWSER });
      const cookie = jar(victims.cookie, attackers.cookie);
      const forged = await service.fetch(victims.callback, { headers: { ...BROWSER, ...(cookie && { cookie }) } });
      expect(await answer(forged)).toEqual(BAD_STATE);
      const retry = await service.fetch(victims.callback, { headers: { ...BROWSER, cookie: victims.cookie } });
      expect(await answer(retry)).toEqual(BAD_STATE);
    });

    it("nor by a browser where it was begun without one", async () => {
      const service = await setup();
      const { callback } = await begun(service);
      for (const headers of [{ "user-agent": "Mozilla/5.0" }, { "sec-fetch-site": "cross-site" }]) {
        expect(await answer(await service.fetch(callback, { headers }))).toEqual(BAD_STATE);
      }
    });

    it("while two in one browser do not disturb each other", async () => {
      const service = await setup();
      const [first, second] = [
        await begun(service, { headers: BROWSER }),
        await begun(service, { headers: BROWSER, as: "mary" }),
      ];
      const headers = { ...BROWSER, cookie: `${first.cookie}; ${second.cookie}` };
      for (const { callback } of [second, first]) {
        expect(locationOf(await service.fetch(callback, { headers })).searchParams.has("token")).toBe(true);
      }
    });
  });

  it("T04: of fifty callbacks with one state one reaches the provider", async () => {
    const service = await setup({ credentials: { google: { client_id: "id", client_secret: "secret" } } });
    const start = await service.fetch(
      `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP }).toString()}`,
    );
    const state = locationOf(start).searchParams.get("state");
    const callback = (): Promise<Response> => service.fetch(`/oauth/google/callback?code=c&state=${state}`);
    const answers = await Promise.all(Array.from({ length: 50 }, callback));
    expect(answers.map((response) => response.status).toSorted()).toEqual([
      302,
      ...Array.from({ length: 49 }, () => 400),
    ]);
    expect(service.log.failures).toEqual(["google: temporarily_unavailable: google could not be reached"]);
  });

  it("T04: a state is gone after a callback that failed", async () => {
    const service = await setup();
    const { callback, state } = await begun(service);
    const denied = await service.fetch(`/oauth/google/callback?error=access_denied&state=${state}`);
    expect(locationOf(denied).searchParams.get("error")).toBe("access_denied");
    expect(await answer(await service.fetch(callback))).toEqual(BAD_STATE);
  });

  it("T05: states are 64 hexadecimal characters that never come twice", async () => {
    const { fetch } = await setup();
    const states = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const start = await fetch(
        `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP }).toString()}`,
      );
      states.add(locationOf(start).searchParams.get("state") ?? "");
    }
    expect([...states].filter((state) => /^[0-9a-f]{64}$/.test(state))).toHaveLength(500);
  });

  it("T05: a state is good for ten minutes and not a second more, and in no other spelling", async () => {
    const service = await setup();
    const [early, late, spelt] = [await begun(service), await begun(service), await begun(service)];
    for (const state of [
      spelt.state.toUpperCase(),
      spelt.state.slice(1),
      `${spelt.state}0`,
      ` ${spelt.state}`,
      "",
      "__proto__",
      `${spelt.state}\n`,
    ]) {
      const response = await service.fetch(
        `/oauth/google/callback?${new URLSearchParams({ code: "c", state }).toString()}`,
      );
      expect(await answer(response)).toEqual(BAD_STATE);
    }
    service.clock.advance(599);
    expect(locationOf(await service.fetch(early.callback)).searchParams.has("token")).toBe(true);
    service.clock.advance(1);
    expect(await answer(await service.fetch(late.callback))).toEqual(BAD_STATE);
  });

  describe("T07: the code challenge can't be dropped, weakened or replaced", () => {
    it.each<[string, (authorize: URL) => void]>([
      [
        "dropped",
        ({ searchParams }) => ["code_challenge", "code_challenge_method"].forEach((name) => searchParams.delete(name)),
      ],
      ["sent plain", ({ searchParams }) => searchParams.set("code_challenge_method", "plain")],
      ["without its method", ({ searchParams }) => searchParams.delete("code_challenge_method")],
    ])("%s: the provider refuses", async (_, change) => {
      const { fetch } = await setup();
      const query = new URLSearchParams({ provider: "twitter", redirect_uri: APP, login_hint: "ada" });
      const authorize = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
      expect(authorize.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
      expect(authorize.searchParams.get("code_challenge_method")).toBe("S256");
      change(authorize);
      expect((await fetch(authorize.href)).status).toBe(400);
    });

    it("replaced by an attacker's own: the code is worth nothing", async () => {
      const { fetch, log } = await setup();
      const query = new URLSearchParams({ provider: "twitter", redirect_uri: APP, login_hint: "ada" });
      const authorize = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
      authorize.searchParams.set("code_challenge", "A".repeat(43));
      const callback = locationOf(await fetch(authorize.href));
      const back = locationOf(await fetch(callback.href)).searchParams;
      expect([back.get("error"), back.get("token")]).toEqual(["server_error", null]);
      expect(log.failures).toEqual(["twitter: server_error: twitter answered with status 400"]);
    });
  });
});

function encode(part: unknown): string {
  return typeof part === "string" ? Buffer.from(part).toString("base64url") : encodePart(part);
}

/** Signs by hand: with the right key or a wrong one, whatever the text is. */
function sign(key: string, payload: unknown, header: unknown = { alg: "HS256", typ: "JWT" }, hash = "sha256"): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac(hash, key).update(text).digest("base64url")}`;
}

function claimsOf(instance: Instance, changes: object = {}): object {
  const { id: instance_id, app_id } = instance;
  const user = { sub: ADA, email: "ada@acme.test", name: "Ada", avatar_url: "", provider: "google" };
  return { iss: "svc", ...user, instance_id, app_id, iat: NOW, exp: NOW + 3600, ...changes };
}

function without(claims: object, name: string): object {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
}

/** Signed by a key pair of the attacker's, whose public half some verifiers take from the header. */
function signAsymmetric(alg: "RS256" | "ES256" | "PS256", claims: object, more: object = {}): string {
  const { privateKey, publicKey } =
    alg === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  const text = `${encodePart({ alg, typ: "JWT", jwk: publicKey.export({ format: "jwk" }), ...more })}.${encodePart(claims)}`;
  return `${text}.${signWith("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

type Verdict = "Token invalid" | "Token invalid signature" | "Token expired" | "Token does not belong to this instance";
type Forge = (acme: Instance, globex: Instance) => string;

const FORGERIES: [name: string, forge: Forge, verdict: Verdict][] = [
  ["alg none, unsigned", (a) => `${encodePart({ alg: "none" })}.${encodePart(claimsOf(a))}.`, "Token invalid"],
  ["alg None with a signature", (a) => sign("x", claimsOf(a), { alg: "None" }), "Token invalid"],
  ["alg nOnE, signed by our key", (a) => sign(a.secret_key, claimsOf(a), { alg: "nOnE" }), "Token invalid"],
  ["no alg", (a) => sign(a.secret_key, claimsOf(a), { typ: "JWT" }), "Token invalid"],
  ["HS384", (a) => sign(a.secret_key, claimsOf(a), { alg: "HS384" }, "sha384"), "Token invalid"],
  ["HS512", (a) => sign(a.secret_key, claimsOf(a), { alg: "HS512" }, "sha512"), "Token invalid"],
  ["HS384 over a SHA-256", (a) => sign(a.secret_key, claimsOf(a), { alg: "HS384" }), "Token invalid"],
  ["RS256 with its own jwk", (a) => signAsymmetric("RS256", claimsOf(a)), "Token invalid"],
  ["ES256 with its own jwk", (a) => signAsymmetric("ES256", claimsOf(a)), "Token invalid"],
  [
    "PS256 with its own jku",
    (a) => signAsymmetric("PS256", claimsOf(a), { jku: "https://evil.example/keys" }),
    "Token invalid",
  ],
  [
    "HS256 by a key in its own header",
    (a) => sign("evil", claimsOf(a), { alg: "HS256", jwk: { kty: "oct", k: "ZXZpbA" } }),
    "Token invalid signature",
  ],
  ["HS256 by the publishable key", (a) => sign(a.publishable_key, claimsOf(a)), "Token invalid signature"],
  [
    "HS256 by an empty key, chosen by kid",
    (a) => sign("", claimsOf(a), { alg: "HS256", kid: "../../dev/null" }),
    "Token invalid signature",
  ],
  [
    "a claim changed after signing",
    (a) => {
      const [header, , signature] = sign(a.secret_key, claimsOf(a)).split(".");
      return `${header}.${encodePart(claimsOf(a, { sub: NOBODY }))}.${signature}`;
    },
    "Token invalid signature",
  ],
  ["no exp", (a) => sign(a.secret_key, without(claimsOf(a), "exp")), "Token invalid"],
  ["exp as text", (a) => sign(a.secret_key, claimsOf(a, { exp: String(NOW + 3600) })), "Token invalid"],
  [
    "exp beyond all numbers",
    (a) => sign(a.secret_key, JSON.stringify(claimsOf(a)).replace(/"exp":\d+/, '"exp":1e999')),
    "Token invalid",
  ],
  ["exp in ten years", (a) => sign(a.secret_key, claimsOf(a, { exp: NOW + 315_360_000 })), "Token invalid"],
  ["no iat", (a) => sign(a.secret_key, without(claimsOf(a), "iat")), "Token invalid"],
  ["iat 61 seconds ahead", (a) => sign(a.secret_key, claimsOf(a, { iat: NOW + 61, exp: NOW + 3661 })), "Token invalid"],
  ["expired", (a) => sign(a.secret_key, claimsOf(a, { iat: NOW - 3601, exp: NOW - 1 })), "Token expired"],
  ["exp is now", (a) => sign(a.secret_key, claimsOf(a, { iat: NOW - 3600, exp: NOW })), "Token expired"],
  ["not good yet", (a) => sign(a.secret_key, claimsOf(a, { nbf: NOW + 1 })), "Token invalid"],
  ["another issuer", (a) => sign(a.secret_key, claimsOf(a, { iss: "https://evil.example" })), "Token invalid"],
  ["no subject", (a) => sign(a.secret_key, without(claimsOf(a), "sub")), "Token invalid"],
  [
    "the other instance's own token",
    (_, g) => sign(g.secret_key, claimsOf(g)),
    "Token does not belong to this instance",
  ],
  [
    "the other instance's id, our key",
    (a, g) => sign(a.secret_key, claimsOf(g)),
    "Token does not belong to this instance",
  ],
  ["our id, the other instance's key", (a, g) => sign(g.secret_key, claimsOf(a)), "Token invalid signature"],
  [
    "two instance ids, ours first",
    (a, g) => sign(g.secret_key, JSON.stringify(claimsOf(g)).replace("{", `{"instance_id":"${a.id}",`)),
    "Token does not belong to this instance",
  ],
  [
    "instance ids in a list",
    (a, g) => sign(g.secret_key, claimsOf(a, { instance_id: [a.id, g.id] })),
    "Token invalid signature",
  ],
  ["crit", (a) => sign(a.secret_key, claimsOf(a), { alg: "HS256", crit: ["exp"], exp: NOW + 1 }), "Token invalid"],
  ["b64", (a) => sign(a.secret_key, claimsOf(a), { alg: "HS256", crit: ["b64"], b64: false }), "Token invalid"],
  ["another type", (a) => sign(a.secret_key, claimsOf(a), { alg: "HS256", typ: "at+jwt" }), "Token invalid"],
  [
    "five parts, encrypted",
    (a) => `${encodePart({ alg: "dir", enc: "A256GCM" })}..${encodePart(claimsOf(a))}.AAAA.AAAA`,
    "Token invalid",
  ],
  ["four parts", (a) => `${sign(a.secret_key, claimsOf(a))}.AAAA`, "Token invalid"],
  [
    "a token in a token",
    (a) => sign(a.secret_key, sign(a.secret_key, claimsOf(a)), { alg: "HS256", cty: "JWT" }),
    "Token invalid",
  ],
  ["padding", (a) => `${sign(a.secret_key, claimsOf(a))}=`, "Token invalid"],
  ["a line's end", (a) => `${sign(a.secret_key, claimsOf(a))}\n`, "Token invalid"],
  ["a list of claims", (a) => sign(a.secret_key, [claimsOf(a)]), "Token invalid"],
  ["claims in __proto__", (a) => sign(a.secret_key, `{"__proto__":${JSON.stringify(claimsOf(a))}}`), "Token invalid"],
  ["alg in __proto__", (a) => sign(a.secret_key, claimsOf(a), `{"__proto__":{"alg":"HS256"}}`), "Token invalid"],
  ["longer than 8 KiB", (a) => sign(a.secret_key, claimsOf(a, { name: "x".repeat(8192) })), "Token invalid"],
];

describe("tokens and keys", () => {
  describe("T11: a token is what this service signed, for this instance, for this hour", () => {
    it.each(FORGERIES)("%s", async (_, forge, verdict) => {
      const { acme, globex, as, clock } = await setup();
      const token = forge(acme, globex);
      const response = await as(acme, VERIFY, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
      });
      expect(await answer(response)).toEqual([401, { valid: false, error: verdict }]);
      const local = await checkToken(token, { secretKey: acme.secret_key, instanceId: acme.id, now: clock.now });
      expect(local.ok).toBe(false);
    });

    it.each<[string, Forge]>([
      ["as it is issued", (a) => sign(a.secret_key, claimsOf(a))],
      ["in its last second", (a) => sign(a.secret_key, claimsOf(a, { iat: NOW - 3599, exp: NOW + 1 }))],
      ["a minute ahead", (a) => sign(a.secret_key, claimsOf(a, { iat: NOW + 60, exp: NOW + 3660 }))],
      [
        "with a kid that nobody asks for",
        (a) => sign(a.secret_key, claimsOf(a), { alg: "HS256", kid: "1", jku: "https://evil.example" }),
      ],
    ])("but one is good %s", async (_, forge) => {
      const { acme, globex, as, clock } = await setup();
      const token = forge(acme, globex);
      const response = await as(acme, VERIFY, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
      });
      expect([response.status, ((await response.json()) as { id: string }).id]).toEqual([200, ADA]);
      expect((await checkToken(token, { secretKey: acme.secret_key, instanceId: acme.id, now: clock.now })).ok).toBe(
        true,
      );
    });

    it("a megabyte of token is not looked at", async () => {
      const { acme, as } = await setup();
      const response = await as(acme, VERIFY, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token: "x".repeat(1 << 20) }),
      });
      expect(await answer(response)).toEqual([413, { error: "Body too large" }]);
    });

    it("a signature has one spelling: none of the other last characters will do", async () => {
      const { acme, as } = await setup();
      const token = sign(acme.secret_key, claimsOf(acme));
      for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
        if (token.endsWith(last)) continue;
        const body = JSON.stringify({ token: token.slice(0, -1) + last });
        expect(
          (await as(acme, VERIFY, { method: "POST", headers: { "content-type": "application/json" }, body })).status,
        ).toBe(401);
      }
    });
  });

  it.each([
    "",
    "sk_",
    "sk_short",
    `sk_${"x".repeat(31)}`,
    `pk_${"x".repeat(40)}`,
    `sk_${"x".repeat(31)}é`,
    `sk_${"x".repeat(16)} ${"x".repeat(16)}`,
    "x".repeat(64),
  ])("T12: a seed can't bring %o as a secret key", (secret_key) => {
    const seed = { instances: [{ ...SEED.instances[0], secret_key }] };
    expect(() => parseSeed(JSON.stringify(seed), "seed", START)).toThrow(
      "instances[0].secret_key: must be sk_ and at least 32 letters or digits",
    );
  });

  it("T12: keys that are made are long, never the same, and one says nothing of the other", () => {
    const instances = Array.from({ length: 500 }, (_, i) => ({ name: "x", subdomain: `s${i}` }));
    const made = parseSeed(JSON.stringify({ instances }), "seed", START).instances;
    expect(made.filter(({ secret_key }) => /^sk_[\w-]{48}$/.test(secret_key))).toHaveLength(500);
    expect(
      new Set(
        made.flatMap(({ secret_key, publishable_key }) => [secret_key.slice(3, 15), publishable_key.slice(3, 15)]),
      ).size,
    ).toBe(1000);
  });
});

/** Names of one instance's records, and texts that are in them alone. */
const RECORDS = {
  acme: {
    user: ADA,
    session: "svc_session_00000000-0000-4000-8000-00000000a001",
    texts: ["0000000000a1", "00000000a00", "Lovelace", "charles@", "grace@", "digest-nobody-may-see"],
  },
  globex: {
    user: "00000000-0000-4000-8000-0000000000b1",
    session: "svc_session_00000000-0000-4000-8000-00000000b001",
    texts: ["0000000000b1", "00000000b00", "Ada of Globex"],
  },
};

type Keyed = [
  endpoint: string,
  own: "user" | "session" | "publishable_key",
  make: (id: string, instance: Instance) => [string, RequestInit?],
];

const KEYED: Keyed[] = [
  ["GET users/:id", "user", (id) => [`/api/v1/users/${id}`]],
  ["GET users", "user", (id) => [`/api/v1/users?after=${id}`]],
  ["GET users/search", "user", (id) => [`/api/v1/users/search?query=id:${id}`]],
  ["GET sessions/:id", "session", (id) => [`/api/v1/sessions/${id}`]],
  ["GET sessions", "session", (id) => [`/api/v1/sessions?after=${id}`]],
  ["GET sessions/search", "user", (id) => [`/api/v1/sessions/search?query=user_id:${id}`]],
  ["GET instances/search", "publishable_key", (id) => [`/api/v1/instances/search?query=publishable_key:${id}`]],
  [
    "POST tokens/verify",
    "user",
    (id, instance) => [VERIFY, verifying(sign(instance.secret_key, claimsOf(instance, { sub: id })))],
  ],
  // The last one: it takes away what the others look for.
  ["DELETE users/:id", "user", (id) => [`/api/v1/users/${id}`, { method: "DELETE" }]],
];

function verifying(token: string): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) };
}

/** All that an instance's key can see. */
async function everything({ as }: Service, instance: Instance): Promise<string> {
  const lists = await Promise.all(["users", "sessions"].map((name) => as(instance, `/api/v1/${name}`)));
  return (await Promise.all(lists.map((list) => list.text()))).join();
}

describe("T14: an instance's key sees nothing of another instance", () => {
  describe.each([
    ["acme", "globex"],
    ["globex", "acme"],
  ] as const)("%s's key, %s's ids", (mine, theirs) => {
    it.each(KEYED)("%s: what is foreign and what is missing read alike, byte for byte", async (_, own, make) => {
      const service = await setup();
      const [me, them] = [service[mine], service[theirs]];
      const foreign = [
        [RECORDS[theirs].user, NOBODY],
        [RECORDS[theirs].session, `svc_session_${NOBODY}`],
        [RECORDS[theirs].session.replace("svc_session_", ""), NOBODY],
        [them.id, NOBODY],
        [them.app_id, NOBODY],
        [them.publishable_key, "pk_nobody_0123456789"],
        [them.secret_key, `sk_${"x".repeat(40)}`],
        [them.subdomain, "nobody"],
      ] as const;
      const before = await everything(service, them);
      for (const [id, missing] of foreign) {
        for (const host of [FRONT, service.addresses.instanceUrl(me)]) {
          const send = async (name: string): Promise<Answered> => {
            const [path, init] = make(name, me);
            const response = await service.as(me, host + path, init);
            return [response.status, await response.text()];
          };
          const answered = await send(id);
          expect(answered).toEqual(await send(missing));
          const secrets = [...RECORDS[theirs].texts, them.id, them.app_id, them.secret_key, them.publishable_key];
          expect(secrets.filter((text) => String(answered[1]).includes(text))).toEqual([]);
        }
      }
      expect(await everything(service, them)).toBe(before);
      const [path, init] = make(own === "publishable_key" ? me.publishable_key : RECORDS[mine][own], me);
      expect((await service.as(me, path, init)).status).toBe(200);
    });

    it.each(KEYED)("%s: the key is worth nothing at the other's host", async (_, own, make) => {
      const service = await setup();
      const [me, them] = [service[mine], service[theirs]];
      for (const whose of [mine, theirs]) {
        const id = own === "publishable_key" ? service[whose].publishable_key : RECORDS[whose][own];
        const [path, init] = make(id, me);
        // Keys are not resolved at an instance's host at all.
        const refused = own === "publishable_key" ? [404, { error: "Not found" }] : [401, { error: "Unauthorized" }];
        expect(await answer(await service.as(me, service.addresses.instanceUrl(them) + path, init))).toEqual(refused);
      }
    });
  });

  it("nor does a publishable key open what wants a secret one", async () => {
    const { fetch, acme } = await setup();
    for (const name of ["x-service-secret-key", "x-service-publishable-key"]) {
      for (const path of ["/api/v1/users", "/api/v1/sessions", "/api/v1/users/search?query=name:ada"]) {
        const response = await fetch(path, { headers: { [name]: acme.publishable_key } });
        expect(await answer(response)).toEqual([401, { error: "Unauthorized" }]);
      }
    }
  });
});

/** A service at the other end of the client that answers all requests alike, and remembers them. */
function answering(status: number, body: string): { fetch: Fetch; urls: string[] } {
  const urls: string[] = [];
  return {
    urls,
    async fetch(url) {
      urls.push(url);
      return new Response(body, { status, headers: { location: "https://evil.example/" } }) as Awaited<
        ReturnType<Fetch>
      >;
    },
  };
}

describe("T15: the client's key goes to its own service, and into no text", () => {
  it.each([
    "",
    ".",
    "..",
    "search",
    "../sessions",
    "%2e%2e",
    `${ADA}/../x`,
    `${ADA}?a`,
    `${ADA}#`,
    ADA.toUpperCase().replace("A", "G"),
    `${ADA} `,
    "__proto__",
  ])("no request is made for the id %o", async (id) => {
    const { fetch, urls } = answering(200, "{}");
    const { users, sessions } = createClient({ secretKey: SECRET, baseUrl: FRONT, fetch });
    const calls = [
      () => users.get(id),
      () => users.find(id),
      () => users.delete(id),
      () => sessions.get(id),
      () => sessions.find(id),
    ];
    for (const calling of calls) await expect((async () => calling())()).rejects.toMatchObject({ code: "config" });
    expect(urls).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])("a redirect with status %i is not followed", async (status) => {
    const { fetch, urls } = answering(status, "");
    const client = createClient({ secretKey: SECRET, baseUrl: FRONT, fetch });
    await expect(client.users.list()).rejects.toMatchObject({ code: "redirect_refused" });
    expect(urls).toEqual([`${FRONT}/api/v1/users`]);
  });

  it.each([
    ["another site's", "https://evil.example"],
    ["one without encryption", "http://acme.svc.example"],
    ["one that begins alike", "https://acme.svc.example.evil.example"],
    ["one with a user name", "https://acme.svc.example@evil.example"],
    ["a file's", "file:///etc/passwd"],
  ])("a resolved address is not believed if it is %s", async (_, url) => {
    const body = JSON.stringify({
      id: NOBODY,
      resource: "instance",
      data: { publishable_key: "pk_x", url, subdomain: "acme" },
    });
    const { fetch, urls } = answering(200, body);
    const client = createClient({
      secretKey: SECRET,
      publishableKey: "pk_acme_0123456789",
      apiUrl: "https://api.svc.example",
      fetch,
    });
    await expect(client.users.list()).rejects.toThrow();
    expect(urls.map((asked) => new URL(asked).origin)).toEqual(["https://api.svc.example"]);
  });

  it("but one below the service's own is", async () => {
    const url = "https://acme.svc.example";
    const body = JSON.stringify({
      id: NOBODY,
      resource: "instance",
      data: { publishable_key: "pk_x", url, subdomain: "acme" },
    });
    const { fetch, urls } = answering(200, body);
    const apiUrl = "https://api.svc.example";
    const { users } = createClient({ secretKey: SECRET, publishableKey: "pk_acme_0123456789", apiUrl, fetch });
    await expect(users.list()).rejects.toMatchObject({ code: "unexpected_response" });
    expect(urls.map((asked) => new URL(asked).origin)).toEqual([apiUrl, url]);
  });

  it.each([
    ["an error page that shows the request's headers", 500, `<h1>Error</h1> X-Service-Secret-Key: ${SECRET}`],
    ["a proxy's page", 200, `x-service-secret-key: ${SECRET}`],
    ["no answer of ours", 418, ""],
  ])("no error shows it: %s", async (_, status, body) => {
    const client = createClient({ secretKey: SECRET, baseUrl: FRONT, fetch: answering(status, body).fetch });
    const error: unknown = await client.users.list().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(inspect(error, { depth: 9 })).not.toContain("sk_canary");
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain("sk_canary");
  });
});

const HOSTS: [host: string, isOurs: boolean][] = [
  ["localhost:7820", true],
  ["LOCALHOST:7820", true],
  ["127.0.0.1:7820", true],
  ["[::1]:7820", true],
  ["acme.localhost:7820", true],
  ["localhost", false],
  ["localhost:7821", false],
  ["localhost.:7820", false],
  ["0.0.0.0:7820", false],
  ["[::]:7820", false],
  ["127.0.0.2:7820", false],
  ["127.1:7820", false],
  ["2130706433:7820", false],
  ["169.254.169.254", false],
  ["evil.example:7820", false],
  ["evil.example", false],
  ["localhost.evil.example:7820", false],
  ["evil-localhost:7820", false],
  ["localhost:7820.evil.example", false],
  ["localhost:7820@evil.example", false],
  ["evil.example@localhost:7820", false],
  ["localhost:7820, evil.example", false],
  ["", false],
];
const ORIGINS = [undefined, "null", "http://evil.example", "http://localhost:3000", "http://localhost:7820"];
const SITES = [undefined, "none", "same-origin", "same-site", "cross-site", "none, cross-site"];

interface Visit {
  host: string;
  origin: string | undefined;
  site: string | undefined;
}
const VISITS: Visit[] = HOSTS.flatMap(([host]) =>
  ORIGINS.flatMap((origin) => SITES.map((site) => ({ host, origin, site }))),
);

/** What the rule says of a request with a good key. */
function ruled({ host, origin, site }: Visit): number {
  if (!HOSTS.some(([name, isOurs]) => name === host && isOurs)) return 421;
  return origin === undefined && (site === undefined || site === "none" || site === "same-origin") ? 200 : 403;
}

function headersOf({ origin, site }: Visit): Record<string, string> {
  return { ...(origin !== undefined && { origin }), ...(site !== undefined && { "sec-fetch-site": site }) };
}

const FORWARDED = {
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "https",
  "x-forwarded-port": "443",
  "x-forwarded-for": "6.6.6.6",
  forwarded: "host=evil.example;proto=https",
  "x-original-url": "/api/v1/users",
  "x-rewrite-url": "/api/v1/users",
  "x-http-method-override": "DELETE",
  "x-host": "evil.example",
};

describe("hosts and origins", () => {
  it("T16: under a name that is not ours nothing is answered, and under ours nothing that a request says is believed", async () => {
    const { fetch } = await setup();
    const paths = [
      "/.well-known/openid-configuration",
      `/sign-in?redirect_uri=${APP}`,
      `/oauth/authorize?provider=twitter&redirect_uri=${APP}`,
      "/",
    ];
    for (const path of paths) {
      for (const [host] of HOSTS.filter(([, isOurs]) => !isOurs)) {
        const response = await fetch(path, { headers: { host } });
        expect(await answer(response)).toEqual([421, { error: expect.stringMatching(/^Unknown host: /) as string }]);
      }
      const told = await fetch(path, { headers: { ...FORWARDED, ...BROWSER } });
      expect(`${told.headers.get("location")} ${told.headers.get("set-cookie")} ${await told.text()}`).not.toMatch(
        /evil|https:\/\/localhost|Secure/,
      );
      const plain = await fetch(path, { headers: BROWSER });
      expect([told.status, [...told.headers.keys()]]).toEqual([plain.status, [...plain.headers.keys()]]);
    }
  });

  it("T16: on a socket too, and the session keeps the peer's address", async () => {
    const server = await listening();
    const { port } = server;
    const forwarded = Object.entries(FORWARDED).flat();
    const plain = await ask(port, { path: "/.well-known/openid-configuration" });
    const told = await ask(port, { path: "/.well-known/openid-configuration", headers: forwarded });
    expect([told.status, told.body]).toEqual([200, plain.body]);
    let path = `/oauth/authorize?provider=google&login_hint=ada&redirect_uri=${APP}`;
    for (let hop = 0; hop < 3; hop++) {
      const { headers } = await ask(port, { path, headers: forwarded });
      path = headers.location?.replace(server.url, "") ?? "";
    }
    expect(path).toMatch(/^http:\/\/localhost:3000\/callback\?token=/);
    const key = server.instances[0]!.secret_key;
    const sessions = await ask(port, { path: "/api/v1/sessions?limit=1", headers: ["X-Service-Secret-Key", key] });
    expect(JSON.parse(sessions.body)).toMatchObject([{ data: { ip_address: "127.0.0.1" } }]);
  });

  it("T25: of every host, origin and site that a page could ask from, ours alone is answered", async () => {
    const { as, acme } = await setup();
    const answered = await Promise.all(
      VISITS.map(async (visit) => {
        const response = await as(acme, "/api/v1/users", { headers: { ...headersOf(visit), host: visit.host } });
        const open = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
        return { ...visit, status: response.status, open, data: (await response.text()).includes("Lovelace") };
      }),
    );
    expect(answered).toEqual(
      VISITS.map((visit) => ({ ...visit, status: ruled(visit), open: [], data: ruled(visit) === 200 })),
    );
  });

  it("T25: the same on a socket, where a deletion is asked for", async () => {
    const { port, instances } = await listening();
    const key = instances[0]!.secret_key;
    const here = (host: string): string => host.replace("7820", String(port)).replace("7821", "1");
    const visits = VISITS.filter(({ host }, i) =>
      ruled({ host, origin: undefined, site: undefined }) === 421 ? i % 7 === 0 : host !== "LOCALHOST:7820",
    );
    for (const visit of visits.filter((each) => ruled(each) !== 200)) {
      const headers = ["X-Service-Secret-Key", key, ...Object.entries(headersOf(visit)).flat()];
      const { status } = await ask(port, {
        method: "DELETE",
        path: `/api/v1/users/${ADA}`,
        host: here(visit.host),
        headers,
      });
      expect({ ...visit, status }).toEqual({ ...visit, status: ruled(visit) });
    }
    const left = await ask(port, { path: `/api/v1/users/${ADA}`, headers: ["X-Service-Secret-Key", key] });
    expect(left.status).toBe(200);
  });

  it("T25: no page may read anything but discovery and what a publishable key resolves", async () => {
    const { fetch, acme } = await setup();
    const pages = { ...BROWSER, origin: "http://evil.example", "x-service-publishable-key": acme.publishable_key };
    const open: string[] = [];
    for (const path of [
      "/",
      "/.well-known/openid-configuration",
      `/sign-in?redirect_uri=${APP}`,
      "/__svc/signed-in",
      "/nope",
      `/api/v1/instances/search?query=publishable_key:${acme.publishable_key}`,
      "/api/v1/users",
      VERIFY,
    ]) {
      for (const method of ["GET", "OPTIONS"]) {
        const response = await fetch(path, { method, headers: { ...pages, "access-control-request-method": "GET" } });
        if (response.headers.has("access-control-allow-origin")) open.push(`${method} ${path.split("?")[0]}`);
        expect(response.headers.has("access-control-allow-credentials")).toBe(false);
        expect(response.headers.get("access-control-allow-headers") ?? "").not.toMatch(/secret/i);
      }
    }
    expect(open).toEqual([
      "GET /.well-known/openid-configuration",
      "GET /api/v1/instances/search",
      "OPTIONS /api/v1/instances/search",
    ]);
  });
});

/** Acme, with one more persona at the simulated providers. */
function withPersona(persona: object): object {
  return { ...SEED, personas: [...SEED.personas, { id: "mallory", name: "Mallory", ...persona }] };
}

/** What comes of Mallory's sign-in, and whether Ada and Charles are as they were. */
async function intrude(
  seed: object,
  provider: Provider,
): Promise<{ error: string | null; user: string | null; isUntouched: boolean }> {
  const service = await setup({ seed });
  const before = await everything(service, service.acme);
  const { searchParams } = await service.signIn(provider, "mallory");
  const token = searchParams.get("token");
  return {
    error: searchParams.get("error"),
    user: token && String(decodePart(token, 1)["sub"]),
    isUntouched: (await everything(service, service.acme)) === before,
  };
}

describe("accounts", () => {
  const conflict = { error: "account_conflict", user: null, isUntouched: true };
  const unverified = { error: "email_not_verified", user: null, isUntouched: true };

  it.each<[string, Provider, object, object]>([
    [
      "google says that the address is not verified",
      "google",
      { google: { sub: "666", email_verified: false } },
      unverified,
    ],
    [
      "github has not verified it",
      "github",
      { github: { id: 666, login: "m", emails: [{ email: "ada@acme.test", primary: true, verified: false }] } },
      unverified,
    ],
    [
      "at github it is verified, and another one is primary and not",
      "github",
      {
        github: {
          id: 666,
          login: "m",
          emails: [
            { email: "ada@acme.test", primary: false, verified: true },
            { email: "m@evil.test", primary: true, verified: false },
          ],
        },
      },
      unverified,
    ],
  ])("T19: Ada's address does not open her account while %s", async (_, provider, account, outcome) => {
    expect(await intrude(withPersona({ email: "ada@acme.test", ...account }), provider)).toEqual(outcome);
  });

  it("T19: an account that nobody vouched for is not handed to the address's owner, nor he to it", async () => {
    const persona = { email: "charles@acme.test", google: { sub: "666", email_verified: true } };
    expect(await intrude(withPersona(persona), "google")).toEqual(conflict);
  });

  it("T19: beside a real provider none is simulated for the network: it would vouch for any address", async () => {
    const credentials = { google: { client_id: "id", client_secret: "secret" } };
    const seed = seedFile({ ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: [APP] }] });
    const options: ServeOptions = {
      port: 0,
      store: "memory",
      seed,
      publicUrl: "https://auth.example.test",
      credentials,
    };
    const server = await serve(options).catch((error: Error) => error);
    if (server instanceof Error) return expect(server.name).toBe("ServeError");
    onTestFinished(() => server.close());
    const path = `/oauth/authorize?provider=github&login_hint=ada@acme.test&redirect_uri=${APP}`;
    const { status } = await ask(server.port, { path, host: "auth.example.test" });
    return expect(status).toBe(400);
  });

  it("T20: a second account of one provider with Ada's address is somebody else", async () => {
    const persona = { email: "ada@acme.test", google: { sub: "666", email_verified: true } };
    expect(await intrude(withPersona(persona), "google")).toEqual(conflict);
  });

  it.each([
    ["аda@acme.test", "a Cyrillic letter"],
    ["ada@acme.test.evil.test", "a longer domain"],
    ["ada+1@acme.test", "a tag"],
    ["a.da@acme.test", "a dot"],
    ["adа@acme.test", "another Cyrillic letter"],
    ["ada@acme-test.evil", "a domain that looks alike"],
  ])("T21: %s has %s and is not Ada", async (email) => {
    const { user, error, isUntouched } = await intrude(
      withPersona({ email, google: { sub: "666", email_verified: true } }),
      "google",
    );
    expect({ error, isAda: user === ADA, isUntouched }).toEqual({ error: null, isAda: false, isUntouched: false });
  });

  it.each([
    "ada@acme.test＠evil.test",
    "ada@evil.test@acme.test",
    "ada@acme\u3002test\u200b",
    "ada\u00ad@acme.test",
    "ada@ａcmé.test",
  ])("T21: %o is no address, before or after Unicode's spellings are resolved", async (email) => {
    const provider = await openProvider();
    provider.reply = (path) =>
      path === "/userinfo" ? { body: JSON.stringify({ email, email_verified: true, sub: "666" }) } : undefined;
    const service = await setup({ seed: connected(provider), fetch: network });
    const start = await service.fetch(
      `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP }).toString()}`,
    );
    const back = await service.fetch(
      `/oauth/google/callback?code=c&state=${locationOf(start).searchParams.get("state")}`,
    );
    expect([locationOf(back).searchParams.get("error"), locationOf(back).searchParams.get("token")]).toEqual([
      "server_error",
      null,
    ]);
  });
});

/** Where ten characters of a secret in a row are found. */
function leaks(texts: readonly string[], secrets: Iterable<string>): string[] {
  return [...secrets].flatMap((secret) => {
    const pieces = Array.from({ length: Math.max(1, secret.length - 9) }, (_, i) => secret.slice(i, i + 10));
    return texts.filter((text) => pieces.some((piece) => text.includes(piece))).map((text) => `${secret} in ${text}`);
  });
}

const BROWSER_LINES = Object.entries(BROWSER).flat();

/** A browser's way through a connected provider; what it learns on it is secret. */
async function passThrough(port: number, provider: Provider, code: string, secrets: Set<string>): Promise<Told[]> {
  const start = await ask(port, {
    path: `/oauth/authorize?provider=${provider}&redirect_uri=${APP}`,
    headers: BROWSER_LINES,
  });
  const state = new URL(start.headers.location ?? "").searchParams.get("state") ?? "";
  const cookie = (start.headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
  secrets.add(state).add(cookie.split("=")[1] ?? "");
  const finish = {
    path: `/oauth/${provider}/callback?code=${code}&state=${state}`,
    headers: [...BROWSER_LINES, "Cookie", cookie],
  };
  const back = await ask(port, finish);
  const token = new URL(back.headers.location ?? "").searchParams.get("token");
  if (token !== null) secrets.add(token);
  const again = await ask(port, { ...finish, headers: [...finish.headers, "Accept", "text/html"] });
  return [back, again];
}

/** One secret wherever a request has room for one, with a good key and without. */
function requestsWith(secret: string, key: string): Ask[] {
  const keyed = ["X-Service-Secret-Key", key];
  const html = ["Accept", "text/html"];
  const json = ["Content-Type", "application/json"];
  return [
    { path: `/nope?secret=${secret}`, headers: html },
    { path: `/${secret}` },
    { path: `/%20${secret}` },
    { path: `/oauth/${secret}/callback`, headers: html },
    { path: `/oauth/google/callback?code=${secret}&state=${secret}`, headers: html },
    { path: `/oauth/google/callback?code=${secret}&state=${secret}` },
    { path: `/oauth/google/callback?code=${secret}&error=${secret}&state=${secret}` },
    { path: `/oauth/google/callback?code=${secret}&code=${secret}` },
    { path: `/oauth/authorize?provider=${secret}` },
    { path: `/__svc/begin?instance=${secret}&provider=google`, headers: html },
    { path: `/__svc/signed-in?token=${secret}`, headers: html },
    { path: `/__svc/simulator/google/authorize?client_id=${secret}&request=${secret}`, headers: html },
    { path: "/", host: `${secret}.example`, headers: html },
    {
      path: "/",
      headers: ["Cookie", `svc_oauth=${secret}`, "Authorization", `Bearer ${secret}`, "Referer", `http://x/?${secret}`],
    },
    { path: "/api/v1/users", headers: ["X-Service-Secret-Key", `${secret}x`] },
    { path: "/api/v1/users", headers: ["X-Service-Secret-Key", secret, "X-Service-Secret-Key", secret] },
    { path: "/api/v1/users", headers: ["X-Service-Publishable-Key", secret] },
    { path: "/api/v1/users", headers: [...keyed, "Origin", `http://${secret}`] },
    { path: `/api/v1/users/${secret}`, headers: keyed },
    { path: `/api/v1/users/${secret}`, headers: keyed, method: "DELETE" },
    { path: `/api/v1/users/${secret}`, headers: keyed, method: "PUT" },
    { path: `/api/v1/users?limit=${secret}`, headers: keyed },
    { path: `/api/v1/sessions?after=${secret}`, headers: keyed },
    { path: `/api/v1/sessions/${secret}`, headers: keyed },
    { path: `/api/v1/instances/search?query=publishable_key:${secret}`, headers: keyed },
    { path: VERIFY, method: "POST", headers: [...keyed, ...json], body: JSON.stringify({ token: `${secret}x` }) },
    { path: VERIFY, method: "POST", headers: [...keyed, ...json], body: JSON.stringify({ tokens: secret }) },
    { path: VERIFY, method: "POST", headers: [...keyed, ...json], body: `{"token": ${secret}` },
    { path: VERIFY, method: "POST", headers: [...keyed, "Content-Type", secret], body: "{}" },
    {
      path: VERIFY,
      method: "POST",
      headers: [...keyed, ...json],
      body: JSON.stringify({ token: secret.repeat(3000) }),
    },
  ];
}

/** Ways in which a provider fails, each with all that it was sent in its answer. */
const FAILURES: LoopbackProvider["reply"][] = [
  (_, received) => ({ status: 500, body: received }),
  (_, received) => ({ status: 400, body: JSON.stringify({ error: received }) }),
  (_, received) => ({ body: JSON.stringify({ error: "bad", error_description: received, access_token: [received] }) }),
  (_, received) => ({ status: 302, headers: { location: `/?${encodeURIComponent(received)}` }, body: "" }),
  (path, received) => (path === "/token" ? undefined : { status: 503, body: received }),
  (path, received) => (path === "/token" ? undefined : { body: `{"id": ${received}` }),
  (path, received) =>
    path === "/token" ? undefined : { body: JSON.stringify({ sub: received, email: received, id: received }) },
  () => "reset",
];

/** Good and bad sign-ins and requests; what they were answered in errors and on pages. */
async function exercise(
  port: number,
  key: string,
  provider: LoopbackProvider,
): Promise<{ texts: string[]; secrets: Set<string> }> {
  const digest = "digest-nobody-may-see";
  const code = `canary${random()}`;
  const basic = Buffer.from(`svc-test:${CLIENT_SECRET}`).toString("base64");
  const secrets = new Set([key, CLIENT_SECRET, basic, ACCESS_TOKEN, REFRESH_TOKEN, code, digest]);
  const told: Told[] = [];
  const names: Provider[] = ["google", "github", "twitter"];
  for (const name of names) told.push(...(await passThrough(port, name, code, secrets)));
  for (const fail of FAILURES) {
    provider.reply = fail;
    for (const name of names) told.push(...(await passThrough(port, name, code, secrets)));
  }
  provider.reply = () => undefined;
  for (const sent of provider.received) {
    const verifier = /code_verifier=([\w-]+)/.exec(sent)?.[1];
    if (verifier) secrets.add(verifier);
  }
  const chosen = [...secrets].filter((_, i) => i < 10 || i % 20 === 0);
  for (const each of chosen.flatMap((secret) => requestsWith(secret, key))) told.push(await ask(port, each));
  told.push(await ask(port, { path: "/", headers: ["Accept", "text/html"] }));
  const shown = told.filter(({ status, headers }) => status >= 400 || headers["content-type"]?.startsWith("text/html"));
  return { secrets, texts: shown.map(({ status, headers, body }) => `${status} ${JSON.stringify(headers)} ${body}`) };
}

describe("T24: no secret is in a log, an error or a page", { timeout: 30_000 }, () => {
  it("of the server in a program", async () => {
    const provider = await openProvider();
    const log: string[] = [];
    const server = await listening({
      seed: seedFile(connected(provider, { secret_key: SECRET })),
      onRequest: (entry) => log.push(JSON.stringify(entry)),
      warn: (message) => log.push(message),
    });
    const { texts, secrets } = await exercise(server.port, SECRET, provider);
    expect(leaks([...log, ...texts], secrets)).toEqual([]);
    // There was something to leak, and somewhere to leak it to.
    expect(secrets.size).toBeGreaterThan(60);
    expect(log.filter((line) => line.startsWith("sign-in with ")).length).toBeGreaterThan(20);
    expect(log.filter((line) => line.includes(`"route":`)).length).toBeGreaterThan(texts.length);
    expect(leaks([`GET /?token=${SECRET.slice(5, 15)}`], secrets)).toHaveLength(1);
  });

  it("of the server as a process, with its configuration in files", async () => {
    const provider = await openProvider();
    const directory = temporaryDirectory();
    const [acme, globex] = SEED.instances;
    const seed = { ...SEED, instances: [{ ...acme, secret_key: SECRET }, globex] };
    writeFileSync(join(directory, "seed.json"), JSON.stringify(seed));
    const config = { seed: "seed.json", providers: connectionsTo(provider) };
    writeFileSync(join(directory, "svc.config.json"), JSON.stringify(config));
    const server = await startSvc(["--json"], { cwd: directory });
    const { texts, secrets } = await exercise(server.port, SECRET, provider);
    await server.stop();
    const output = server.output();
    expect(leaks([...output, ...texts], secrets)).toEqual([]);
    expect(output.filter((line) => line.startsWith("sign-in with ")).length).toBeGreaterThan(20);
    expect(output.filter((line) => line.startsWith(`{"type":"request"`)).length).toBeGreaterThan(texts.length);
  });

  it("of the server at a terminal, which shows the end of each key and no more", async () => {
    const seed = seedFile({ instances: [{ ...SEED.instances[0], secret_key: SECRET }] });
    const server = await startSvc(["--seed", seed], { cwd: temporaryDirectory(), isText: true });
    await server.stop();
    expect(leaks(server.output(), [SECRET])).toEqual([]);
    expect(server.output().join("\n")).toContain(`sk_…${SECRET.slice(-4)}`);
  });

  it.each([
    ["without quotes", (secret: string) => `{"client_id":"x","client_secret":${secret}}`],
    ["in the wrong quotes", (secret: string) => `{"client_id":"x","client_secret":'${secret}'}`],
    ["without a comma behind it", (secret: string) => `{"client_secret":"${secret}" "client_id":"x"}`],
    ["without its end", (secret: string) => `{"client_id":"x","client_secret":"${secret}`],
    ["with a line's end in it", (secret: string) => `{"client_id":"x","client_secret":"${secret}\n"}`],
    ["under another name", (secret: string) => `{"client_id":"x","secret":"${secret}"}`],
    ["in a list", (secret: string) => `{"client_id":"x","client_secret":["${secret}"]}`],
  ])("of a configuration or a seed that can't be read because of a secret %s", async (_, write) => {
    const directory = temporaryDirectory();
    const connection = write(CLIENT_SECRET);
    writeFileSync(join(directory, "config.json"), `{"providers":{"google":${connection}}}`);
    const instance = `{"name":"A","subdomain":"a","secret_key":"${SECRET}","connections":{"google":${connection}}}`;
    writeFileSync(join(directory, "seed.json"), `{"instances":[${instance}]}`);
    for (const flags of [
      ["--config", "config.json"],
      ["--seed", "seed.json", "--store", "memory"],
    ]) {
      const { code, stdout, stderr } = await runCli(["serve", "--port", "0", ...flags], { cwd: directory });
      expect([code, stdout]).toEqual([2, ""]);
      expect(leaks([stderr], [CLIENT_SECRET, SECRET])).toEqual([]);
    }
  });

  it("of a seed whose keys are refused", () => {
    const [acme] = SEED.instances;
    const keys = { secret_key: "sk_canary-too-short", publishable_key: "sk_canary-wrong-place-0123456789abcdef" };
    const twice = { instances: [acme, { ...acme, subdomain: "other", users: [] }] };
    for (const seed of [{ instances: [{ ...acme, ...keys }] }, twice]) {
      const refused = outcomeOf(() => parseSeed(JSON.stringify(seed), "seed", START));
      expect(refused).toMatch(/^SeedError: /);
      expect(leaks([refused], [...Object.values(keys), acme!.secret_key])).toEqual([]);
    }
  });

  it("of a store that is damaged where a secret is", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "db.json");
    const server = await serve({ port: 0, store: path, seed: seedFile() });
    await server.close();
    writeFileSync(path, readFileSync(path, "utf8").replace(`"secret_key":"sk_`, `"secret_key":sk_`));
    const { code, stderr } = await runCli(["serve", "--port", "0", "--store", path], { cwd: directory });
    expect([code, stderr]).toEqual([1, expect.stringContaining("is damaged")]);
    expect(
      leaks(
        [stderr],
        SEED.instances.map(({ secret_key }) => secret_key),
      ),
    ).toEqual([]);
  });
});

function outcomeOf(action: () => unknown): string {
  try {
    return JSON.stringify(action());
  } catch (error) {
    return String(error);
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  /** Every line of stdout and stderr so far. */
  output(): string[];
  stop(): Promise<void>;
}

interface StartOptions {
  cwd: string;
  env?: Record<string, string>;
  /** The command before `svc serve`, if another than Node alone. */
  command?: string[];
  /** Whether the server talks to a person. */
  isText?: boolean;
}

/** `svc serve` as a process of its own, once it answers. */
function startSvc(flags: readonly string[], { cwd, env, command, isText }: StartOptions): Promise<Started> {
  const argv = [...(command ?? [process.execPath]), BIN, "serve", "--port", "0", ...flags];
  return started(argv, { cwd, env: env ?? {}, ready: isText ? /localhost:(\d+)/ : /^\{"type":"ready".*"port":(\d+)/ });
}

/** @throws with all that the process said, where it ends instead */
async function started(
  [file = "", ...argv]: readonly string[],
  { cwd, env, ready }: { cwd: string; env: Record<string, string>; ready: RegExp },
): Promise<Started> {
  const child = spawn(file, argv, {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", (line) => {
        lines.push(line);
        const found = ready.exec(line)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    }
    child.once("close", () => reject(new Error(lines.join("\n"))));
  });
  return {
    child,
    port,
    output: () => lines,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Where a process listens, at one port or at any, from the kernel: `127.0.0.1` and `::1` in its own spelling. */
function boundBy(pid: number | undefined, port?: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === "0A" && sockets.has(columns[9] ?? ""))
      .map((columns) => (columns[1] ?? "").split(":"))
      .filter(([, at = ""]) => port === undefined || Number.parseInt(at, 16) === port)
      .map(([address = ""]) => address),
  );
}

const LOOPBACK_4 = "0100007F";
const LOOPBACK_6 = "00000000000000000000000001000000";

describe.skipIf(process.platform !== "linux")("T26: what is listened at", { timeout: 20_000 }, () => {
  it.each<[string, string[], Record<string, string>]>([
    ["nothing", [], {}],
    ["HOST", [], { HOST: "0.0.0.0" }],
    ["NODE_ENV=production", [], { NODE_ENV: "production" }],
    [
      "CI, a port and a host at once",
      [],
      { CI: "true", NODE_ENV: "production", HOST: "::", HOSTNAME: "0.0.0.0", PORT: "80" },
    ],
    ["--public-url", ["--public-url", "https://auth.example.test", "--providers", "simulated"], {}],
    ["--allowed-host", ["--allowed-host", "auth.example.test"], {}],
  ])("is loopback alone, whatever is said by %s", async (_, flags, env) => {
    const server = await startSvc(["--json", "--store", "memory", ...flags], { cwd: temporaryDirectory(), env });
    expect(boundBy(server.child.pid)).toEqual([LOOPBACK_4, LOOPBACK_6]);
  });

  it("is loopback alone, and what it says it is", async () => {
    const { port, bound } = await listening();
    expect(bound).toEqual([`127.0.0.1:${port}`, `[::1]:${port}`]);
    expect(boundBy(process.pid, port)).toEqual([LOOPBACK_4, LOOPBACK_6]);
  });

  it("is loopback alone in a program that has a --host of its own", async () => {
    const library = new URL("../dist/server.js", import.meta.url).href;
    const program = `const { serve } = await import("${library}"); const { port } = await serve({ port: 0, store: "memory" }); console.log("port " + port)`;
    const argv = [process.execPath, "--input-type=module", "-e", program, "--", "--host", "0.0.0.0"];
    const env = { HOST: "0.0.0.0", NODE_ENV: "production" };
    const host = await started(argv, { cwd: temporaryDirectory(), env, ready: /^port (\d+)$/ });
    expect(boundBy(host.child.pid)).toEqual([LOOPBACK_4, LOOPBACK_6]);
  });

  it.each([
    ["127.0.0.1", LOOPBACK_4],
    ["::1", LOOPBACK_6],
    ["localhost", LOOPBACK_4],
    // Names that listhen takes for no names: then it listens everywhere.
    ["::1%lo", LOOPBACK_6],
    [`0x${"0".repeat(60)}7f000001`, LOOPBACK_4],
  ])("is what --host says and never more: %s", async (host, address) => {
    const server = await startSvc(["--json", "--store", "memory", "--providers", "simulated", "--host", host], {
      cwd: temporaryDirectory(),
    }).catch((error: Error) => error);
    if (server instanceof Error) expect(server.message).toContain("--host");
    else expect(boundBy(server.child.pid)).toEqual([address]);
  });
});

const UNKNOWN = "no_such_field";
const HIDDEN = [
  "password_digest",
  "PASSWORD_DIGEST",
  "password_digest_",
  "digest",
  "password",
  "users.password_digest",
  "user.email",
  "data.email",
  "$email",
  "access_token",
  "refresh_token",
  "token_expires_at",
  "secret_key",
  "publishable_key",
  "client_secret",
  "connections",
  "code_verifier",
  "state",
  "binding",
  "uid",
  "identities",
  "sessions",

  "name;--",
  "name'",
  "*",
  "constructor",
  "__proto__",
  "prototype",
  "hasOwnProperty",
  "toString",
  "valueOf",
  "__defineGetter__",
  "length",
  "0",
  "email\u0000",
  "ｅmail",
  "Email",
  "email[]",
  "email[0]",
];

describe("searching", () => {
  it.each(["users", "sessions"])(
    "T29: a hidden column of %s reads exactly like one that does not exist",
    async (resource) => {
      const { as, acme } = await setup();
      const told = async (term: string, field: string): Promise<Answered> => {
        const response = await as(
          acme,
          `/api/v1/${resource}/search?query=${encodeURIComponent(term.replace("FIELD", field))}`,
        );
        return [
          response.status,
          JSON.stringify(await response.json()).replaceAll(JSON.stringify(field).slice(1, -1), "FIELD"),
        ];
      };
      for (const term of ["FIELD:digest*", "FIELD:*nobody*", "-FIELD:x", "FIELD>2026-01-01"]) {
        const unknown = await told(term, UNKNOWN);
        expect(unknown[0]).toBe(400);
        for (const field of HIDDEN) expect([field, ...(await told(term, field))]).toEqual([field, ...unknown]);
      }
    },
  );

  it("T29: what is hidden is in no answer either", async () => {
    const { as, acme, signIn } = await setup();
    await signIn("google", "ada");
    const paths = [
      "/users",
      "/sessions",
      `/users/${ADA}`,
      "/users/search?query=name:*",
      "/sessions/search?query=name:*",
      `/instances/search?query=publishable_key:${acme.publishable_key}`,
    ];
    const texts = await Promise.all(paths.map(async (path) => (await as(acme, `/api/v1${path}`)).text()));
    expect(texts.every((text) => text.length > 100)).toBe(true);
    expect(texts.join()).not.toMatch(/digest|access_token|refresh_token|secret|connections|binding|verifier|sk_/);
  });

  it.each([
    ["stars within a value", `name:*${"a*".repeat(40)}a`],
    ["stars within a value between stars", `name:*${"a*".repeat(40)}a*`],
    ["a regular expression", "name:(a+)+$"],
    ["a regular expression between stars", "name:*(a+)+*"],
    ["a class", "name:[a-z]+"],
    ["SQL", "name:'OR'1'='1"],
    ["SQL wildcards", "name:%"],
    ["SQL single wildcards", `name:${"_".repeat(200)}`],
    ["a comment", "name:*'--"],
  ])("T28: %s are letters like others", async (_, query) => {
    const users = Array.from({ length: 1000 }, (__, i) => ({ email: `u${i}@x.test`, name: "a".repeat(200) }));
    const { as, acme } = await setup({ seed: { instances: [{ ...SEED.instances[0], users }] } });
    const response = await as(acme, `/api/v1/users/search?query=${encodeURIComponent(query)}`);
    expect(await answer(response)).toEqual([200, []]);
  });

  it.each([
    ["2,049 bytes", `name:${"é".repeat(250)} `.repeat(4).padEnd(1049, " ") + "x".repeat(2)],
    ["33 terms", "name:a ".repeat(33)],
    ["a value of 257 characters", `name:${"a".repeat(257)}`],
  ])("T28: %s are refused", async (_, query) => {
    const { as, acme } = await setup();
    expect((await as(acme, `/api/v1/users/search?query=${encodeURIComponent(query)}`)).status).toBe(400);
  });
});

const POLLUTION = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"__proto__":null}',
  '{"a":{"__proto__":{"polluted":1}}}',
  '[{"__proto__":{"polluted":1}}]',
  '{"\\u005f_proto__":{"polluted":1}}',
];
const NAMES = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "__defineGetter__"];

/** Nothing that every object has is other than before. */
function expectClean(): void {
  expect([Object.keys(Object.prototype), ({} as { polluted?: unknown }).polluted]).toEqual([[], undefined]);
}

describe("T30: no prototype is changed, and none is taken for data", () => {
  it.each(POLLUTION)("by the body %s", async (payload) => {
    const { acme, as } = await setup();
    const token = sign(acme.secret_key, claimsOf(acme));
    const send = (body: string): Promise<Response> => as(acme, VERIFY, { ...verifying(token), body });
    expect(await answer(await send(payload))).toEqual([400, { error: "Missing token" }]);
    expect(await answer(await send(`{"__proto__":{"token":"${token}"}}`))).toEqual([400, { error: "Missing token" }]);
    expect(
      (await send(payload.startsWith("[") ? `{"token":"${token}"}` : payload.replace("{", `{"token":"${token}",`)))
        .status,
    ).toBe(200);
    expectClean();
  });

  it.each(POLLUTION)("by a token with %s", async (payload) => {
    const { acme, as } = await setup();
    const forged = [
      sign(acme.secret_key, payload),
      sign(acme.secret_key, claimsOf(acme), payload),
      `${encodePart({ alg: "HS256" })}.${Buffer.from(payload).toString("base64url")}.${"A".repeat(43)}`,
    ];
    for (const token of forged) expect((await as(acme, VERIFY, verifying(token))).status).toBe(401);
    expectClean();
  });

  it.each(NAMES)("by the name %s in an address", async (name) => {
    const { acme, as, fetch } = await setup();
    const query = `${name}=1&${name}[polluted]=1&${name}.polluted=1&a[${name}][polluted]=1`;
    const statuses = await Promise.all([
      as(acme, `/api/v1/users?${query}`),
      as(acme, `/api/v1/users/${name}`),
      as(acme, `/api/v1/sessions/${name}`),
      as(acme, `/api/v1/users/${name}`, { method: "DELETE" }),
      as(acme, `/api/v1/users?after=${name}`),
      as(acme, `/api/v1/sessions?after=${name}`),
      as(acme, `/api/v1/instances/search?query=publishable_key:${name}`),
      fetch(`/oauth/${name}/callback?code=c&state=${name}`),
      fetch(`/oauth/authorize?provider=${name}&redirect_uri=${APP}`),
      fetch(`/__svc/begin?instance=${name}&provider=google&redirect_uri=${APP}`),
      fetch(`/__svc/simulator/${name}/authorize?request=${name}`),
      fetch(`/__svc/simulator/google/authorize?request=${name}`),
      fetch(`/__svc/simulator/avatars/${name}.svg`),
      fetch(`/__svc/signed-in?error=${name}`),
      fetch(`http://${name}.localhost:7820/sign-in?redirect_uri=${APP}`),
      fetch("/api/v1/users", { headers: { "x-service-secret-key": name } }),
      fetch("/api/v1/users", { headers: { [name]: "x" } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([
      200, 404, 404, 404, 400, 400, 404, 400, 400, 404, 404, 400, 404, 200, 404, 401, 401,
    ]);
    expectClean();
  });

  it.each(POLLUTION.flatMap((payload) => [[payload, "/token"] as const, [payload, "/userinfo"] as const]))(
    "by a provider's %s at %s",
    async (payload, at) => {
      const provider = await openProvider();
      provider.reply = (path) => (path === at ? { body: payload } : undefined);
      const { fetch, log } = await setup({ seed: connected(provider), fetch: network });
      const start = await fetch(`/oauth/authorize?provider=google&redirect_uri=${APP}`);
      const back = await fetch(`/oauth/google/callback?code=c&state=${locationOf(start).searchParams.get("state")}`);
      expect(locationOf(back).searchParams.get("error")).toBe("server_error");
      expect(log.failures).toEqual(["google: server_error: google answered with something else than was asked for"]);
      expectClean();
    },
  );

  it("by a provider's good answer with more in it", async () => {
    const provider = await openProvider();
    provider.reply = (path) =>
      path === "/userinfo"
        ? {
            body: `{"sub":"7001","email":"joan@acme.test","email_verified":true,"__proto__":{"sub":"1001","email":"ada@acme.test","polluted":1}}`,
          }
        : undefined;
    const { fetch } = await setup({ seed: connected(provider), fetch: network });
    const start = await fetch(`/oauth/authorize?provider=google&redirect_uri=${APP}`);
    const back = await fetch(`/oauth/google/callback?code=c&state=${locationOf(start).searchParams.get("state")}`);
    expect(decodePart(locationOf(back).searchParams.get("token") ?? "", 1)).toMatchObject({ email: "joan@acme.test" });
    expectClean();
  });

  it.each([
    `{"__proto__":{"host":"0.0.0.0"}}`,
    `{"constructor":{"prototype":{"host":"0.0.0.0"}}}`,
    `{"providers":{"__proto__":{"google":{"client_id":"a","client_secret":"b"}}}}`,
    `{"providers":{"google":{"client_id":"a","client_secret":"b","__proto__":{"endpoints":{"token":"http://evil.example"}}}}}`,
    `{"providers":{"google":{"client_id":"a","client_secret":"b","endpoints":{"__proto__":{"token":"http://evil.example"}}}}}`,
  ])("by a configuration of %s", (source) => {
    const read = outcomeOf(() => {
      const { host, credentials } = parseConfig(source, "config");
      return { host, google: credentials?.google?.client_id, token: credentials?.google?.endpoints?.["token"] };
    });
    expect(read).toMatch(/^(?:ServeError: |\{\}$|\{"google":"a"\}$)/);
    expectClean();
  });

  it.each([
    `{"__proto__":{"instances":[]}}`,
    `{"instances":[{"name":"A","subdomain":"a","__proto__":{"active":false,"polluted":1}}]}`,
    `{"instances":[{"name":"A","subdomain":"a","connections":{"__proto__":{"google":{"client_id":"x","client_secret":"y"}}}}]}`,
    `{"instances":[{"name":"A","subdomain":"a","users":[{"name":"B","email":"b@x.test","__proto__":{"password_digest":"x"}}]}]}`,
    `{"instances":[{"name":"A","subdomain":"a","users":[{"name":"B","email":"b@x.test","sessions":[{"provider":"google","geo_data":{"__proto__":{"polluted":1}}}]}]}]}`,
  ])("by a seed of %s", (source) => {
    const read = outcomeOf(() => {
      const { instances, users, sessions } = parseSeed(source, "seed", START);
      return [
        instances[0]?.active,
        instances[0]?.connections.google,
        users[0]?.password_digest,
        sessions[0]?.geo_data["polluted"],
      ];
    });
    expect(read).toMatch(/^(?:SeedError: |\[true,null,null,null\]$)/);
    expectClean();
  });

  it("by a record in the store", async () => {
    const path = join(temporaryDirectory(), "db.json");
    const seed = seedFile({
      instances: [{ ...SEED.instances[0], users: NAMES.map((name) => ({ name, email: `${name}@x.test` })) }],
    });
    const first = await serve({ port: 0, store: path, seed });
    await first.close();
    const server = await listening({ store: path, seed: undefined });
    const key = ["X-Service-Secret-Key", SEED.instances[0]!.secret_key];
    const found = await ask(server.port, { path: "/api/v1/users/search?query=name:__proto__", headers: key });
    expect((JSON.parse(found.body) as { data: { name: string } }[]).map(({ data }) => data.name)).toEqual([
      "__proto__",
    ]);
    expectClean();
  });
});

const KEY = SEED.instances[0]!.secret_key;
const KEYED_PATHS: [method: string, path: string][] = [
  ["GET", "/api/v1/users"],
  ["GET", "/api/v1/users/search?query=name:*"],
  ["GET", `/api/v1/users/${ADA}`],
  ["DELETE", `/api/v1/users/${ADA}`],
  ["GET", "/api/v1/sessions"],
  ["GET", "/api/v1/sessions/search?query=name:*"],
  ["GET", `/api/v1/sessions/${RECORDS.acme.session}`],
  ["POST", VERIFY],
  ["GET", `/api/v1/instances/search?query=publishable_key:${SEED.instances[0]!.publishable_key}`],
];

/** Spellings of a path that some reader between the client and the route might take for it. */
const SPELLINGS: [name: string, spell: (path: string, port: number) => string][] = [
  ["an escaped letter", (path) => path.replace(/[a-z](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
  ["an escaped first letter", (path) => path.replace("/api", "/%61pi")],
  ["an escape of an escape", (path) => path.replace("/api", "/%2561pi")],
  ["an escaped slash", (path) => path.replace("/v1/", "/v1%2f")],
  ["an escaped end of text", (path) => `${path}%00`],
  ["an escaped space", (path) => `${path}%20`],
  ["an escape that is none", (path) => `${path}%zz`],
  ["half of a UTF-8 sequence", (path) => `${path}%c0%af`],
  ["two slashes at the beginning", (path) => `/${path}`],
  ["two slashes within", (path) => path.replace("/v1/", "/v1//")],
  ["a slash at the end", (path) => `${path}/`],
  ["one dot", (path) => path.replace("/v1/", "/./v1/")],
  ["two dots", (path) => path.replace("/v1/", "/x/../v1/")],
  ["two escaped dots", (path) => path.replace("/v1/", "/x/%2e%2e/v1/")],
  ["dots from a public path", (path) => `/.well-known/..${path}`],
  ["a parameter of a segment", (path) => `${path};x=y`],
  ["a parameter of a middle segment", (path) => path.replace("/v1/", "/v1;x/")],
  ["capitals", (path) => path.replace("/api", "/API")],
  ["backslashes within", (path) => path.replace("/v1/", "\\v1\\")],
  ["a fragment", (path) => `${path}#x`],
  ["another prefix", (path) => path.replace("/v1", "/v1/v1")],
  ["no version", (path) => path.replace("/v1", "")],
  ["dots in an absolute form", (path, port) => `http://localhost:${port}${path.replace("/v1/", "/x/../v1/")}`],
  ["an escape in an absolute form", (path, port) => `http://localhost:${port}${path.replace("/api", "/%61pi")}`],
];

describe("paths and duplicates", () => {
  it.each(SPELLINGS)("T33: a path has one spelling: with %s it is no route, even with a key", async (_, spell) => {
    const { port } = await listening();
    const headers = ["X-Service-Secret-Key", KEY];
    for (const [method, path] of KEYED_PATHS) {
      const [pathname = "", query] = path.split("?");
      const spelt = spell(pathname, port) + (query === undefined ? "" : `?${query}`);
      const { status, body } = await ask(port, { method, path: spelt, headers });
      expect([method, spelt, status, body]).toEqual([method, spelt, 404, `{"error":"Not found"}`]);
    }
    expect((await ask(port, { path: `/api/v1/users/${ADA}`, headers })).status).toBe(200);
  });

  it.each([
    ["the same secret key", ["X-Service-Secret-Key", KEY, "X-Service-Secret-Key", KEY]],
    ["two secret keys", ["X-Service-Secret-Key", KEY, "X-Service-Secret-Key", SEED.instances[1]!.secret_key]],
    ["a wrong one first", ["X-Service-Secret-Key", "x", "X-Service-Secret-Key", KEY]],
    ["a wrong one last", ["X-Service-Secret-Key", KEY, "x-service-secret-key", "x"]],
    ["an empty one", ["X-Service-Secret-Key", KEY, "X-Service-Secret-Key", ""]],
    ["both in one line", ["X-Service-Secret-Key", `${KEY}, ${KEY}`]],
    ["both in one line, no space", ["X-Service-Secret-Key", `${KEY},${KEY}`]],
  ])("T34: a key comes once: not %s", async (_, headers) => {
    const { port } = await listening();
    for (const path of [
      "/api/v1/users",
      `/api/v1/users/${ADA}`,
      `/api/v1/instances/search?query=publishable_key:pk_acme_0123456789`,
    ]) {
      const { status, body } = await ask(port, { path, headers });
      expect([path, status, body]).toEqual([path, 401, `{"error":"Unauthorized"}`]);
    }
  });

  it("T34: nor does a publishable key", async () => {
    const { port } = await listening();
    const key = SEED.instances[0]!.publishable_key;
    const path = `/api/v1/instances/search?query=publishable_key:${key}`;
    for (const other of [key, SEED.instances[1]!.publishable_key, ""]) {
      const { status } = await ask(port, {
        path,
        headers: ["X-Service-Publishable-Key", key, "X-Service-Publishable-Key", other],
      });
      expect(status).toBe(401);
    }
  });

  it.each([
    "/api/v1/users/search?query=name:a&query=name:b",
    "/api/v1/users/search?query=name:a&quer%79=name:b",
    "/api/v1/users/search?query=name:a&query",
    "/api/v1/sessions/search?query=name:a&query=name:b",
    "/api/v1/users?limit=1&limit=2",
    `/api/v1/users?after=${ADA}&after=${ADA}`,
    "/api/v1/instances/search?query=publishable_key:pk_acme_0123456789&query=publishable_key:pk_globex_0123456789",
    `/sign-in?redirect_uri=${APP}&redirect_uri=https://evil.example`,
    `/oauth/authorize?provider=google&provider=github&redirect_uri=${APP}`,
    `/oauth/authorize?provider=google&redirect_uri=${APP}&login_hint=ada&login_hint=mary`,
    `/__svc/begin?instance=acme&instance=globex&provider=google&redirect_uri=${APP}`,
    "/oauth/google/callback?code=a&code=b&state=s",
    "/__svc/signed-in?token=a&token=b",
  ])("T34: no parameter comes twice: %s", async (path) => {
    const { as, acme } = await setup();
    expect(await answer(await as(acme, path))).toEqual([400, { error: "Bad request: a query parameter is repeated" }]);
  });

  it("T34: a state that comes twice is refused, and is not used up by that", async () => {
    const service = await setup();
    const { callback, state } = await begun(service);
    expect((await service.fetch(`${callback}&state=${state}`)).status).toBe(400);
    expect(locationOf(await service.fetch(callback)).searchParams.has("token")).toBe(true);
  });

  it.each([
    (token: string) => `{"token":"${token}","token":"x"}`,
    (token: string) => `{"token":"x","token":"${token}"}`,
    (token: string) => `{"token":"${token}","token":"${token}"}`,
    (token: string) => `{"token":"x","\\u0074oken":"${token}"}`,
    (token: string) => `{"a":{"token":"x"},"token":"${token}","a":1}`,
  ])("T34: no key of a body comes twice (%#)", async (write) => {
    const { as, acme } = await setup();
    const token = sign(acme.secret_key, claimsOf(acme));
    const response = await as(acme, VERIFY, { ...verifying(token), body: write(token) });
    expect(await answer(response)).toEqual([400, { error: "Invalid JSON: a key is repeated" }]);
  });
});

/** Every command line that the help names. */
async function commandLines(path: readonly string[] = []): Promise<string[][]> {
  const { stdout } = await runCli([...path, "--help"]);
  const [, commands = ""] = stdout.split("\nCommands:\n");
  const names = [...(commands.split("\n\n")[0] ?? "").matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name]) => name ?? []);
  const below = await Promise.all(names.filter((name) => name !== "help").map((name) => commandLines([...path, name])));
  return [[...path], ...below.flat()];
}

/** A directory's mode and those of its files. */
function modesIn(directory: string): Record<string, string> {
  const modes = [".", ...readdirSync(directory)].map((name) => {
    const { mode } = statSync(join(directory, name));
    return [name, (mode & 0o777).toString(8)];
  });
  return Object.fromEntries(modes) as Record<string, string>;
}

/** What the commands take for a server that runs here; it is the attacker's. */
function plant(directory: string): string {
  const url = "http://evil.example";
  const instance = { id: NOBODY, name: "A", subdomain: "a", url, publishable_key: "pk_evil", secret_key: SECRET };
  const path = join(directory, ".svc", "server.json");
  mkdirSync(join(directory, ".svc"));
  writeFileSync(path, JSON.stringify({ pid: process.pid, url, api_url: url, instances: [instance] }), { mode: 0o600 });
  return path;
}

/** A script's question whether a token is valid, in a directory with such a server; the server says yes. */
function verifyIn(cwd: string): ReturnType<typeof runCli> {
  const body = JSON.stringify({ id: ADA, resource: "token", data: { valid: true } });
  return runCli(["tokens", "verify", "-q", "-"], { cwd, stdin: "a.b.c", fetch: answering(200, body).fetch });
}

describe("T40: secrets on this machine", { timeout: 20_000 }, () => {
  it("are taken by no flag", async () => {
    const paths = await commandLines();
    expect(paths.map((path) => path.join(" "))).toEqual(
      expect.arrayContaining(["serve", "users delete", "tokens verify", "sign-in"]),
    );
    const flags = await Promise.all(
      paths.map(async (path) => (await runCli([...path, "--help"])).stdout.match(/--[\w-]+ [<[][^\s>\]]+/g) ?? []),
    );
    expect(flags.flat().length).toBeGreaterThan(10);
    const secret = flags.flat().filter((flag) => /secret|key|token|password|credential/i.test(flag));
    expect(secret.filter((flag) => !flag.startsWith("--publishable-key "))).toEqual([]);
  });

  it.each([
    ["--secret-key", SECRET],
    [`--secret-key=${SECRET}`],
    ["users", "list", "--secret-key", SECRET],
    ["users", "get", SECRET],
    ["users", "list", SECRET],
    [`--base-url=${SECRET}`, "users", "list"],
    ["serve", "--seed", SECRET],
  ])("in an argument are refused and not repeated: %s %s", async (...argv) => {
    const { code, stdout, stderr, requests } = await runCli(argv.filter((argument) => argument !== undefined));
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).toContain("SVC_SECRET_KEY");
    expect(leaks([stderr], [SECRET])).toEqual([]);
  });

  describe.skipIf(process.platform === "win32")("in files", () => {
    it("are for their owner alone, whatever the umask is", async () => {
      const cwd = temporaryDirectory();
      const command = ["/bin/sh", "-c", `umask 000; exec "$0" "$@"`, process.execPath];
      const server = await startSvc(["--json", "--seed", seedFile()], { cwd, command });
      const token = `/oauth/authorize?provider=google&login_hint=ada&redirect_uri=${APP}`;
      for (let i = 0; i < 20; i++) expect((await ask(server.port, { path: token })).status).toBe(302);
      const running = modesIn(join(cwd, ".svc"));
      expect(Object.keys(running)).toEqual(expect.arrayContaining(["server.json", "db.journal"]));
      await server.stop();
      const stopped = modesIn(join(cwd, ".svc"));
      expect(Object.keys(stopped)).toContain("db.json");
      for (const { ".": directory, ...files } of [running, stopped]) {
        expect([directory, ...new Set(Object.values(files))]).toEqual(["700", "600"]);
      }
    });

    it("are so without a store too", async () => {
      const cwd = temporaryDirectory();
      const command = ["/bin/sh", "-c", `umask 000; exec "$0" "$@"`, process.execPath];
      await startSvc(["--json", "--store", "memory"], { cwd, command });
      expect(modesIn(join(cwd, ".svc"))).toEqual({ ".": "700", ".gitignore": "600", "server.json": "600" });
    });

    it("become so again at a start, where somebody opened them", async () => {
      const directory = join(temporaryDirectory(), ".svc");
      const options = { port: 0, store: join(directory, "db.json") };
      await (await serve({ ...options, seed: seedFile() })).close();
      writeFileSync(join(directory, "db.journal"), "");
      for (const name of ["db.json", "db.journal"]) chmodSync(join(directory, name), 0o644);
      chmodSync(directory, 0o755);
      const server = await serve(options);
      const { ".": mode, ...files } = modesIn(directory);
      await server.close();
      expect([mode, ...new Set(Object.values(files))]).toEqual(["700", "600"]);
    });

    it("are in no process's arguments, and git is told to leave them", async () => {
      const cwd = temporaryDirectory();
      const env = { SVC_GOOGLE_CLIENT_ID: "id", SVC_GOOGLE_CLIENT_SECRET: CLIENT_SECRET, SVC_SECRET_KEY: SECRET };
      const server = await startSvc(["--json", "--seed", seedFile()], { cwd, env });
      if (process.platform === "linux") {
        const cmdline = readFileSync(`/proc/${server.child.pid}/cmdline`, "utf8");
        expect(cmdline).toContain("serve");
        expect(leaks([cmdline], [CLIENT_SECRET, SECRET, KEY])).toEqual([]);
      }
      expect(readFileSync(join(cwd, ".svc", ".gitignore"), "utf8")).toBe("*\n");
    });

    it("that the server left are used by the commands beside it", async () => {
      const cwd = temporaryDirectory();
      plant(cwd);
      expect((await verifyIn(cwd)).code).toBe(0);
    });

    it("that others can write to name no server: it would be told every token, and call each one valid", async () => {
      const cwd = temporaryDirectory();
      chmodSync(plant(cwd), 0o666);
      const { code, requests } = await verifyIn(cwd);
      expect([code, requests]).toEqual([4, []]);
    });

    it.skipIf(process.getuid?.() !== 0)("that belong to somebody else name no server", async () => {
      const cwd = temporaryDirectory();
      chownSync(plant(cwd), 65_534, 65_534);
      const inner = join(cwd, "project");
      mkdirSync(inner);
      const { code, requests } = await verifyIn(inner);
      expect([code, requests]).toEqual([4, []]);
    });
  });
});
