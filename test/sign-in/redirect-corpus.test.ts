// Below the faces: a pure rule with thousands of addresses, each a sign-in.

import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/server/errors.ts";
import { redirectRule } from "../../src/server/sign-in/redirect-rule.ts";
import { isLoopback } from "../../src/http/address.ts";
import { FRONT, SEED, setup, type Service } from "../_setup.ts";

// The rule alone meets all addresses, as a sign-in for each would take minutes. A sample of them goes through the API.

const REGISTERED = [
  "https://app.acme.test/callback",
  "https://app.acme.test:8443/callback?tenant=1",
  "https://query.acme.test/callback?*",
  "http://localhost:3000/callback",
  "http://[::1]:5000/callback?*",
  "com.acme.app:/callback",
];
const PROGRAM = { "user-agent": "node", accept: "*/*" };
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0",
  accept: "text/html,application/xhtml+xml",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};
const WAYS: [way: string, base: string][] = [
  ["/sign-in", `${FRONT}/sign-in`],
  ["/oauth/authorize", `${FRONT}/oauth/authorize`],
  ["the start at the server's own address", `${FRONT}/__svc/begin`],
  ["the instance's subdomain", "http://acme.localhost:7820/oauth/authorize"],
];

const NONCE = "Q".repeat(43);
/** Over two thousand addresses, made from valid ones with every trick that has fooled a comparison. */
const CORPUS = makeCorpus();

function makeCorpus(): string[] {
  const hosts = [
    "evil.test",
    "app.acme.test.evil.test",
    "evil.test.app.acme.test.evil.test",
    "xapp.acme.test",
    "app.acme.test.",
    "app-acme.test",
    "app.acme.testevil.test",
    "APP.ACME.TEST",
    "app.acme.test:443",
    "app.acme.test:8443",
    "app.acme.test:80",
    "localhost",
    "LOCALHOST:3000",
    "localhost:3000",
    "localhost:80",
    "localhost.:3000",
    "localhost.evil.test",
    "evil-localhost",
    "sub.localhost:3000",
    "127.0.0.1:3000",
    "127.0.0.2",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]:5000",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]:5000",
    "query.acme.test",
    "evil.test:80@localhost:3000",
    "localhost:3000@evil.test",
    "app.acme.test@evil.test",
    "app.acme.test:x@evil.test",
    "evil.test\\@app.acme.test",
    "evil.test%2f@app.acme.test",
    "evil.test%23@app.acme.test",
    "evil.test#@app.acme.test",
    "evil.test?@app.acme.test",
    "app.acme.test%00.evil.test",
    "app.acme.test%2eevil.test",
    "evil.test\u3002app.acme.test",
    "app.acme.test\uff0eevil.test",
    "%6cocalhost:3000",
    "xn--app-acme.test",
    "",
  ];
  const paths = [
    "/callback",
    "/callback/",
    "/Callback",
    "/callback/../callback",
    "/%2e%2e/callback",
    "/./callback",
    "//callback",
    "/c%61llback",
    "/callback;x",
    "/callback?tenant=1",
    "/callback?tenant=1&x=2",
    "/callback?",
    "/callback?next=https://evil.test/",
    "/callback#@evil.test",
    "/callback%0d%0aLocation:https://evil.test",
    "/callback?*",
    "",
  ];
  const schemes = ["http://", "https://", "HTTP://", "//", "http:/", "javascript://", "com.acme.app://"];
  const combined = schemes
    .slice(0, 2)
    .flatMap((scheme) => hosts.flatMap((host) => paths.map((path) => scheme + host + path)));
  const odd = schemes.slice(2).flatMap((scheme) => hosts.map((host) => `${scheme}${host}/callback`));
  const edits = REGISTERED.flatMap((uri) =>
    ["@", "\\", "#", "%00", "\t", "\n", "é", "..", "//", "?", ":80", ".evil.test", "/evil.test"].flatMap((piece) =>
      [4, 7, 8, 12, 21, uri.length].map((at) => uri.slice(0, at) + piece + uri.slice(at)),
    ),
  );
  const others = [
    "javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:http://localhost:3000/x",
    "ftp://localhost/",
    "ws://localhost/",
    "com.acme.app:/callback",
    "com.acme.app:/callback?x=1",
    "com.acme.app:/other",
    "com.evil.app:/callback",
    "COM.ACME.APP:/callback",
    "comacmeapp:/callback",
    "*",
    "?*",
    "/callback",
    "callback",
  ];
  return [...new Set([...REGISTERED, ...combined, ...odd, ...edits, ...others, ...nonces()])];
}

