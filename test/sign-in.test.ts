import { createHash, createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBinding, endBinding } from "../src/server/sign-in/binding.ts";
import { openJsonStore } from "../src/server/store/json/index.ts";
import type { IdentityRecord, StateRecord } from "../src/server/store/records.ts";
import type { Store } from "../src/server/store/store.ts";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../src/wire/errors.ts";
import type { Fetch, FetchResponse } from "../src/wire/fetch.ts";
import { PROVIDERS, type Provider } from "../src/wire/names.ts";
import type { Session, User } from "../src/wire/resources.ts";
import { APP, decodePart, FRONT, SEED, setup, START, type Service } from "./_setup.ts";

/** What a browser can't be made to leave out. */
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "sec-fetch-site": "cross-site",
};
const CREDENTIALS = {
  google: { client_id: "our-google", client_secret: "google-secret" },
  github: { client_id: "our-github", client_secret: "github-secret" },
  twitter: { client_id: "our-twitter", client_secret: "twitter-secret" },
};
const UNKNOWN_PROVIDER = { error: "Unknown provider: use one of google, github, twitter" };
const [ACME, GLOBEX] = SEED.instances as [object, object];

function authorizePath(provider: Provider, login_hint = "ada", redirect_uri = APP): string {
  return `/oauth/authorize?${new URLSearchParams({ provider, redirect_uri, login_hint }).toString()}`;
}

function locationOf(response: Response): URL {
  expect(response.status).toBe(302);
  return new URL(response.headers.get("location")!);
}

/** A sign-in up to the address that the simulated provider sends the browser back to. */
async function untilCallback(service: Service, ...request: Parameters<typeof authorizePath>): Promise<URL> {
  const toProvider = locationOf(await service.fetch(authorizePath(...request)));
  return locationOf(await service.fetch(toProvider.href));
}

async function begun(service: Service, provider: Provider): Promise<string> {
  return locationOf(await service.fetch(authorizePath(provider))).searchParams.get("state")!;
}

/** Reads a state's record and leaves it where it was. */
async function recordOf({ store }: Service, state: string): Promise<StateRecord> {
  const record = await store.takeState(state);
  await store.saveState(record!);
  return record!;
}

/** The stored link of a provider's account, which no endpoint shows. */
async function identityOf(store: Store, instance_id: string, provider: Provider, uid: string): Promise<IdentityRecord> {
  const seen: IdentityRecord[] = [];
  const looking = new Error("only looking");
  const signIn = { instance_id, provider, uid, email: "nobody@nowhere.test", ip_address: "127.0.0.1" };
  await expect(
    store.completeSignIn({
      ...signIn,
      resolveUser({ known }) {
        if (known) seen.push(known.identity);
        throw looking;
      },
      openSession() {
        throw looking;
      },
    }),
  ).rejects.toBe(looking);
  expect(seen).toHaveLength(1);
  return seen[0]!;
}

function failure(code: SignInErrorCode): string {
  return `${APP}?error=${code}&error_description=${encodeURIComponent(SIGN_IN_ERRORS[code])}`;
}

async function expectRefusedState(response: Response): Promise<void> {
  expect(response.headers.get("location")).toBeNull();
  expect([response.status, await response.json()]).toEqual([400, { error: "Invalid or expired state" }]);
}

function reply(body: unknown): FetchResponse {
  return new Response(JSON.stringify(body)) as FetchResponse;
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]!.split(";")[0]!;
}

/** Keeps cookies as a browser does: by host and path, and until they are taken back. */
class Browser {
  readonly #service: Service;
  readonly #cookies = new Map<string, { host: string; path: string; pair: string }>();

  constructor(service: Service) {
    this.#service = service;
  }

  async get(address: string): Promise<Response> {
    const { href, hostname, pathname } = new URL(address, FRONT);
    const cookie = [...this.#cookies.values()]
      .filter(({ host, path }) => host === hostname && pathname.startsWith(path))
      .map(({ pair }) => pair)
      .join("; ");
    const response = await this.#service.fetch(href, { headers: { ...BROWSER, ...(cookie && { cookie }) } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const path = attributes.find((attribute) => attribute.startsWith("Path="))!.slice("Path=".length);
      const name = pair.slice(0, pair.indexOf("="));
      if (attributes.includes("Max-Age=0")) this.#cookies.delete(name);
      else this.#cookies.set(name, { host: hostname, path, pair });
    }
    return response;
  }

  /** Follows redirects up to the first address with the path, which is not asked for. */
  async follow(address: string, until: string): Promise<URL> {
    let url = new URL(address, FRONT);
    do url = locationOf(await this.get(url.href));
    while (url.pathname !== until);
    return url;
  }

