import { beforeAll, describe, expect, it } from "vitest";
import { isLoopback } from "../../src/wire/http/address.ts";
import { FRONT, SEED, setup, type Service } from "../_setup.ts";

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

/** The whole corpus at one address; at the others, which share the check, every fiftieth and the listed ones. */
const SAMPLE = [...REGISTERED, "https://evil.test/callback", ...CORPUS.filter((_, n) => n % 50 === 0)];

async function survey(service: Service, base: string, headers: Record<string, string>): Promise<Map<string, string>> {
  const uris = base.startsWith(`${FRONT}/oauth/`) ? CORPUS : SAMPLE;
  const outcomes = await Promise.all(
    uris.map(async (uri): Promise<[string, string]> => [uri, await outcomeOf(service, base, uri, headers)]),
  );
  return new Map(outcomes.filter(([, outcome]) => outcome !== "refused"));
}

it("The corpus has over two thousand addresses", () => {
  expect(CORPUS.length).toBeGreaterThan(2000);
});

describe.each(WAYS)("The addresses in the corpus, at %s", (_, base) => {
  let open: Service;
  let listing: Service;
  let anything: Service;
  const withUris = (redirect_uris: string[]): object => ({
    ...SEED,
    instances: [{ ...SEED.instances[0], redirect_uris }],
  });
  beforeAll(async () => {
    [open, listing, anything] = await Promise.all([
      setup(),
      setup({ seed: withUris(REGISTERED) }),
      setup({ seed: withUris(["*"]) }),
    ]);
  });

  it.each([
    ["a program", PROGRAM],
    ["a browser", BROWSER],
  ])("redirect %s to listed ones only if there is a list", async (_who, headers) => {
    const outcomes = await survey(listing, base, headers);
    expect([...outcomes.keys()].filter((uri) => !isListed(uri))).toEqual([]);
    for (const entry of REGISTERED.filter((uri) => !uri.endsWith("?*"))) expect(outcomes.get(entry)).toBe("sent");
  });

  it("redirect to every listed one with a nonce behind it, and to no other spelling of it", async () => {
    const accepted = nonces().map(async (uri) => [uri, (await outcomeOf(listing, base, uri, BROWSER)) === "sent"]);
    // A browser removes an empty query, and the rule does not: the two read these alike.
    const isSame = ([uri]: [string, boolean]): boolean => !/\?[?&]|&\?|#$|\n$/.test(uri);
    const found = ((await Promise.all(accepted)) as [string, boolean][]).filter(isSame);
    expect(found.filter(([uri, isSent]) => isSent !== isListed(uri))).toEqual([]);
    expect(found.filter(([, isSent]) => isSent).length).toBeGreaterThan(10);
  });

  it("redirect a browser to loopback only, without a list", async () => {
    const sent = [...(await survey(open, base, BROWSER)).keys()];
    expect(sent.filter((uri) => !isLoopback(new URL(uri).hostname))).toEqual([]);
    expect(sent).toContain("http://localhost:3000/callback");
  });

  it("redirect a browser to all that a program may name with the entry *, and to no odd scheme", async () => {
    const sent = [...(await survey(anything, base, BROWSER)).keys()];
    expect(sent).toEqual([...(await survey(anything, base, PROGRAM)).keys()]);
    expect(sent).toContain("https://evil.test/callback");
    const apps = sent.filter((uri) => !/^https?:/i.test(uri));
    expect(apps.filter((uri) => !/^[a-z][\w+-]*\.[\w.+-]+:/i.test(uri))).toEqual([]);
    expect(apps).toContain("com.acme.app:/callback");
  });

  it("redirect nowhere without a list if others can reach the server", async () => {
    const [none, any] = await Promise.all([
      setup({ isLocal: false }),
      setup({ isLocal: false, seed: withUris(["*"]) }),
    ]);
    for (const headers of [PROGRAM, BROWSER])
      for (const service of [none, any]) expect([...(await survey(service, base, headers))]).toEqual([]);
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
    expect(log.unlisted).toEqual(["acme: https://app.acme.test"]);
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