/** Registered addresses with what an application adds to know its own sign-in again, and with what only looks like it. */
function nonces(): string[] {
  const values = [NONCE, "A-z_9".repeat(8) + "A-z", "", "Q".repeat(42), `${NONCE}Q`, `${NONCE}=`, `${NONCE.slice(1)}.`];
  const written = [
    ...values.map((value) => `nonce=${value}`),
    ...["Nonce", "nonce%20", "%6eonce", "nonces", "x", "token"].map((name) => `${name}=${NONCE}`),
    ...["x=1&", "&", "?", "nonce=x&", "%6eonce=x&", "nonce&", `nonce=${NONCE}&`].map((own) => `${own}nonce=${NONCE}`),
    ...["&x=1", "&", "#", "\n"].map((more) => `nonce=${NONCE}${more}`),
    `nonce=%51${NONCE.slice(1)}`,
  ];
  return [...REGISTERED, "https://evil.test/callback"]
    .map((uri) => uri.replace("?*", ""))
    .flatMap((uri) => written.flatMap((query) => [`${uri}?${query}`, `${uri}&${query}`, `${uri}/${query}`]));
}

/** The address before a nonce that an application added, if it added one and no more. */
function withoutAdded(uri: string): string | undefined {
  if (uri.length < 50) return undefined;
  const [own, added] = [uri.slice(0, -50), uri.slice(-50)];
  const joint = own.includes("?") ? "&" : "?";
  const isNonce = added.startsWith(`${joint}nonce=`) && /^[\w-]*$/.test(added.slice(7));
  return isNonce && new URL(uri).searchParams.getAll("nonce").length === 1 ? own : undefined;
}

/** The origin, path and query that a browser would open, or undefined. */
function seenByBrowser(uri: string): { origin: string; host: string; rest: string; path: string } | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { protocol, host, hostname, pathname, search } = new URL(uri);
  return { origin: `${protocol}//${host}`, host: hostname, path: pathname, rest: pathname + search };
}

/** The rule, implemented independently: the address that a browser would open must be on the list. */
function isListed(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const own = withoutAdded(uri);
  return isEntry(uri) || (own !== undefined && isEntry(own));
}

function isEntry(uri: string): boolean {
  const target = seenByBrowser(uri);
  return (
    target !== undefined &&
    REGISTERED.some((entry) => {
      const own = seenByBrowser(entry.replace(/\?\*$/, ""))!;
      const anyPort = isLoopback(own.host) && own.origin.split(":")[0] === target.origin.split(":")[0];
      const isSameHost = own.origin === target.origin || (anyPort && own.host === target.host);
      return isSameHost && (entry.endsWith("?*") ? own.path === target.path : own.rest === target.rest);
    })
  );
}

/** Those of `uris` that the rule accepts for an instance. */
function acceptedOf(
  uris: readonly string[],
  redirect_uris: string[],
  { isPlainClient = false, allowsUnlisted = true } = {},
): string[] {
  return uris.filter((uri) => {
    try {
      redirectRule(uri, { name: "Acme", redirect_uris, preview: false }, { isPlainClient }, allowsUnlisted);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === "invalid_redirect_uri") return false;
      throw error;
    }
  });
}

const CALLERS: [who: string, isPlainClient: boolean, headers: Record<string, string>][] = [
  ["a program", true, PROGRAM],
  ["a browser", false, BROWSER],
];

describe("The rule, over the corpus of over two thousand addresses,", () => {
  it.each(CALLERS)("accepts for %s listed ones only if there is a list", (_who, isPlainClient) => {
    const accepted = acceptedOf(CORPUS, REGISTERED, { isPlainClient });
    expect(CORPUS.length).toBeGreaterThan(2000);
    expect(accepted.filter((uri) => !isListed(uri))).toEqual([]);
    expect(accepted).toEqual(expect.arrayContaining(REGISTERED.filter((uri) => !uri.endsWith("?*"))));
  });

  it("accepts every listed one with a nonce behind it, and no other spelling of it", () => {
    const accepted = new Set(acceptedOf(nonces(), REGISTERED));
    // A browser removes an empty query, and the rule does not: the two read these alike.
    const told = nonces().filter((uri) => !/\?[?&]|&\?|#$|\n$/.test(uri));
    expect(told.filter((uri) => accepted.has(uri) !== isListed(uri))).toEqual([]);
    expect(told.filter((uri) => accepted.has(uri)).length).toBeGreaterThan(10);
  });

  it("accepts for a browser loopback only, without a list", () => {
    const accepted = acceptedOf(CORPUS, []);
    expect(accepted.filter((uri) => !isLoopback(new URL(uri).hostname))).toEqual([]);
    expect(accepted).toContain("http://localhost:3000/callback");
  });

  it("accepts for a browser all that a program may name with the entry *, and no odd scheme", () => {
    const accepted = acceptedOf(CORPUS, ["*"]);
    expect(accepted).toEqual(acceptedOf(CORPUS, ["*"], { isPlainClient: true }));
    expect(accepted).toContain("https://evil.test/callback");
    const apps = accepted.filter((uri) => !/^https?:/i.test(uri));
    expect(apps.filter((uri) => !/^[a-z][\w+-]*\.[\w.+-]+:/i.test(uri))).toEqual([]);
    expect(apps).toContain("com.acme.app:/callback");
  });

  it.each(CALLERS)("accepts nothing for %s without a list if others can reach the server", (_who, isPlainClient) => {
    for (const entries of [[], ["*"]])
      expect(acceptedOf(CORPUS, entries, { isPlainClient, allowsUnlisted: false })).toEqual([]);
  });
});

/** The result of a start. */
async function outcomeOf(
  { fetch }: Service,
  base: string,
  redirect_uri: string,
  headers: Record<string, string>,
): Promise<"refused" | "sent"> {
  const query = new URLSearchParams({ instance: "acme", provider: "google", login_hint: "ada", redirect_uri });
  let response = await fetch(`${base}?${query.toString()}`, { headers });
  for (;;) {
    const location = response.headers.get("location");
    if (response.status === 400 && location === null) return "refused";
    if (location === null) throw new Error(`${response.status} for ${redirect_uri}`);
    const { pathname, searchParams } = new URL(location);
    if (pathname.endsWith("/callback") && searchParams.has("code")) return "sent";
    response = await fetch(location, { headers });
  }
}

const SAMPLE = [
  ...REGISTERED,
  "https://evil.test/callback",
  ...nonces().slice(0, 20),
  ...CORPUS.filter((_, n) => n % 100 === 0),
];

/** Those of the sample that a start redirects to. */
async function sentTo(service: Service, base: string, headers: Record<string, string>): Promise<string[]> {
  const outcomes = await Promise.all(SAMPLE.map((uri) => outcomeOf(service, base, uri, headers)));
  return SAMPLE.filter((_, n) => outcomes[n] === "sent");
}

describe.each(WAYS)("A start at %s", (_, base) => {
  it.each([
    ["a list", REGISTERED, true],
    ["no list", [], true],
    ["the entry *", ["*"], true],
    ["no list, where others reach the server,", [], false],
    ["the entry *, where others reach the server,", ["*"], false],
  ])("with %s redirects to what the rule accepts, and to nothing else", async (_name, redirect_uris, isLocal) => {
    const seed = { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris }] };
    const service = await setup({ seed, isLocal });
    for (const [, isPlainClient, headers] of CALLERS) {
      const accepted = acceptedOf(SAMPLE, redirect_uris, { isPlainClient, allowsUnlisted: isLocal });
      expect(await sentTo(service, base, headers)).toEqual(accepted);
    }
  });
});