  get cookies(): string[] {
    return [...this.#cookies.values()].map(({ pair }) => pair);
  }
}

describe("GET /sign-in", () => {
  it.each([
    ["acme", "google"],
    ["globex", "github"],
  ])("at %s redirects to the instance's default provider, %s", async (subdomain, provider) => {
    const { fetch } = await setup();
    const response = await fetch(`http://${subdomain}.localhost:7820/sign-in?redirect_uri=${encodeURIComponent(APP)}`);
    expect(locationOf(response).href).toMatch(`${FRONT}/__svc/simulator/${provider}/authorize?response_type=code&`);
    expect(await response.text()).toBe("");
  });

  it("serves the first instance at the front door", async () => {
    const service = await setup();
    const response = await service.fetch(`/sign-in?redirect_uri=${encodeURIComponent(APP)}`);
    const record = await recordOf(service, locationOf(response).searchParams.get("state")!);
    expect([record.instance_id, record.provider]).toEqual([service.acme.id, "google"]);
  });

  it("takes a provider in the query too", async () => {
    const { fetch } = await setup();
    const response = await fetch(`/sign-in?provider=twitter&redirect_uri=${encodeURIComponent(APP)}`);
    expect(locationOf(response).pathname).toBe("/__svc/simulator/twitter/authorize");
  });

  it.each(PROVIDERS)("ends with a token at the application, through %s", async (provider) => {
    const { signIn, as, acme } = await setup();
    const url = await signIn(provider, "ada");
    expect([url.origin + url.pathname, [...url.searchParams.keys()]]).toEqual([APP, ["token"]]);
    const verified = await as(acme, "/api/v1/tokens/verify", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: url.searchParams.get("token") }),
    });
    expect([verified.status, await verified.json()]).toMatchObject([200, { data: { valid: true, provider } }]);
  });
});

describe("GET /oauth/authorize", () => {
  const SCOPES = {
    google: "openid email profile",
    github: "user:email read:user",
    twitter: "tweet.read users.read",
  };
  const REAL = {
    google: "https://accounts.google.com/o/oauth2/v2/auth",
    github: "https://github.com/login/oauth/authorize",
    twitter: "https://x.com/i/oauth2/authorize",
  };
  const challenge = {
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    code_challenge_method: "S256",
  };

  it.each(PROVIDERS)("sends %s what the spec says, and nothing else", async (provider) => {
    const { fetch } = await setup({ credentials: CREDENTIALS });
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const url = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
    expect(url.origin + url.pathname).toBe(REAL[provider]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: `our-${provider}`,
      redirect_uri: `${FRONT}/oauth/${provider}/callback`,
      scope: SCOPES[provider],
      state: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      ...(provider === "twitter" ? challenge : {}),
    });
    expect([...url.searchParams]).toHaveLength(provider === "twitter" ? 7 : 5);
  });

  it.each([
    ["google", "login_hint"],
    ["github", "login"],
    ["twitter", undefined],
  ] as const)("passes login_hint on to %s as %s", async (provider, name) => {
    const { fetch } = await setup({ credentials: CREDENTIALS });
    const url = locationOf(await fetch(authorizePath(provider, "ada@acme.test")));
    const passed = [...url.searchParams].filter(([, value]) => value === "ada@acme.test");
    expect(passed).toEqual(name === undefined ? [] : [[name, "ada@acme.test"]]);
  });

  it.each(["", "Google", "google ", "google,github", "password", "email", "__proto__", "facebook"])(
    "refuses the provider %j",
    async (provider) => {
      const { fetch } = await setup();
      for (const path of ["/oauth/authorize", "/sign-in", "/__svc/begin"]) {
        const query = new URLSearchParams({ instance: "acme", provider, redirect_uri: APP });
        const response = await fetch(`${path}?${query.toString()}`);
        expect([response.status, await response.json()]).toEqual([400, UNKNOWN_PROVIDER]);
      }
    },
  );

  it("wants a provider", async () => {
    const { fetch } = await setup();
    const response = await fetch(`/oauth/authorize?redirect_uri=${encodeURIComponent(APP)}`);
    expect([response.status, await response.json()]).toEqual([400, UNKNOWN_PROVIDER]);
  });

  it.each(["/sign-in", "/oauth/authorize"])("answers 404 at an instance that is not active: %s", async (path) => {
    const { fetch } = await setup({ seed: { ...SEED, instances: [ACME, { ...GLOBEX, active: false }] } });
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
    const response = await fetch(`http://globex.localhost:7820${path}?${query.toString()}`);
    expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
  });

  it.each(["/sign-in", "/oauth/authorize", "/oauth/google/callback"])("is not at the API's host: %s", async (path) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
    const response = await fetch(`http://api.localhost:7820${path}?${query.toString()}`);
    expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
  });
});

