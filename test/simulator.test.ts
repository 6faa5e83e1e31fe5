import { readFile, rm, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve, ServeError } from "../src/server/index.ts";
import type { Credentials, ProvidersMode } from "../src/server/providers/connections.ts";
import { parseSeed } from "../src/server/seed/index.ts";
import { createSimulator, type Simulator } from "../src/server/simulator/index.ts";
import type { FetchInit, FetchResponse } from "../src/wire/fetch.ts";
import { PROVIDERS, type Provider } from "../src/wire/names.ts";
import { APP, Clock, decodePart, FRONT, SEED, setup, START, type Service } from "./_setup.ts";

const CLIENT = { client_id: "svc-simulator", client_secret: "svc-simulator-secret" };
const OTHER = { client_id: "acme", client_secret: "acme-secret" };
/** RFC 7636, appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
const SCOPES = {
  google: "openid email profile",
  github: "user:email read:user",
  twitter: "tweet.read users.read",
};
const PICTURE = `${FRONT}/__svc/simulator/avatars/ada.svg`;

type Fields = Readonly<Record<string, string | undefined>>;

function withoutUndefined(fields: Fields): [string, string][] {
  return Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

function callbackUrl(provider: Provider): string {
  return `${FRONT}/oauth/${provider}/callback`;
}

function create(secrets = ["sk_of_the_tests"]): { simulator: Simulator; clock: Clock } {
  const clock = new Clock();
  const { personas } = parseSeed(JSON.stringify(SEED), "seed", START);
  return {
    clock,
    simulator: createSimulator({
      front: FRONT,
      callbackUrl,
      personas,
      clients: () => [OTHER],
      secrets,
      now: clock.now,
    }),
  };
}

function authorization(provider: Provider, changed: Fields = {}): ReadonlyMap<string, string> {
  const request = {
    response_type: "code",
    client_id: CLIENT.client_id,
    redirect_uri: callbackUrl(provider),
    scope: SCOPES[provider],
    state: "the-state",
    login_hint: "ada",
    ...(provider === "twitter" ? CHALLENGE : {}),
  };
  return new Map(withoutUndefined({ ...request, ...changed }));
}

function codeFor(simulator: Simulator, provider: Provider, changed?: Fields): string {
  const outcome = simulator.authorize(provider, authorization(provider, changed));
  if (!("location" in outcome)) throw new Error("a page instead of a code");
  return new URL(outcome.location).searchParams.get("code")!;
}

function basic({ client_id, client_secret } = CLIENT): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}` };
}

interface Exchange {
  form?: Fields;
  headers?: Record<string, string>;
}

/** A code exchange as the provider wants it, but for what is changed. */
function exchange(
  simulator: Simulator,
  provider: Provider,
  code: string,
  changed: Exchange = {},
): Promise<FetchResponse> {
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: callbackUrl(provider),
    client_id: CLIENT.client_id,
    ...(provider === "twitter" ? { code_verifier: VERIFIER } : { client_secret: CLIENT.client_secret }),
    ...changed.form,
  };
  const headers = { accept: "application/json", ...(provider === "twitter" ? basic() : {}), ...changed.headers };
  const body = new URLSearchParams(withoutUndefined(form)).toString();
  return simulator.fetch(addressOf(simulator, provider, "token"), { method: "POST", headers, body });
}

async function jsonOf(response: FetchResponse): Promise<[number, unknown]> {
  return [response.status, JSON.parse(await response.text())];
}

async function accessTokenFor(simulator: Simulator, provider: Provider, changed?: Fields): Promise<string> {
  const [, body] = await jsonOf(await exchange(simulator, provider, codeFor(simulator, provider, changed)));
  return (body as { access_token: string }).access_token;
}

function addressOf({ endpoints }: Simulator, provider: Provider, name: string): string {
  return endpoints(provider)[name]!;
}

function get(simulator: Simulator, url: string, token: string, more: FetchInit = {}): Promise<FetchResponse> {
  const headers = { authorization: `Bearer ${token}`, "user-agent": "svc-identity", ...more.headers };
  return simulator.fetch(url, { method: "GET", headers });
}

