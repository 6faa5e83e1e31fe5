import { describe, expect, it } from "vitest";
import { APP, FRONT, SEED, setup, type Service } from "../_setup.ts";
import { REGISTERED } from "./_registered.ts";

const MISSING =
  "it is missing; add the address that the user returns to, as redirect_uri=http://localhost:3000/callback";

const CHARACTERS = "it has spaces, control or non-ASCII characters; percent-encode them";

const NOT_ABSOLUTE =
  "it is not an absolute address: http, https, or a private-use scheme such as com.example.app:/callback";

const USERINFO = "it has a user name or password";

const notRegistered = (entry: string): string =>
  `it is not one of the redirect_uris of Acme, which must match exactly; loopback matches with any port. Add "${entry}" to its redirect_uris`;

const notNormal = (better: string): string => `it is not in normal form; write ${better}`;

const WITH_LIST = { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: REGISTERED }] };

function ask({ fetch }: Service, path: string, redirect_uri: string, init?: RequestInit): Promise<Response> {
  return fetch(`${path}?${new URLSearchParams({ provider: "google", redirect_uri }).toString()}`, init);
}

async function expectRefused(response: Response, why: string): Promise<void> {
  expect(response.headers.get("location")).toBeNull();
  expect([response.status, await response.json()]).toEqual([400, { error: `Invalid redirect_uri: ${why}` }]);
}

async function expectAccepted({ store }: Service, response: Response, redirect_uri: string): Promise<void> {
  expect(response.status).toBe(302);
  const toProvider = new URL(response.headers.get("location")!);
  expect(toProvider.origin).toBe(FRONT);
  const record = await store.find("states", toProvider.searchParams.get("state")!);
  expect(record!.redirect_uri).toBe(redirect_uri);
}