describe("PKCE", () => {
  it("is used for twitter: 32 random bytes in the record, their SHA-256 in the request", async () => {
    const service = await setup();
    const { searchParams } = locationOf(await service.fetch(authorizePath("twitter")));
    const { code_verifier } = await recordOf(service, searchParams.get("state")!);
    expect(Buffer.from(code_verifier!, "base64url")).toHaveLength(32);
    expect(code_verifier).toMatch(/^[\w-]{43}$/);
    const hash = createHash("sha256").update(code_verifier!).digest("base64url");
    expect([searchParams.get("code_challenge"), searchParams.get("code_challenge_method")]).toEqual([hash, "S256"]);
  });

  it("makes a new verifier for every sign-in", async () => {
    const service = await setup();
    const states = await Promise.all(Array.from({ length: 20 }, () => begun(service, "twitter")));
    const records = await Promise.all(states.map((state) => recordOf(service, state)));
    expect(new Set(records.map((record) => record.code_verifier)).size).toBe(20);
  });

  it.each(["google", "github"] as const)("is not used for %s", async (provider) => {
    const service = await setup();
    const state = await begun(service, provider);
    expect((await recordOf(service, state)).code_verifier).toBeNull();
  });

  it("sends the verifier in the body of the code exchange, and never in an address", async () => {
    const addresses: string[] = [];
    const bodies: string[] = [];
    const fetch: Fetch = async (url, { body }) => {
      addresses.push(url);
      if (body === undefined) return reply({ data: { id: "3001", username: "ada" } });
      bodies.push(body);
      return reply({ access_token: "t" });
    };
    const service = await setup({ credentials: CREDENTIALS, fetch });
    const toProvider = locationOf(await service.fetch(authorizePath("twitter")));
    const state = toProvider.searchParams.get("state")!;
    const { code_verifier } = await recordOf(service, state);
    const toApp = locationOf(await service.fetch(`/oauth/twitter/callback?code=c&state=${state}`));
    expect(toApp.searchParams.has("token")).toBe(true);
    expect(bodies.map((body) => new URLSearchParams(body).get("code_verifier"))).toEqual([code_verifier]);
    expect([toProvider.href, toApp.href, ...addresses].filter((url) => url.includes(code_verifier!))).toEqual([]);
  });
});

describe("the state", () => {
  it("is recorded as the spec says", async () => {
    const service = await setup();
    const state = await begun(service, "google");
    expect(state).toMatch(/^[0-9a-f]{64}$/);
    expect(await recordOf(service, state)).toEqual({
      state,
      instance_id: service.acme.id,
      provider: "google",
      redirect_uri: APP,
      code_verifier: null,
      binding: null,
      created_at: "2026-06-01T12:00:00.000Z",
      expires_at: "2026-06-01T12:10:00.000Z",
    });
  });

  it("is another one each time", async () => {
    const service = await setup();
    const states = await Promise.all(Array.from({ length: 200 }, () => begun(service, "google")));
    expect(new Set(states).size).toBe(200);
  });

  it("is good after 599 seconds", async () => {
    const service = await setup();
    const toProvider = locationOf(await service.fetch(authorizePath("google")));
    service.clock.advance(599);
    const toCallback = locationOf(await service.fetch(toProvider.href));
    expect(locationOf(await service.fetch(toCallback.href)).searchParams.has("token")).toBe(true);
  });

  it("is refused after 601 seconds", async () => {
    const service = await setup();
    const toProvider = locationOf(await service.fetch(authorizePath("google")));
    service.clock.advance(601);
    const toCallback = locationOf(await service.fetch(toProvider.href));
    await expectRefusedState(await service.fetch(toCallback.href));
  });

  it.each(PROVIDERS)("is good for one sign-in through %s", async (provider) => {
    const service = await setup();
    const toCallback = await untilCallback(service, provider);
    expect(locationOf(await service.fetch(toCallback.href)).searchParams.has("token")).toBe(true);
    await expectRefusedState(await service.fetch(toCallback.href));
  });

  it("is used up by a sign-in that fails", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    const state = toCallback.searchParams.get("state");
    const failed = await service.fetch(`/oauth/google/callback?code=wrong&state=${state}`);
    expect(locationOf(failed).href).toBe(failure("server_error"));
    await expectRefusedState(await service.fetch(toCallback.href));
  });

  it("gives one token to fifty callbacks at once", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    const responses = await Promise.all(Array.from({ length: 50 }, () => service.fetch(toCallback.href)));
    const outcomes = responses.map(({ status, headers }) => [status, headers.get("location")?.split("=")[0]]);
    expect(outcomes.filter(([status]) => status === 302)).toEqual([[302, `${APP}?token`]]);
    expect(outcomes.filter(([status]) => status === 400)).toHaveLength(49);
  });

  it("is taken before the provider is asked anything", async () => {
    const found: unknown[] = [];
    const fetch: Fetch = async () => {
      found.push(await service.store.takeState(state));
      throw new Error("enough seen");
    };
    const service = await setup({ credentials: CREDENTIALS, fetch });
    const state = await begun(service, "google");
    await service.fetch(`/oauth/google/callback?code=c&state=${state}`);
    expect(found).toEqual([undefined]);
  });

  it.each(
    PROVIDERS.flatMap((begunAt) =>
      PROVIDERS.filter((other) => other !== begunAt).map((endedAt) => [begunAt, endedAt] as const),
    ),
  )("of %s is refused, and used up, at the callback of %s", async (begunAt, endedAt) => {
    let calls = 0;
    const fetch: Fetch = () => {
      calls++;
      return Promise.reject(new Error("must not be asked"));
    };
    const service = await setup({ credentials: CREDENTIALS, fetch });
    const state = await begun(service, begunAt);
    await expectRefusedState(await service.fetch(`/oauth/${endedAt}/callback?code=c&state=${state}`));
    await expectRefusedState(await service.fetch(`/oauth/${begunAt}/callback?code=c&state=${state}`));
    expect(calls).toBe(0);
  });

  it.each([
    ["missing", ""],
    ["empty", "&state="],
    ["unknown", `&state=${"0".repeat(64)}`],
    ["too short", `&state=${"a".repeat(63)}`],
    ["too long", `&state=${"a".repeat(65)}`],
    ["not hexadecimal", `&state=${"g".repeat(64)}`],
    ["a property's name", "&state=__proto__"],
    ["followed by a line feed", `&state=${"a".repeat(64)}%0A`],
  ])("that is %s is refused", async (_what, query) => {
    const { fetch } = await setup();
    await expectRefusedState(await fetch(`/oauth/google/callback?code=c${query}`));
    await expectRefusedState(await fetch(`/oauth/google/callback?error=access_denied${query}`));
  });

  it("is refused in other letters than it was given out in", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    const state = toCallback.searchParams.get("state")!;
    await expectRefusedState(await service.fetch(toCallback.href.replace(state, state.toUpperCase())));
  });

  it("is refused with a page, and no redirect, where a browser asks for one", async () => {
    const { fetch } = await setup();
    const response = await fetch("/oauth/google/callback?code=c&state=x", {
      headers: { ...BROWSER, accept: "text/html" },
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(response.headers.get("location")).toBeNull();
    expect(await response.text()).toContain('<h1 data-testid="error-title">Invalid or expired state</h1>');
  });
});