const WRONG_CLIENT = {
  google: [401, { error: "invalid_client", error_description: "The OAuth client was not found." }],
  github: [
    200,
    {
      error: "incorrect_client_credentials",
      error_description: "The client_id and/or client_secret passed are incorrect.",
    },
  ],
  twitter: [401, { error: "invalid_client", error_description: "Value passed for the client was invalid." }],
};
const WRONG_CODE = {
  google: [400, { error: "invalid_grant", error_description: "Bad Request" }],
  github: [200, { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." }],
  twitter: [
    400,
    { error: "invalid_request", error_description: "Value passed for the authorization code was invalid." },
  ],
};
const NO_BASIC = [401, { error: "unauthorized_client", error_description: "Missing valid authorization header" }];

describe("a simulated authorize endpoint", () => {
  const CHALLENGE_MISSING = "misses a code_challenge with the method S256";
  const OTHER_REDIRECT = "has another redirect_uri for this client";

  it.each(PROVIDERS)("sends a code and the state back: %s", (provider) => {
    const { simulator } = create();
    const outcome = simulator.authorize(provider, authorization(provider));
    const code = expect.stringMatching(/^[\w-]{32,512}$/) as string;
    const { origin, pathname, searchParams } = new URL((outcome as { location: string }).location);
    expect(origin + pathname).toBe(callbackUrl(provider));
    expect(Object.fromEntries(searchParams)).toEqual({ code, state: "the-state" });
  });

  it.each([
    ["google", { client_id: undefined }, "knows no such client_id"],
    ["google", { client_id: "stranger" }, "knows no such client_id"],
    ["github", { redirect_uri: undefined }, OTHER_REDIRECT],
    ["github", { redirect_uri: "https://evil.test/" }, OTHER_REDIRECT],
    ["github", { redirect_uri: `${callbackUrl("github")}/more` }, OTHER_REDIRECT],
    ["github", { redirect_uri: `${callbackUrl("github")}?x` }, OTHER_REDIRECT],
    ["github", { redirect_uri: callbackUrl("google") }, OTHER_REDIRECT],
    ["google", { response_type: undefined }, "wants response_type=code"],
    ["google", { response_type: "token" }, "wants response_type=code"],
    ["google", { scope: undefined }, "misses the scope openid"],
    ["google", { scope: "email profile" }, "misses the scope openid"],
    ["google", { scope: "openidx email" }, "misses the scope openid"],
    ["twitter", { code_challenge: undefined }, CHALLENGE_MISSING],
    ["twitter", { code_challenge_method: undefined }, CHALLENGE_MISSING],
    ["twitter", { code_challenge_method: "plain" }, CHALLENGE_MISSING],
    ["twitter", { code_challenge: "short" }, CHALLENGE_MISSING],
    ["twitter", { request: "never-given-out" }, "does not know this request any more; begin again at the application"],
  ] as const)("of %s refuses %o, and does not redirect", async (provider, changed, why) => {
    const { fetch } = await setup();
    const query = new URLSearchParams([...authorization(provider, changed)]);
    const response = await fetch(`/__svc/simulator/${provider}/authorize?${query.toString()}`);
    expect(response.headers.get("location")).toBeNull();
    const error = `Bad request: ${provider} (simulated) ${why}`;
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  it("knows a client at its own provider alone", async () => {
    const seed = { ...SEED, instances: [{ ...SEED.instances[0], connections: { google: OTHER } }] };
    const { fetch } = await setup({ seed, providers: "simulated" });
    const statuses = [];
    for (const provider of PROVIDERS) {
      const query = new URLSearchParams([...authorization(provider, { client_id: OTHER.client_id })]);
      statuses.push((await fetch(`/__svc/simulator/${provider}/authorize?${query.toString()}`)).status);
    }
    expect(statuses).toEqual([302, 400, 400]);
  });

  it.each(["/__svc/simulator/facebook/authorize", "/__svc/simulator/google/token", "/__svc/simulator/google/userinfo"])(
    "is all that a browser finds there: no %s",
    async (path) => {
      const { fetch } = await setup();
      const response = await fetch(path);
      expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
    },
  );
});

describe("a simulated token endpoint", () => {
  const access_token = expect.stringMatching(/^[\w-]{43}$/) as string;

  it.each([
    ["google", { access_token, expires_in: 3599, scope: "openid email profile", token_type: "Bearer" }],
    ["github", { access_token, scope: "user:email,read:user", token_type: "bearer" }],
    ["twitter", { access_token, expires_in: 7200, scope: "tweet.read users.read", token_type: "bearer" }],
  ] as const)("of %s answers as the real one does", async (provider, body) => {
    const { simulator } = create();
    const response = await exchange(simulator, provider, codeFor(simulator, provider));
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await jsonOf(response)).toEqual([200, body]);
  });

  it.each([
    ["google", "no secret", { form: { client_secret: undefined } }, WRONG_CLIENT],
    ["google", "a wrong secret", { form: { client_secret: "wrong" } }, WRONG_CLIENT],
    ["google", "another client's secret", { form: { client_secret: OTHER.client_secret } }, WRONG_CLIENT],
    ["google", "an unknown client", { form: { client_id: "stranger" } }, WRONG_CLIENT],
    ["google", "another client", { form: OTHER }, WRONG_CODE],
    ["google", "another redirect_uri", { form: { redirect_uri: `${callbackUrl("google")}/` } }, WRONG_CODE],
    ["google", "no redirect_uri", { form: { redirect_uri: undefined } }, WRONG_CODE],
    ["google", "another code", { form: { code: "wrong" } }, WRONG_CODE],
    ["google", "no code", { form: { code: undefined } }, WRONG_CODE],
    ["google", "a verifier that nobody asked for", { form: { code_verifier: VERIFIER } }, WRONG_CODE],
    ["github", "a wrong secret", { form: { client_secret: "wrong" } }, WRONG_CLIENT],
    ["github", "another client", { form: OTHER }, WRONG_CODE],
    ["github", "another redirect_uri", { form: { redirect_uri: callbackUrl("google") } }, WRONG_CODE],
    ["github", "another code", { form: { code: "wrong" } }, WRONG_CODE],
    ["twitter", "a wrong secret", { headers: basic({ ...CLIENT, client_secret: "wrong" }) }, WRONG_CLIENT],
    ["twitter", "another client", { headers: basic(OTHER) }, WRONG_CODE],
    ["twitter", "another redirect_uri", { form: { redirect_uri: callbackUrl("google") } }, WRONG_CODE],
    ["twitter", "no verifier", { form: { code_verifier: undefined } }, WRONG_CODE],
    ["twitter", "another verifier", { form: { code_verifier: VERIFIER.toLowerCase() } }, WRONG_CODE],
    ["twitter", "the challenge", { form: { code_verifier: CHALLENGE.code_challenge } }, WRONG_CODE],
    ["twitter", "no Basic", { form: CLIENT, headers: { authorization: "" } }, { twitter: NO_BASIC }],
  ] as const)("of %s refuses %s", async (provider, _what, changed, expected) => {
    const { simulator } = create();
    const response = await exchange(simulator, provider, codeFor(simulator, provider), changed);
    expect(await jsonOf(response)).toEqual((expected as typeof WRONG_CODE)[provider]);
  });

  it.each(PROVIDERS)("of %s takes a code once", async (provider) => {
    const { simulator } = create();
    const code = codeFor(simulator, provider);
    await exchange(simulator, provider, code);
    expect(await jsonOf(await exchange(simulator, provider, code))).toEqual(WRONG_CODE[provider]);
  });

  it.each(PROVIDERS)("of %s takes no code of another provider", async (provider) => {
    const { simulator } = create();
    const other = provider === "google" ? "github" : "google";
    const form = { redirect_uri: callbackUrl(other), code_verifier: undefined };
    const response = await exchange(simulator, provider, codeFor(simulator, other), { form });
    expect(await jsonOf(response)).toEqual(WRONG_CODE[provider]);
  });

  it("takes a code for ten minutes", async () => {
    const { simulator, clock } = create();
    const [early, late] = [codeFor(simulator, "google"), codeFor(simulator, "google")];
    clock.advance(599);
    expect((await exchange(simulator, "google", early)).status).toBe(200);
    clock.advance(2);
    expect(await jsonOf(await exchange(simulator, "google", late))).toEqual(WRONG_CODE.google);
  });

  it("compares a verifier with a challenge wherever there is one", async () => {
    const { simulator } = create();
    const right = await exchange(simulator, "google", codeFor(simulator, "google", CHALLENGE), {
      form: { code_verifier: VERIFIER },
    });
    expect(right.status).toBe(200);
    const none = await exchange(simulator, "google", codeFor(simulator, "google", CHALLENGE));
    expect(await jsonOf(none)).toEqual(WRONG_CODE.google);
  });

  it("of github answers with a form unless it is asked for JSON, errors too", async () => {
    const { simulator } = create();
    const ask = async (code: string): Promise<[string | null, object]> => {
      const response = await exchange(simulator, "github", code, { headers: { accept: "*/*" } });
      const form = Object.fromEntries(new URLSearchParams(await response.text()));
      return [response.headers.get("content-type"), form];
    };
    const type = "application/x-www-form-urlencoded; charset=utf-8";
    const body = { access_token, scope: "user:email,read:user", token_type: "bearer" };
    expect(await ask(codeFor(simulator, "github"))).toEqual([type, body]);
    expect(await ask("wrong")).toEqual([type, WRONG_CODE.github[1]]);
  });

  it("knows no other grant, and nothing of GET", async () => {
    const { simulator } = create();
    const code = codeFor(simulator, "google");
    const response = await exchange(simulator, "google", code, { form: { grant_type: "client_credentials" } });
    expect(await jsonOf(response)).toEqual([400, { error: "unsupported_grant_type" }]);
    const got = await simulator.fetch(addressOf(simulator, "google", "token"), { method: "GET" });
    expect(await jsonOf(got)).toEqual([404, { message: "Not Found" }]);
  });
});

describe("a simulated profile", () => {
  it.each([
    [
      "google",
      "userinfo",
      { sub: "1001", email: "ada@acme.test", email_verified: true, name: "Ada Lovelace", picture: PICTURE },
    ],
    ["github", "user", { id: 2001, login: "ada", name: "Ada Lovelace", email: "ada@acme.test", avatar_url: PICTURE }],
    ["github", "emails", [{ email: "ada@acme.test", primary: true, verified: true, visibility: null }]],
    ["twitter", "me", { data: { id: "3001", username: "ada", name: "Ada Lovelace", profile_image_url: PICTURE } }],
  ] as const)("of %s: %s", async (provider, name, body) => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, provider);
    expect(await jsonOf(await get(simulator, addressOf(simulator, provider, name), token))).toEqual([200, body]);
  });

  it.each([
    ["google", "userinfo"],
    ["github", "user"],
    ["github", "emails"],
    ["twitter", "me"],
  ] as const)("of %s is not shown without its token: %s", async (provider, name) => {
    const { simulator, clock } = create();
    const address = addressOf(simulator, provider, name);
    const refused = [401, { message: "Bad credentials" }];
    expect(await jsonOf(await get(simulator, address, "wrong"))).toEqual(refused);
    const anonymous = await simulator.fetch(address, { method: "GET", headers: { "user-agent": "x" } });
    expect(await jsonOf(anonymous)).toEqual(refused);
    for (const other of PROVIDERS.filter((candidate) => candidate !== provider)) {
      expect(await jsonOf(await get(simulator, address, await accessTokenFor(simulator, other)))).toEqual(refused);
    }
    const token = await accessTokenFor(simulator, provider);
    clock.advance(7201);
    expect(await jsonOf(await get(simulator, address, token))).toEqual(refused);
  });

  it("of github wants a User-Agent", async () => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "github");
    const more = { headers: { "user-agent": "" } };
    expect((await get(simulator, addressOf(simulator, "github", "user"), token, more)).status).toBe(403);
  });

  it("of github has no e-mail addresses without the scope for them", async () => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "github", { scope: "read:user" });
    expect((await get(simulator, addressOf(simulator, "github", "user"), token)).status).toBe(200);
    const emails = await get(simulator, addressOf(simulator, "github", "emails"), token);
    expect(await jsonOf(emails)).toEqual([404, { message: "Not Found" }]);
  });

  it.each(["users.read", "tweet.read", ""])("of twitter wants both its scopes, not only %j", async (scope) => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "twitter", { scope });
    const response = await get(simulator, addressOf(simulator, "twitter", "me"), token);
    expect(await jsonOf(response)).toEqual([403, { title: "Forbidden", status: 403 }]);
  });

  it("is nowhere else", async () => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "google");
    const response = await get(simulator, `${FRONT}/__svc/simulator/google/elsewhere`, token);
    expect(await jsonOf(response)).toEqual([404, { message: "Not Found" }]);
    await expect(get(simulator, "https://www.googleapis.com/userinfo", token)).rejects.toThrow(
      "The simulator has nothing at https://www.googleapis.com",
    );
  });
});