describe("An accepted address", () => {
  it.each([
    ["HTTP://LOCALHOST:80/callback?b=%zz&a='\"<x>&&token=old", "HTTP://LOCALHOST:80/callback?b=%zz&a='\"<x>&&token="],
    ["https://app.acme.test:443/callback", "https://app.acme.test:443/callback?token="],
    ["com.acme.app:/callback", "com.acme.app:/callback?token="],
    [
      `https://app.acme.test/callback?b=%zz&&a='<x>&nonce=${NONCE}`,
      `https://app.acme.test/callback?b=%zz&&a='<x>&nonce=${NONCE}&token=`,
    ],
  ])("is kept byte for byte: %s", async (uri, expected) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ provider: "google", login_hint: "ada", redirect_uri: uri });
    let location = `/oauth/authorize?${query.toString()}`;
    for (let hop = 0; hop < 3; hop++) location = (await fetch(location)).headers.get("location")!;
    expect(location.slice(0, expected.length)).toBe(expected);
    expect(location.slice(expected.length)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it("is logged if a program names another host and there is no list", async () => {
    const { fetch, log } = await setup();
    const start = (uri: string): Promise<Response> =>
      fetch(`/sign-in?${new URLSearchParams({ redirect_uri: uri }).toString()}`);
    await start("https://app.acme.test/callback?secret=1");
    await start("http://localhost:3000/callback");
    expect(log.unlisted).toEqual(["Acme: https://app.acme.test"]);
  });

  it.each([
    ["simulated", {}],
    ["real", { credentials: { google: { client_id: "ours", client_secret: "secret" } } }],
  ])("is rejected for a browser if it is on another host, through a %s provider", async (_, options) => {
    const { fetch } = await setup(options);
    const start = (redirect_uri: string, headers: Record<string, string>): Promise<Response> =>
      fetch(`/sign-in?${new URLSearchParams({ redirect_uri }).toString()}`, { headers });
    const refused = await start("https://app.acme.test/callback", { ...BROWSER, accept: "application/json" });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error:
          'Invalid redirect_uri: Acme has no redirect_uris, and without them a browser is sent to loopback only. Add "https://app.acme.test/callback" to its redirect_uris',
      },
    ]);
    expect((await start("http://localhost:3000/callback", BROWSER)).status).toBe(302);
    expect((await start("https://app.acme.test/callback", PROGRAM)).status).toBe(302);
  });

  it("may be any for a browser that signs in with a real provider if the list is *", async () => {
    const seed = { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: ["*"] }] };
    const { fetch } = await setup({ seed, credentials: { google: { client_id: "ours", client_secret: "secret" } } });
    const query = new URLSearchParams({ redirect_uri: "https://app.acme.test/callback" });
    const started = await fetch(`/sign-in?${query.toString()}`, { headers: BROWSER });
    expect(new URL(started.headers.get("location")!).host).toBe("accounts.google.com");
  });
});