describe("GET /oauth/:provider/callback", () => {
  it("answers 302 with an empty body, and with headers that keep the token from others", async () => {
    const service = await setup();
    const response = await service.fetch((await untilCallback(service, "google")).href);
    expect([response.status, await response.text()]).toEqual([302, ""]);
    const token = new URL(response.headers.get("location")!).searchParams.get("token")!;
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cross-origin-resource-policy": "same-origin",
      location: `${APP}?token=${token}`,
      pragma: "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect([...response.headers].filter(([, value]) => value.includes(token)).map(([name]) => name)).toEqual([
      "location",
    ]);
    expect([response.headers.has("content-type"), response.headers.has("set-cookie")]).toEqual([false, false]);
  });

  it("keeps the application's own query, and replaces a token in it", async () => {
    const { signIn } = await setup();
    const url = await signIn("google", "ada", { redirect_uri: `${APP}?state=a%2Bb&token=forged&next=%2Fhome&x` });
    expect(url.href).toMatch(
      /^http:\/\/localhost:3000\/callback\?state=a%2Bb&next=%2Fhome&x&token=[\w-]+\.[\w-]+\.[\w-]+$/,
    );
  });

  it("refuses a code and an error in one", async () => {
    const service = await setup();
    const response = await service.fetch(`${(await untilCallback(service, "google")).href}&error=access_denied`);
    const error = "Bad request: a callback carries a code or an error, not both";
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  it.each(["code", "state"])("refuses a repeated %s", async (name) => {
    const service = await setup();
    const response = await service.fetch(`${(await untilCallback(service, "google")).href}&${name}=again`);
    const error = "Bad request: a query parameter is repeated";
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  it("refuses a provider that there is not", async () => {
    const { fetch } = await setup();
    const response = await fetch("/oauth/facebook/callback?code=c&state=s");
    expect([response.status, await response.json()]).toEqual([400, UNKNOWN_PROVIDER]);
  });

  it("is at the front door alone", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    const response = await service.fetch(toCallback.href.replace("//localhost", "//acme.localhost"));
    expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
  });
});

describe("a sign-in that fails after a good state", () => {
  it.each([
    ["error=access_denied", "access_denied"],
    ["error=temporarily_unavailable", "temporarily_unavailable"],
    ["error=server_error", "server_error"],
    ["error=invalid_scope&error_description=outside+text&error_uri=https%3A%2F%2Fevil.test", "server_error"],
    ["error=%3Cscript%3Ealert(1)%3C%2Fscript%3E", "server_error"],
    ["error=__proto__", "server_error"],
    ["error=", "server_error"],
    ["code=never-given-out", "server_error"],
    ["code=", "server_error"],
    ["scope=openid", "server_error"],
  ] as const)("with %s tells the application %s, in our own words", async (query, code) => {
    const service = await setup();
    const state = await begun(service, "google");
    const response = await service.fetch(`/oauth/google/callback?${query}&state=${state}`);
    expect([response.status, response.headers.get("location")]).toEqual([302, failure(code)]);
    expect(await response.text()).toBe("");
    await expectRefusedState(await service.fetch(`/oauth/google/callback?${query}&state=${state}`));
  });

  it.each(PROVIDERS)("tells the application that its user cancelled at %s", async (provider) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const toProvider = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
    const toPicker = locationOf(await fetch(toProvider.href));
    const toCallback = locationOf(await fetch(`${toPicker.href}&cancel=1`));
    expect(locationOf(await fetch(toCallback.href)).href).toBe(failure("access_denied"));
  });

  it.each([
    ["google", "alan", "email_not_verified"],
    ["github", "alan", "email_not_verified"],
    ["google", "charles@acme.test", "account_conflict"],
  ] as const)("tells the application of %s's %s: %s", async (provider, email, code) => {
    const charles = { name: "Charles", email: "charles@acme.test", google: { sub: "77", email_verified: true } };
    const { signIn, log } = await setup({ seed: { ...SEED, personas: [...SEED.personas, charles] } });
    expect((await signIn(provider, email)).href).toBe(failure(code));
    expect(log.failures).toEqual([expect.stringMatching(`^${provider}: ${code}: `)]);
  });

  it.each(PROVIDERS)("tells the application that %s can't be reached", async (provider) => {
    const service = await setup({ credentials: CREDENTIALS });
    const state = await begun(service, provider);
    const response = await service.fetch(`/oauth/${provider}/callback?code=c&state=${state}`);
    expect(locationOf(response).href).toBe(failure("temporarily_unavailable"));
    expect(service.log.failures).toEqual([`${provider}: temporarily_unavailable: ${provider} could not be reached`]);
  });

  it("tells the application that nothing can be stored just now", async () => {
    const directory = await mkdtemp(join(tmpdir(), "svc-"));
    const store = await openJsonStore(join(directory, "db.json"), { warn: () => {} });
    onTestFinished(async () => {
      await store.close();
      await rm(directory, { recursive: true });
    });
    const fetch: Fetch = async (_url, { method }) => {
      if (method === "POST") return reply({ access_token: "t" });
      await rm(join(directory, "db.journal"));
      return reply({ sub: "1001", email: "ada@acme.test", email_verified: true });
    };
    const service = await setup({ store, credentials: CREDENTIALS, fetch });
    const state = await begun(service, "google");
    const response = await service.fetch(`/oauth/google/callback?code=c&state=${state}`);
    expect(locationOf(response).href).toBe(failure("temporarily_unavailable"));
    expect(service.log.bugs).toEqual([]);
  });

  it("leaves no token in the application's address, and keeps the rest of it", async () => {
    const { signIn } = await setup();
    const url = await signIn("google", "alan", { redirect_uri: `${APP}?token=forged&a=1&error=old` });
    const description = encodeURIComponent(SIGN_IN_ERRORS.email_not_verified);
    expect(url.href).toBe(`${APP}?a=1&error=email_not_verified&error_description=${description}`);
  });
});