const HOSTILE = {
  id: "hostile",
  name: `"><script>alert(1)</script>'&`,
  email: `"><img/src=x>@evil.test`,
  avatar_url: "https://evil.test/x.png?a=1&b='onerror=alert(1)",
  google: { sub: "666", email_verified: false },
  github: { id: 666, login: `"><b>x`, emails: [] },
};

interface Picker {
  service: Service;
  url: URL;
  html: string;
  /** What the picker must not show. */
  toProvider: URL;
}

function locationOf(response: Response): URL {
  expect(response.status).toBe(302);
  return new URL(response.headers.get("location")!);
}

/** A sign-in up to the account picker. */
async function openPicker(provider: Provider, personas: object[] = SEED.personas, hint?: string): Promise<Picker> {
  const service = await setup({ seed: { ...SEED, personas } });
  const query = new URLSearchParams({
    provider,
    redirect_uri: APP,
    ...(hint === undefined ? {} : { login_hint: hint }),
  });
  const toProvider = locationOf(await service.fetch(`/oauth/authorize?${query.toString()}`));
  const url = locationOf(await service.fetch(toProvider.href));
  expect([url.origin + url.pathname, [...url.searchParams.keys()]]).toEqual([
    `${FRONT}/__svc/simulator/${provider}/authorize`,
    ["request"],
  ]);
  const response = await service.fetch(url.href);
  expect(response.status).toBe(200);
  return { service, url, toProvider, html: await response.text() };
}