describe.each(["/sign-in", "/oauth/authorize"])("The redirect_uri of %s, with nothing registered,", (path) => {
  const longest = `${APP}?${"x".repeat(2048 - APP.length - 1)}`;

  it.each([
    APP,
    "http://localhost:3000",
    "http://localhost:3000/",
    "http://localhost:3000?a=1",
    "https://app.acme.test/callback",
    "http://app.acme.test/callback",
    "http://[::1]:3000/callback",
    "http://localhost:3000/@ada/callback",
    "http://localhost:3000/callback?to=ada@acme.test",
    "http://localhost:3000/callback?next=https://evil.test/",
    "http://localhost:3000/a//b",
    "http://localhost:3000/%C3%A4?q=%E2%82%AC&&x=+",
    "http://localhost:3000/?q='\"<>",
    "HTTP://LOCALHOST:3000/callback",
    "http://localhost:80/callback",
    "https://APP.acme.test:443/callback",
    "com.acme.app:/callback",
    "com.acme.app://callback",
    longest,
  ])("may be %s", async (uri) => {
    const service = await setup();
    await expectAccepted(service, await ask(service, path, uri), uri);
  });

  it.each([
    ["", MISSING],
    [`${longest}x`, "it is longer than 2048 characters"],

    ["/callback", NOT_ABSOLUTE],
    ["callback", NOT_ABSOLUTE],
    ["localhost:3000/callback", NOT_ABSOLUTE],
    ["//evil.test/callback", NOT_ABSOLUTE],
    ["///evil.test/callback", NOT_ABSOLUTE],
    ["http:evil.test", NOT_ABSOLUTE],
    ["http:/evil.test", NOT_ABSOLUTE],
    ["http:///evil.test", NOT_ABSOLUTE],
    ["http://", NOT_ABSOLUTE],
    ["http://?x", NOT_ABSOLUTE],
    ["http://localhost:99999/", NOT_ABSOLUTE],
    ["http://local%20host/", NOT_ABSOLUTE],
    ["http://[::1/", NOT_ABSOLUTE],
    ["http://%0d%0aevil.test/", NOT_ABSOLUTE],
    ["javascript:alert(1)", NOT_ABSOLUTE],
    ["JavaScript://localhost/%0aalert(1)", NOT_ABSOLUTE],
    ["data:text/html,hello", NOT_ABSOLUTE],
    ["vbscript:x", NOT_ABSOLUTE],
    ["file:///etc/passwd", NOT_ABSOLUTE],
    ["ftp://localhost/callback", NOT_ABSOLUTE],
    ["ws://localhost:3000/callback", NOT_ABSOLUTE],
    ["com.acme.app:callback", NOT_ABSOLUTE],
    ["myapp://callback", NOT_ABSOLUTE],
    ["app.acme.test:8443/callback", NOT_ABSOLUTE],
    ["blob:http://localhost:3000/x", NOT_ABSOLUTE],
    ["view-source:http://localhost:3000/", NOT_ABSOLUTE],

    ["http://ada@localhost:3000/callback", USERINFO],
    ["http://ada:secret@localhost:3000/callback", USERINFO],
    ["http://localhost:3000@evil.test/callback", USERINFO],
    ["http://@evil.test/", USERINFO],
    ["http://:@evil.test/", USERINFO],
    ["http://good%40evil.test@localhost:3000/", USERINFO],

    ["http://localhost:3000/callback#", "it has a fragment"],
    ["http://localhost:3000/callback#token=1", "it has a fragment"],
    ["https://evil.test#@localhost:3000/", "it has a fragment"],

    ["http://localhost:3000\\@evil.test/", "it has a backslash"],
    ["http:\\\\evil.test\\", "it has a backslash"],
    ["\\\\evil.test", "it has a backslash"],
    ["http://localhost:3000/callback?a=\\", "it has a backslash"],

    ["http://localhost:3000/call back", CHARACTERS],
    [" http://localhost:3000/callback", CHARACTERS],
    ["http://localhost:3000/callback ", CHARACTERS],
    ["http://localhost:3000/callback\t", CHARACTERS],
    ["java\nscript:alert(1)", CHARACTERS],
    ["http://localhost:3000/\r\nSet-Cookie: a=b", CHARACTERS],
    ["http://localhost:3000/\rx", CHARACTERS],
    ["http://localhost:3000/\nx", CHARACTERS],
    ["http://localhost:3000/\u0000x", CHARACTERS],
    ["http://localhost:3000/\u007fx", CHARACTERS],
    ["http://localhost:3000/\u0085x", CHARACTERS],
    ["http://localhost:3000/\u2028x", CHARACTERS],
    // Their low bytes are a carriage return and a line feed.
    ["http://localhost:3000/\u560d\u560aSet-Cookie:a=b", CHARACTERS],
    ["http://löcalhost:3000/", CHARACTERS],
    ["http://evil.test\uff0flocalhost/", CHARACTERS],
    ["http://evil\u3002test/", CHARACTERS],
    ["http://localhost:3000/\u202ekcabllac", CHARACTERS],

    ["http://localhost:/callback", notNormal("http://localhost/callback")],
    ["http://localhost:03000/callback", notNormal("http://localhost:3000/callback")],
    ["http://localhost:3000/a/../callback", notNormal("http://localhost:3000/callback")],
    ["http://localhost:3000/./callback", notNormal("http://localhost:3000/callback")],
    ["http://localhost:3000/a/%2e%2E/callback", notNormal("http://localhost:3000/callback")],
    ["http://localhost:3000/a/..", notNormal("http://localhost:3000/")],
    ["http://127.1:3000/callback", notNormal("http://127.0.0.1:3000/callback")],
    ["http://2130706433/callback", notNormal("http://127.0.0.1/callback")],
    ["http://0x7f.0.0.1/callback", notNormal("http://127.0.0.1/callback")],
    ["http://0177.0.0.1/callback", notNormal("http://127.0.0.1/callback")],
    ["http://127.0.0.1./callback", notNormal("http://127.0.0.1/callback")],
    ["http://[0:0:0:0:0:0:0:1]/callback", notNormal("http://[::1]/callback")],
    ["http://[::ffff:127.0.0.1]/callback", notNormal("http://[::ffff:7f00:1]/callback")],
    ["http://%6cocalhost/callback", notNormal("http://localhost/callback")],
    ['http://localhost:3000/"', notNormal("http://localhost:3000/%22")],
    ["http://localhost:3000/<script>", notNormal("http://localhost:3000/%3Cscript%3E")],
  ])("may not be %j", async (uri, why) => {
    await expectRefused(await ask(await setup(), path, uri), why);
  });

  it("is required", async () => {
    const { fetch } = await setup();
    await expectRefused(await fetch(`${path}?provider=google`), MISSING);
  });

  it.each([APP, "https://app.acme.test/callback"])("may not be %s if others can reach the server", async (uri) => {
    const why = `Acme has no redirect_uris. With --strict, or where others can reach the server, users are sent to registered addresses only. Add "${uri}" to its redirect_uris`;
    await expectRefused(await ask(await setup({ isLocal: false }), path, uri), why);
  });

  it("is rejected with a page and no redirect if a browser asks for one", async () => {
    const response = await ask(await setup(), path, "javascript:alert(1)", { headers: { accept: "text/html" } });
    expect([response.status, response.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(response.headers.get("location")).toBeNull();
    expect(await response.text()).toContain('<h1 data-testid="error-title">Invalid redirect_uri</h1>');
  });
});

describe.each(["/sign-in", "/oauth/authorize"])("The redirect_uri of %s, with some registered,", (path) => {
  it.each([
    ...REGISTERED,
    "http://localhost/callback",
    "http://localhost:8080/callback",
    "http://127.0.0.1:65535/callback",
    "http://[::1]/callback?x=1",
    "http://[::1]:1/callback?x=1",
    "https://bare.acme.test/",
    "HTTPS://App.Acme.Test:443/callback",
    "http://LOCALHOST/callback",
  ])("may be %s, however the server is reached", async (uri) => {
    for (const isLocal of [true, false]) {
      const service = await setup({ seed: WITH_LIST, isLocal });
      await expectAccepted(service, await ask(service, path, uri), uri);
    }
  });

  // Those of the corpus are refused without a word: these are told what to register.
  it.each([
    "https://evil.test/callback",
    "https://app.acme.test/callback/",
    "https://app.acme.test/callback?",
    "https://app.acme.test:8443/callback?tenant=2",
    "https://app.acme.test.evil.test/callback",
    "http://sub.localhost:3000/callback",
    "http://[::1]:5000/callback",
  ])("may not be %s", async (uri) => {
    const { origin, pathname, search } = new URL(uri);
    const entry = `${origin}${pathname}${search === "" && !uri.endsWith("?") ? "" : "?*"}`;
    await expectRefused(await ask(await setup({ seed: WITH_LIST }), path, uri), notRegistered(entry));
  });

  it.each([
    ["https://user@app.acme.test/callback", USERINFO],
    ["https://app.acme.test/callback#", "it has a fragment"],
    ["https://app.acme.test/callback\\", "it has a backslash"],
    ["https://app.acme.test/x/../callback", notNormal("https://app.acme.test/callback")],
  ])("may not be another spelling, %s", async (uri, why) => {
    await expectRefused(await ask(await setup({ seed: WITH_LIST }), path, uri), why);
  });
});

describe("The redirect_uri of a sign-in in a browser", () => {
  const headers = { "user-agent": "Mozilla/5.0", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

  it.each(["http://acme.localhost:7820/sign-in", "http://acme.localhost:7820/oauth/authorize", `${FRONT}/__svc/begin`])(
    "is rejected at %s at once",
    async (path) => {
      const { fetch } = await setup({ seed: WITH_LIST });
      const query = new URLSearchParams({ instance: "acme", provider: "google", redirect_uri: "https://evil.test/" });
      await expectRefused(await fetch(`${path}?${query.toString()}`, { headers }), notRegistered("https://evil.test/"));
    },
  );
});

describe("A line break in the redirect_uri", () => {
  it.each([
    "%0d%0a",
    "%0D%0A",
    "%0a",
    "%0d",
    "%250d%250a",
    "%E5%98%8D%E5%98%8A",
    "%c4%8d%c4%8a",
    "%u000d%u000a",
    "%00",
  ])("written as %s is kept and adds no header", async (written) => {
    const { signIn, fetch } = await setup();
    const uri = `${APP}/${written}Set-Cookie:a=b?q=${written}X-Evil:1`;
    const query = new URLSearchParams({ provider: "google", redirect_uri: uri, login_hint: "alan" });
    const begun = await fetch(`/oauth/authorize?${query.toString()}`);
    const toCallback = (await fetch(begun.headers.get("location")!)).headers.get("location")!;
    const response = await fetch(toCallback);
    expect(response.headers.get("location")).toMatch(`${uri}&error=email_not_verified&`);
    expect([response.headers.has("set-cookie"), response.headers.has("x-evil")]).toEqual([false, false]);
    expect((await signIn("google", "ada", { redirect_uri: uri })).href).toMatch(`${uri}&token=`);
  });
});