describe("the token", () => {
  it.each([
    ["google", "ada", { email: "ada@acme.test", name: "Ada Lovelace" }],
    ["github", "ada", { email: "ada@acme.test", name: "Ada Lovelace" }],
    ["twitter", "ada", { email: "3001@twitter.invalid", name: "Ada Lovelace" }],
    ["google", "mary", { email: "mary@geneva.test", name: "mary@geneva.test" }],
    ["github", "mary", { email: "mary@geneva.test", name: "mshelley" }],
    ["twitter", "mary", { email: "3003@twitter.invalid", name: "mshelley" }],
  ] as const)("of a sign-in through %s as %s says this and no more", async (provider, as, { email, name }) => {
    const { tokenFor, client, acme } = await setup();
    const token = await tokenFor(provider, as);
    const [user] = await client(acme).users.search(`email:${email}`);
    expect(decodePart(token, 0)).toEqual({ alg: "HS256", typ: "JWT" });
    expect(decodePart(token, 1)).toEqual({
      iss: "svc",
      sub: user!.id,
      email,
      name,
      avatar_url: `${FRONT}/__svc/simulator/avatars/${as}.svg`,
      provider,
      instance_id: acme.id,
      app_id: acme.app_id,
      iat: START.getTime() / 1000,
      exp: START.getTime() / 1000 + 3600,
    });
  });

  it("is signed with the whole secret key of the instance that was signed in to", async () => {
    const { tokenFor, globex } = await setup();
    const token = await tokenFor("github", "ada", globex);
    const at = token.lastIndexOf(".");
    const signature = createHmac("sha256", globex.secret_key).update(token.slice(0, at)).digest("base64url");
    expect(token.slice(at + 1)).toBe(signature);
    expect(decodePart(token, 1)).toMatchObject({ instance_id: globex.id, app_id: globex.app_id });
  });

  it("is dated when it is issued, not when the sign-in began", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "google");
    service.clock.advance(60.9);
    const url = locationOf(await service.fetch(toCallback.href));
    const iat = START.getTime() / 1000 + 60;
    expect(decodePart(url.searchParams.get("token")!, 1)).toMatchObject({ iat, exp: iat + 3600 });
  });
});