function attribute(html: string, testId: string, name: string): string {
  const tag = new RegExp(`<[^<>]*data-testid="${testId}"[^<>]*>`).exec(html)?.[0] ?? "";
  return (new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? "").replaceAll("&amp;", "&");
}

function accountsOn(html: string): string[] {
  return [...html.matchAll(/data-testid="account-([^"]*)"/g)].map(([, id]) => id!);
}

/** From the picker to the application. */
async function choose({ service, url }: Picker, link: string): Promise<URL> {
  const toCallback = locationOf(await service.fetch(new URL(link, url).href));
  return locationOf(await service.fetch(toCallback.href));
}

function claimsOf(url: URL): Record<string, unknown> {
  return decodePart(url.searchParams.get("token")!, 1);
}

describe("the account picker", () => {
  it.each(PROVIDERS)(
    "of %s shows neither state nor code nor challenge, nor where the sign-in ends",
    async (provider) => {
      const { html, toProvider } = await openPicker(provider);
      const secrets = ["state", "code_challenge", "redirect_uri"].flatMap(
        (name) => toProvider.searchParams.get(name) ?? [],
      );
      expect(secrets).toHaveLength(provider === "twitter" ? 3 : 2);
      expect([...secrets, APP].filter((secret) => html.includes(secret))).toEqual([]);
      expect(html).not.toMatch(/name="(?:state|code|code_challenge|redirect_uri)"/);
    },
  );

  it("is a page that loads nothing and runs nothing", async () => {
    const { service, url, html } = await openPicker("google", [...SEED.personas, HOSTILE]);
    expect(html).not.toMatch(/<script|<link rel="stylesheet"|\son\w+=/i);
    const outside = [...html.matchAll(/\s(?:href|src|action)="([^"]*)"/g)]
      .map(([, address]) => address!)
      .filter((address) => !/^(?:data:,|\?|http:\/\/localhost:7820\/)/.test(address));
    expect(outside).toEqual(["https://evil.test/x.png?a=1&#38;b=&#39;onerror=alert(1)"]);
    const { headers } = await service.fetch(url.href);
    expect([headers.get("content-type"), headers.get("content-security-policy")]).toEqual([
      "text/html; charset=utf-8",
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    ]);
  });

  it.each([
    [
      "google",
      ["&#34;&#62;&#60;img/src=x&#62;@evil.test", "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;"],
    ],
    ["github", ["@&#34;&#62;&#60;b&#62;x", "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;"]],
  ] as const)("of %s shows a hostile account's texts as texts", async (provider, texts) => {
    const { html } = await openPicker(provider, [HOSTILE]);
    expect(texts.filter((text) => !html.includes(text))).toEqual([]);
    expect(html).not.toMatch(/<(?:script|img\/|b>x)/);
  });

  it("shows a hostile search and a hostile address as texts", async () => {
    const { service, url } = await openPicker("google");
    const hostile = encodeURIComponent(`"><script>alert(1)</script>`);
    const searched = await (await service.fetch(`${url.href}&q=${hostile}`)).text();
    expect(attribute(searched, "search", "value")).toBe("&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;");
    expect(searched).not.toContain("<script");
    const typed = await (await service.fetch(`${url.href}&email=${hostile}`)).text();
    expect(typed).toContain(
      'data-testid="problem">&#34;&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#34; is not an e-mail address.</p>',
    );
    expect(typed).not.toContain("<script");
  });

  it("lists those who have an account at the provider", async () => {
    const personas = [...SEED.personas, HOSTILE];
    expect(accountsOn((await openPicker("google", personas)).html)).toEqual(["ada", "alan", "mary", "hostile"]);
    expect(accountsOn((await openPicker("twitter", personas)).html)).toEqual(["ada", "alan", "mary"]);
  });

  it.each([
    ["google", "e-mail not verified", 2],
    ["github", "no verified e-mail", 2],
    ["twitter", "verified", 0],
  ] as const)("of %s says of whom there will be no token: %s", async (provider, note, count) => {
    const { html } = await openPicker(provider, [...SEED.personas, HOSTILE]);
    expect(html.split(note)).toHaveLength(count + 1);
  });

  it.each([
    ["google", "ada", ["ada"]],
    ["google", "LOVELACE", ["ada"]],
    ["google", "bletchley", ["alan"]],
    ["google", "a", ["ada", "alan", "mary"]],
    ["google", "mary@geneva", ["mary"]],
    ["github", "mshelley", ["mary"]],
    ["twitter", "@aturing", ["alan"]],
    ["google", "", ["ada", "alan", "mary"]],
    ["google", "nobody", []],
  ] as const)("of %s finds %j", async (provider, search, ids) => {
    const { service, url } = await openPicker(provider);
    const html = await (await service.fetch(`${url.href}&q=${encodeURIComponent(search)}`)).text();
    expect(accountsOn(html)).toEqual(ids);
    expect(html.includes('data-testid="no-match"')).toBe(ids.length === 0);
    expect(attribute(html, "search", "value")).toBe(search);
  });

  it.each(PROVIDERS)("of %s signs in whoever is chosen", async (provider) => {
    const picker = await openPicker(provider);
    const claims = claimsOf(await choose(picker, attribute(picker.html, "account-mary", "href")));
    expect([claims["provider"], claims["avatar_url"]]).toEqual([provider, `${FRONT}/__svc/simulator/avatars/mary.svg`]);
  });

  it.each(PROVIDERS)("of %s signs in another account that is typed in, always as the same one", async (provider) => {
    const picker = await openPicker(provider);
    const other = `?request=${picker.url.searchParams.get("request")}&email=new%40acme.test&name=New+One`;
    const first = claimsOf(await choose(picker, other));
    expect([first["name"], first["email"]]).toEqual([
      "New One",
      provider === "twitter" ? expect.stringMatching(/^3\d+@twitter\.invalid$/) : "new@acme.test",
    ]);
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const toProvider = locationOf(await picker.service.fetch(`/oauth/authorize?${query.toString()}`));
    const url = locationOf(await picker.service.fetch(toProvider.href));
    const again = await choose({ ...picker, url }, `${url.search}&email=NEW%40acme.test`);
    expect(claimsOf(again)["sub"]).toBe(first["sub"]);
    expect((await (await picker.service.fetch(url.href)).text()).match(/data-testid="account-p\d+"/g)).toHaveLength(1);
  });

  it("takes an address that somebody has already for theirs", async () => {
    const picker = await openPicker("google");
    const claims = claimsOf(await choose(picker, `${picker.url.search}&email=ADA%40acme.test&name=Somebody`));
    expect([claims["sub"], claims["name"]]).toEqual(["00000000-0000-4000-8000-0000000000a1", "Ada Lovelace"]);
  });

  it.each(["", "ada", "a b@acme.test", "ada@acme.test@evil.test", "ada@"])(
    "asks again where %j is typed in as an address",
    async (email) => {
      const { service, url } = await openPicker("google");
      const response = await service.fetch(`${url.href}&email=${encodeURIComponent(email)}`);
      expect([response.status, attribute(await response.text(), "problem", "role")]).toEqual([200, "alert"]);
    },
  );

  it.each(PROVIDERS)("of %s can be cancelled", async (provider) => {
    const picker = await openPicker(provider);
    const toCallback = locationOf(
      await picker.service.fetch(new URL(attribute(picker.html, "cancel", "href"), picker.url).href),
    );
    expect(toCallback.href).toBe(
      `${callbackUrl(provider)}?error=access_denied&state=${picker.toProvider.searchParams.get("state")}`,
    );
    expect(locationOf(await picker.service.fetch(toCallback.href)).searchParams.get("error")).toBe("access_denied");
  });

  it("answers for ten minutes, and at its own provider", async () => {
    const { service, url } = await openPicker("google");
    const error = "does not know this request any more; begin again at the application";
    const elsewhere = await service.fetch(url.href.replace("/google/", "/github/"));
    expect([elsewhere.status, await elsewhere.json()]).toEqual([
      400,
      { error: `Bad request: github (simulated) ${error}` },
    ]);
    service.clock.advance(599);
    expect((await service.fetch(url.href)).status).toBe(200);
    service.clock.advance(2);
    const late = await service.fetch(url.href);
    expect([late.status, await late.json()]).toEqual([400, { error: `Bad request: google (simulated) ${error}` }]);
  });
});

describe("login_hint", () => {
  it.each([
    ["google", "ada"],
    ["google", "ada@acme.test"],
    ["google", "ADA@Acme.Test"],
    ["github", "mary@home.test"],
    ["github", "mary@geneva.test"],
    ["twitter", "mary@home.test"],
  ] as const)("signs in at %s as %s without a page", async (provider, hint) => {
    const { signIn } = await setup();
    const claims = claimsOf(await signIn(provider, hint));
    const id = hint.startsWith("mary") ? "mary" : "ada";
    expect(claims["avatar_url"]).toBe(`${FRONT}/__svc/simulator/avatars/${id}.svg`);
  });

  it.each(["nobody", "ADA", "Ada Lovelace", "ada@acme", "", "__proto__"])(
    "naming nobody, %j, is ignored",
    async (hint) => {
      const { html } = await openPicker("google", SEED.personas, hint);
      expect(accountsOn(html)).toEqual(["ada", "alan", "mary"]);
    },
  );

  it("naming somebody without an account at the provider is ignored", async () => {
    const { html } = await openPicker("twitter", [...SEED.personas, HOSTILE], "hostile");
    expect(accountsOn(html)).toEqual(["ada", "alan", "mary"]);
  });
});

describe("a made-up picture", () => {
  it("is drawn from the name, with nothing of it that is markup", async () => {
    const personas = [{ ...HOSTILE, name: `<a> &b`, avatar_url: null }];
    const { fetch } = await setup({ seed: { ...SEED, personas } });
    const response = await fetch("/__svc/simulator/avatars/hostile.svg");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    const text = await response.text();
    expect([text.match(/<\w+/g), text.includes(">AB</text>")]).toEqual([["<svg", "<rect", "<text"], true]);
  });

  it.each(["nobody.svg", "ada", "ada.png", "..svg"])("is not there for %s", async (file) => {
    const { fetch } = await setup();
    const response = await fetch(`/__svc/simulator/avatars/${file}`);
    expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
  });
});