describe("the user", () => {
  it.each([
    ["google", "mary@geneva.test", "mary@geneva.test", true],
    ["github", "mary@geneva.test", "mshelley", false],
    ["twitter", "3003@twitter.invalid", "mshelley", false],
  ] as const)("is made by the first sign-in through %s", async (provider, email, name, email_verified) => {
    const { tokenFor, as, acme } = await setup();
    const { sub } = decodePart(await tokenFor(provider, "mary"), 1) as { sub: string };
    expect(await (await as(acme, `/api/v1/users/${sub}`)).json()).toEqual({
      id: sub,
      resource: "user",
      data: {
        email,
        name,
        avatar_url: `${FRONT}/__svc/simulator/avatars/mary.svg`,
        email_verified,
        providers: [provider],
        created_at: START.toISOString(),
      },
    } satisfies User);
  });

  it.each(PROVIDERS)("is found again by the account at %s", async (provider) => {
    const { tokenFor, as, acme } = await setup();
    const first = decodePart(await tokenFor(provider, "mary"), 1);
    const users = await (await as(acme, "/api/v1/users")).json();
    const again = decodePart(await tokenFor(provider, "mary"), 1);
    expect(again["sub"]).toBe(first["sub"]);
    expect(await (await as(acme, "/api/v1/users")).json()).toEqual(users);
  });

  it("follows the provider's name and picture, and keeps its e-mail address", async () => {
    const known = {
      id: "00000000-0000-4000-8000-0000000000a9",
      email: "before@acme.test",
      name: "Before",
      avatar_url: "https://acme.test/before.png",
      created_at: "2026-01-05T09:00:00Z",
      identities: [{ provider: "github", uid: "2001", email: "before@acme.test", email_verified: true }],
    };
    const service = await setup({ seed: { ...SEED, instances: [{ ...ACME, users: [known] }, GLOBEX] } });
    await service.tokenFor("github", "ada");
    const { user } = (await service.store.findUser(service.acme.id, known.id))!;
    expect(user).toEqual({
      id: known.id,
      instance_id: service.acme.id,
      email: "before@acme.test",
      name: "Ada Lovelace",
      avatar_url: `${FRONT}/__svc/simulator/avatars/ada.svg`,
      email_verified_at: null,
      password_digest: null,
      created_at: "2026-01-05T09:00:00.000Z",
      updated_at: START.toISOString(),
    });
    expect(await (await service.as(service.acme, "/api/v1/users")).json()).toHaveLength(1);
  });

  it("has its e-mail address verified by google, at the time of the sign-in", async () => {
    const ada = { ...SEED.instances[0]!.users[0]!, email_verified_at: null };
    const service = await setup({ seed: { ...SEED, instances: [{ ...ACME, users: [ada] }, GLOBEX] } });
    await service.tokenFor("google", "ada");
    const { user } = (await service.store.findUser(service.acme.id, ada.id))!;
    expect(user.email_verified_at).toBe(START.toISOString());
  });

  it("keeps the time at which its e-mail address was first verified", async () => {
    const service = await setup();
    await service.tokenFor("google", "ada");
    const { user } = (await service.store.findUser(service.acme.id, "00000000-0000-4000-8000-0000000000a1"))!;
    expect(user.email_verified_at).toBe("2026-01-05T09:00:00.000Z");
  });

  it("is another one in another instance", async () => {
    const { tokenFor, acme, globex } = await setup();
    const atAcme = decodePart(await tokenFor("google", "mary", acme), 1);
    const atGlobex = decodePart(await tokenFor("google", "mary", globex), 1);
    expect([atAcme["email"], atGlobex["email"]]).toEqual(["mary@geneva.test", "mary@geneva.test"]);
    expect(atGlobex["sub"]).not.toBe(atAcme["sub"]);
  });

  it("is a new one after it was deleted, with nothing of the old one", async () => {
    const { tokenFor, client, acme } = await setup();
    const before = decodePart(await tokenFor("google", "mary"), 1) as { sub: string };
    await client(acme).users.delete(before.sub);
    const after = decodePart(await tokenFor("google", "mary"), 1) as { sub: string };
    expect(after.sub).not.toBe(before.sub);
    const sessions = await client(acme).sessions.search("email:mary@geneva.test");
    expect(sessions.map((session) => session.data.user_id)).toEqual([after.sub]);
  });

  it.each([
    ["google", "1003", 3599],
    ["github", "2003", null],
    ["twitter", "3003", 7200],
  ] as const)("has its tokens of %s stored, and refreshed at the next sign-in", async (provider, uid, lifetime) => {
    const { tokenFor, store, acme, clock } = await setup();
    const expiry = (): string | null =>
      lifetime === null ? null : new Date(clock.now().getTime() + lifetime * 1000).toISOString();
    const { sub } = decodePart(await tokenFor(provider, "mary"), 1) as { sub: string };
    const first = await identityOf(store, acme.id, provider, uid);
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      instance_id: acme.id,
      user_id: sub,
      provider,
      uid,
      email: provider === "twitter" ? "3003@twitter.invalid" : "mary@geneva.test",
      email_verified: provider !== "twitter",
      access_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      refresh_token: null,
      token_expires_at: expiry(),
      created_at: START.toISOString(),
      updated_at: START.toISOString(),
    });
    clock.advance(3600);
    await tokenFor(provider, "mary");
    const second = await identityOf(store, acme.id, provider, uid);
    expect(second).toEqual({
      ...first,
      access_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      token_expires_at: expiry(),
      updated_at: clock.now().toISOString(),
    });
    expect(second.access_token).not.toBe(first.access_token);
  });
});

describe("the session", () => {
  const user = {
    id: "00000000-0000-4000-8000-0000000000a1",
    email: "ada@acme.test",
    name: "Before",
    email_verified_at: "2026-01-05T09:00:00Z",
    identities: [{ provider: "google", uid: "1001", email_verified: true }],
  };
  const before = {
    session_id: "svc_session_00000000-0000-4000-8000-00000000a001",
    provider: "google",
    ip_address: "127.0.0.1",
    logged_in_at: "2026-05-01T08:00:00Z",
  };

  async function sessionsAfter(session: object): Promise<Session[]> {
    const seed = { ...SEED, instances: [{ ...ACME, users: [{ ...user, sessions: [session] }] }] };
    const { tokenFor, as, acme } = await setup({ seed });
    await tokenFor("google", "ada");
    return (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
  }

  it("that is active goes on, for the same user, provider and address", async () => {
    const sessions = await sessionsAfter(before);
    expect(sessions.map((session) => session.data)).toEqual([
      {
        session_id: before.session_id,
        user_id: user.id,
        provider: "google",
        name: "Ada Lovelace",
        email: "ada@acme.test",
        ip_address: "127.0.0.1",
        geo_data: {},
        logged_in_at: "2026-05-01T08:00:00.000Z",
        last_signin_at: START.toISOString(),
        revoked_at: null,
        active: true,
      },
    ]);
  });

  it.each([
    ["is revoked", { ...before, revoked_at: "2026-05-02T08:00:00Z" }],
    ["was opened from another address", { ...before, ip_address: "::1" }],
    ["was opened through another provider", { ...before, provider: "github" }],
    ["was opened with a password", { ...before, provider: "password" }],
  ])("that %s stays as it was, and a new one begins", async (_what, session) => {
    const [fresh, old, ...more] = await sessionsAfter(session);
    expect(more).toEqual([]);
    expect(fresh!.data).toEqual({
      session_id: expect.stringMatching(/^svc_session_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      user_id: user.id,
      provider: "google",
      name: "Ada Lovelace",
      email: "ada@acme.test",
      ip_address: "127.0.0.1",
      geo_data: {},
      logged_in_at: START.toISOString(),
      last_signin_at: START.toISOString(),
      revoked_at: null,
      active: true,
    });
    expect(fresh!.data.session_id).not.toBe(before.session_id);
    expect(old!.data).toMatchObject({
      ...session,
      name: "Before",
      logged_in_at: "2026-05-01T08:00:00.000Z",
      last_signin_at: "2026-05-01T08:00:00.000Z",
      ...("revoked_at" in session && { revoked_at: "2026-05-02T08:00:00.000Z" }),
    });
  });

  it("of another user goes on untouched", async () => {
    const { tokenFor, as, acme } = await setup();
    const others = (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
    await tokenFor("google", "mary");
    const after = (await (await as(acme, "/api/v1/sessions")).json()) as Session[];
    expect(after.slice(1)).toEqual(others);
  });

  it("is not opened by a sign-in that fails", async () => {
    const { signIn, as, acme } = await setup();
    const sessions = await (await as(acme, "/api/v1/sessions")).json();
    await signIn("google", "alan");
    expect(await (await as(acme, "/api/v1/sessions")).json()).toEqual(sessions);
  });
});

describe("a sign-in in a browser", () => {
  /** Begun in a browser: the callback's address, and the cookie that it asks for. */
  async function halfway(service: Service): Promise<{ toCallback: string; cookie: string }> {
    const response = await service.fetch(authorizePath("google"), { headers: BROWSER });
    const toCallback = locationOf(await service.fetch(locationOf(response).href, { headers: BROWSER }));
    return { toCallback: toCallback.href, cookie: cookieOf(response) };
  }

  it("leaves a cookie for the callback alone, which ends with it", async () => {
    const { fetch } = await setup();
    const response = await fetch(authorizePath("google"), { headers: BROWSER });
    const state = locationOf(response).searchParams.get("state")!;
    const name = `svc_oauth_${createHash("sha256").update(state).digest("hex").slice(0, 8)}`;
    const scope = "Path=/oauth; HttpOnly; SameSite=Lax";
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(new RegExp(`^${name}=[\\w-]{43}; ${scope}; Max-Age=600$`)),
    ]);
    const toCallback = locationOf(await fetch(locationOf(response).href, { headers: BROWSER }));
    const end = await fetch(toCallback.href, { headers: { ...BROWSER, cookie: cookieOf(response) } });
    expect(locationOf(end).searchParams.has("token")).toBe(true);
    expect(end.headers.getSetCookie()).toEqual([`${name}=; ${scope}; Max-Age=0`]);
  });

  it("keeps only a hash of the cookie", async () => {
    const service = await setup();
    const response = await service.fetch(authorizePath("google"), { headers: BROWSER });
    const { binding } = await recordOf(service, locationOf(response).searchParams.get("state")!);
    const secret = cookieOf(response).split("=")[1]!;
    expect(binding).toBe(createHash("sha256").update(secret).digest("hex"));
  });

  it("binds the cookie to the host where there is https", () => {
    const state = "a".repeat(64);
    const end = "Path=/; Secure; HttpOnly; SameSite=Lax";
    const name = `__Host-svc_oauth_${createHash("sha256").update(state).digest("hex").slice(0, 8)}`;
    expect(createBinding(state, true).cookie).toMatch(new RegExp(`^${name}=[\\w-]{43}; ${end}; Max-Age=600$`));
    expect(endBinding(state, true)).toBe(`${name}=; ${end}; Max-Age=0`);
  });

  it.each([
    ["without the cookie", () => ""],
    ["with an empty cookie", (own: string) => own.replace(/=.*/, "=")],
    ["with another flow's cookie", (_own: string, other: string) => other],
    [
      "with another flow's secret under its own name",
      (own: string, other: string) => `${own.split("=")[0]}=${other.split("=")[1]}`,
    ],
    ["with its secret under another name", (own: string) => `x${own}`],
    ["with its secret cut short", (own: string) => own.slice(0, -1)],
  ])("can't be finished %s, and the state is used up", async (_what, change) => {
    const service = await setup();
    const [own, other] = [await halfway(service), await halfway(service)];
    const cookie = change(own.cookie, other.cookie);
    const headers = { ...BROWSER, ...(cookie && { cookie }) };
    await expectRefusedState(await service.fetch(own.toCallback, { headers }));
    await expectRefusedState(await service.fetch(own.toCallback, { headers: { ...BROWSER, cookie: own.cookie } }));
    const honest = await service.fetch(other.toCallback, { headers: { ...BROWSER, cookie: other.cookie } });
    expect(locationOf(honest).searchParams.has("token")).toBe(true);
  });

  it("can't be finished without the cookie by something that is no browser", async () => {
    const service = await setup();
    await expectRefusedState(await service.fetch((await halfway(service)).toCallback));
  });

  it.each([
    ["User-Agent", { "user-agent": BROWSER["user-agent"] }],
    ["Sec-Fetch-Site", { "sec-fetch-site": "none" }],
  ])("that something else began can't be finished there; %s gives it away", async (_what, headers) => {
    const service = await setup();
    const [one, two] = [await untilCallback(service, "google"), await untilCallback(service, "google")];
    await expectRefusedState(await service.fetch(one.href, { headers }));
    const stolen = (await halfway(service)).cookie;
    await expectRefusedState(await service.fetch(two.href, { headers: { ...headers, cookie: stolen } }));
  });

  it("is not one where a script sends what Node's fetch sends", async () => {
    const { fetch } = await setup();
    const response = await fetch(authorizePath("google"), {
      headers: { "user-agent": "node", "sec-fetch-mode": "cors" },
    });
    expect(locationOf(response).searchParams.has("state")).toBe(true);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it.each(PROVIDERS)("ends with a token through %s, and leaves no cookie behind", async (provider) => {
    const browser = new Browser(await setup());
    const url = await browser.follow(authorizePath(provider), "/callback");
    expect([...url.searchParams.keys()]).toEqual(["token"]);
    expect(browser.cookies).toEqual([]);
  });

  it("is not disturbed by another one in the same browser", async () => {
    const browser = new Browser(await setup());
    const one = await browser.follow(authorizePath("google", "ada"), "/oauth/google/callback");
    const two = await browser.follow(authorizePath("google", "mary"), "/oauth/google/callback");
    expect(browser.cookies).toHaveLength(2);
    const emails = [];
    for (const toCallback of [two, one]) {
      const url = locationOf(await browser.get(toCallback.href));
      emails.push(decodePart(url.searchParams.get("token")!, 1)["email"]);
    }
    expect(emails).toEqual(["mary@geneva.test", "ada@acme.test"]);
  });

  it.each([
    ["/sign-in?", "github"],
    ["/oauth/authorize?provider=twitter&", "twitter"],
  ])("at an instance's own host goes on at the front door: %s", async (path, provider) => {
    const service = await setup();
    const query = new URLSearchParams({ redirect_uri: APP, login_hint: "ada" }).toString();
    const response = await service.fetch(`http://globex.localhost:7820${path}${query}`, { headers: BROWSER });
    const begin = locationOf(response);
    expect([begin.origin + begin.pathname, Object.fromEntries(begin.searchParams)]).toEqual([
      `${FRONT}/__svc/begin`,
      { instance: "globex", provider, redirect_uri: APP, login_hint: "ada" },
    ]);
    expect(response.headers.getSetCookie()).toEqual([]);
    const url = await new Browser(service).follow(begin.href, "/callback");
    const claims = decodePart(url.searchParams.get("token")!, 1);
    expect([claims["instance_id"], claims["provider"]]).toEqual([service.globex.id, provider]);
  });

  it.each(["nobody", "", "api"])("does not begin for the instance %j, which there is not", async (instance) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ instance, provider: "google", redirect_uri: APP });
    const response = await fetch(`/__svc/begin?${query.toString()}`, { headers: BROWSER });
    expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
  });

  it.each(["127.0.0.1:7820", "[::1]:7820", "auth.internal:7820"])(
    "ends with a token when it begins at another name of the front door, %s",
    async (host) => {
      const browser = new Browser(await setup({ allowedHosts: ["auth.internal"] }));
      const url = await browser.follow(`http://${host}${authorizePath("google")}`, "/callback");
      expect([...url.searchParams.keys()]).toEqual(["token"]);
    },
  );
});

describe("what is logged of a sign-in", () => {
  it("holds neither its code, nor its state, nor its token", async () => {
    const service = await setup();
    const toCallback = await untilCallback(service, "twitter");
    const token = locationOf(await service.fetch(toCallback.href)).searchParams.get("token")!;
    await service.fetch(toCallback.href);
    const secrets = [toCallback.searchParams.get("code")!, toCallback.searchParams.get("state")!, token];
    const log = JSON.stringify(service.log);
    expect(service.log.requests.map(({ route }) => route)).toEqual([
      "/oauth/authorize",
      "/__svc/simulator/:provider/authorize",
      "/oauth/:provider/callback",
      "/oauth/:provider/callback",
    ]);
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  });
});

describe("HEAD", () => {
  it("does not finish a sign-in: what looks a link up must not use it up", async () => {
    const t = await setup();
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" });
    const provider = (await t.fetch(`/oauth/authorize?${query.toString()}`)).headers.get("location")!;
    const callback = (await t.fetch(provider)).headers.get("location")!;
    const response = await t.fetch(callback, { method: "HEAD" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
    expect((await t.fetch(callback)).headers.get("location")).toMatch(`${APP}?token=`);
  });
});