describe("the demo's personas", () => {
  it("are six, one of every kind that goes wrong", async () => {
    const demo = await readFile(new URL("../fixtures/demo.json", import.meta.url), "utf8");
    const { personas } = parseSeed(demo, "demo", START);
    const emails = personas.map(({ github }) => github!.emails);
    expect(personas).toHaveLength(6);
    expect(emails.some((list) => list.length > 1)).toBe(true);
    expect(emails.some((list) => list.every(({ verified }) => !verified))).toBe(true);
    expect(
      emails.some((list) => list.some(({ primary, verified }) => primary && !verified) && list.some((e) => e.verified)),
    ).toBe(true);
    expect(personas.some(({ google }) => google?.email_verified === false)).toBe(true);
    expect(personas.some(({ name }) => name === null)).toBe(true);
    expect(personas.some(({ name }) => /\p{Script=Cyrillic}/u.test(name ?? ""))).toBe(true);
    expect(personas.some(({ name }) => name?.includes("<script>"))).toBe(true);
  });
});

function seedWith(connections: Credentials): object {
  return { ...SEED, instances: [{ ...SEED.instances[0], connections }, SEED.instances[1]] };
}

async function askedOf({ fetch }: Service, subdomain: string, provider: Provider): Promise<[string, string | null]> {
  const query = new URLSearchParams({ provider, redirect_uri: APP });
  const url = locationOf(await fetch(`http://${subdomain}.localhost:7820/oauth/authorize?${query.toString()}`));
  return [url.origin, url.searchParams.get("client_id")];
}

describe("the credentials", () => {
  const OWN = { client_id: "own", client_secret: "own-secret" };
  const GLOBAL = { client_id: "global", client_secret: "global-secret" };
  const REAL = "https://accounts.google.com";

  it.each([
    ["auto", "own", "global", REAL, "own"],
    ["auto", "own", "no", REAL, "own"],
    ["auto", "no", "global", REAL, "global"],
    ["auto", "no", "no", FRONT, "svc-simulator"],
    ["real", "own", "global", REAL, "own"],
    ["real", "no", "global", REAL, "global"],
    ["simulated", "own", "global", FRONT, "own"],
    ["simulated", "own", "no", FRONT, "own"],
    ["simulated", "no", "global", FRONT, "global"],
    ["simulated", "no", "no", FRONT, "svc-simulator"],
  ] as const)("%s, with %s and %s ones: at %s as %s", async (mode: ProvidersMode, own, global, origin, client_id) => {
    const service = await setup({
      seed: seedWith(own === "own" ? { google: OWN } : {}),
      credentials: global === "global" ? { google: GLOBAL } : {},
      providers: mode,
    });
    expect(await askedOf(service, "acme", "google")).toEqual([origin, client_id]);
  });

  it("are an instance's own, and a provider's own", async () => {
    const service = await setup({ seed: seedWith({ google: OWN }), credentials: { google: GLOBAL, github: GLOBAL } });
    expect(await askedOf(service, "acme", "google")).toEqual([REAL, "own"]);
    expect(await askedOf(service, "acme", "github")).toEqual(["https://github.com", "global"]);
    expect(await askedOf(service, "acme", "twitter")).toEqual([FRONT, "svc-simulator"]);
    expect(await askedOf(service, "globex", "google")).toEqual([REAL, "global"]);
  });

  it.each(PROVIDERS)("of an instance sign in at a simulated %s, which needs no network", async (provider) => {
    const odd = { client_id: "id: with %41+é", client_secret: "a:b%c d+é&=" };
    const { tokenFor } = await setup({ seed: seedWith({ [provider]: odd }), providers: "simulated" });
    expect(decodePart(await tokenFor(provider, "mary"), 1)["provider"]).toBe(provider);
  });

  it.each(PROVIDERS)("are compared by a simulated %s", async (provider) => {
    const { simulator } = create();
    const { client_id } = OTHER;
    for (const [secret, expected] of [
      [CLIENT.client_secret, WRONG_CLIENT[provider][0]],
      [OTHER.client_secret, 200],
    ] as const) {
      const response = await exchange(simulator, provider, codeFor(simulator, provider, { client_id }), {
        form: { client_id, ...(provider === "twitter" ? {} : { client_secret: secret }) },
        headers: provider === "twitter" ? basic({ client_id, client_secret: secret }) : {},
      });
      const [status, body] = await jsonOf(response);
      expect([status, "access_token" in (body as object)]).toEqual([expected, secret === OTHER.client_secret]);
    }
  });

  it("are missing where there must be real ones: the server does not start", async () => {
    const directory = await mkdtemp(join(tmpdir(), "svc-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const seed = join(directory, "seed.json");
    await writeFile(seed, JSON.stringify(seedWith({ google: OWN, twitter: OWN })));
    const starting = serve({ port: 0, store: "memory", seed, providers: "real", credentials: { google: GLOBAL } });
    await expect(starting).rejects.toThrow(ServeError);
    await expect(starting).rejects.toThrow("Acme: github, Globex: github, Globex: twitter");
  });
});

describe("two processes on one store", () => {
  const redeem = async (simulator: Simulator, code: string): Promise<[number, unknown]> =>
    jsonOf(await exchange(simulator, "twitter", code));
  const answer = (simulator: Simulator, query: ReadonlyMap<string, string>): URLSearchParams => {
    const outcome = simulator.authorize("twitter", query);
    if (!("location" in outcome)) throw new Error("a page instead of an address");
    return new URL(outcome.location).searchParams;
  };
  const requestAt = (simulator: Simulator): string =>
    answer(simulator, authorization("twitter", { login_hint: undefined })).get("request")!;

  it("understand each other's requests and codes, also of somebody who was typed in at one of them", async () => {
    const [one, two, three] = [create().simulator, create().simulator, create().simulator];
    const typed = { request: requestAt(one), email: "new@acme.test", name: "New One" };
    const chosen = answer(two, new Map(Object.entries(typed)));
    expect(chosen.get("state")).toBe("the-state");
    const code = chosen.get("code")!;
    const [status, body] = await redeem(three, code);
    expect(status).toBe(200);
    const { access_token } = body as { access_token: string };
    const [, profile] = await jsonOf(await get(three, addressOf(three, "twitter", "me"), access_token));
    expect(profile).toMatchObject({ data: { name: "New One", username: "new" } });
    expect((await redeem(three, code))[0]).toBe(400);
  });

  it("keep what they give out short enough for an address", () => {
    const { simulator } = create();
    const typed = { request: requestAt(simulator), email: `${"a".repeat(240)}@acme.test`, name: "名".repeat(256) };
    expect(typed.request.length).toBeLessThan(512);
    expect(codeFor(simulator, "twitter").length).toBeLessThan(512);
    expect(answer(simulator, new Map(Object.entries(typed))).get("code")!.length).toBeLessThan(2048);
  });

  it("take nothing that was changed, made with other keys, or given out for something else", async () => {
    const { simulator, clock } = create();
    const code = codeFor(simulator, "twitter");
    for (let at = 0; at < code.length; at += 7) {
      const changed = code.slice(0, at) + (code[at] === "A" ? "B" : "A") + code.slice(at + 1);
      expect((await redeem(simulator, changed))[0], `character ${at}`).toBe(400);
    }
    expect((await redeem(create(["sk_of_others"]).simulator, code))[0]).toBe(400);
    const request = requestAt(simulator);
    expect((await redeem(simulator, request))[0]).toBe(400);
    expect(() => simulator.authorize("twitter", new Map([["request", code]]))).toThrow("does not know this request");
    expect(() => simulator.authorize("google", new Map([["request", request]]))).toThrow("does not know this request");
    clock.advance(601);
    expect((await redeem(simulator, code))[0]).toBe(400);
    expect(() => simulator.authorize("twitter", new Map([["request", request]]))).toThrow("does not know this request");
  });

  it("show neither the state nor the person in what they give out", () => {
    const { simulator } = create();
    const code = Buffer.from(codeFor(simulator, "google"), "base64url").toString("latin1");
    expect(code).not.toMatch(/ada|acme|state|google/);
  });
});
