import { describe, expect, it } from "vitest";
import {
  beginSignIn,
  finishSignIn,
  type BeginSignInOptions,
  type FinishedSignIn,
  type SignInOptions,
} from "../../src/client/sign-in.ts";
import { caught, KEY } from "../_client.ts";
import { ADA } from "../_setup.ts";
import { sign } from "../_tokens.ts";

const START = Date.UTC(2026, 0, 5, 9);
const NAVIGATION = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const HTTPS: SignInOptions = {
  secretKey: KEY,
  baseUrl: "https://auth.example.com/",
  redirectUri: "https://app.example.com/callback",
  now: () => START,
};
const HTTP: SignInOptions = { ...HTTPS, redirectUri: "http://localhost:3000/callback?tenant=%zz" };

function tokenFor(name: string, more: object = {}): string {
  const iat = START / 1000;
  return sign(KEY, { iss: "svc", sub: ADA, name, instance_id: "i", iat, exp: iat + 3600, ...more });
}

/** A browser as far as an application's cookies go, which it keeps although they have expired. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly set: string[] = [];

  get headers(): Record<string, string> {
    return { ...NAVIGATION, cookie: [...this.cookies].map((pair) => pair.join("=")).join("; ") };
  }

  #keep({ "set-cookie": set }: Readonly<Record<string, string>>): void {
    if (set === undefined) return;
    this.set.push(set);
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set)!;
    if (value === "") this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** @returns the address that the service is to send the browser back to */
  async begin(options: BeginSignInOptions = HTTPS): Promise<string> {
    const begun = await beginSignIn({ headers: this.headers }, options);
    if (!begun.ok) throw begun.error;
    this.#keep(begun.headers);
    expect(begun.headers).toMatchObject({ location: begun.location, "cache-control": "no-store" });
    return new URL(begun.location).searchParams.get("redirect_uri")!;
  }

  async finish(url: string, options: SignInOptions = HTTPS): Promise<FinishedSignIn> {
    const finished = await finishSignIn({ url, headers: this.headers }, options);
    this.#keep(finished.headers);
    return finished;
  }
}

/** What an application tells apart. */
function seen(finished: FinishedSignIn): string {
  return finished.ok ? String(finished.claims.name) : finished.error.code;
}

describe.each([
  [
    "https",
    HTTPS,
    /^__Host-svc-sign-in-[\w-]{8}=[\w-]{43}\.1767603600\.%2F; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  ],
  [
    "plain http",
    HTTP,
    /^svc-sign-in-[\w-]{8}=[\w-]{43}\.1767603600\.%2F; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  ],
])("A sign-in of an application at %s", (_, options, cookie) => {
  it("binds the callback to the browser by a cookie for ten minutes, and deletes it at the end", async () => {
    const browser = new Browser();
    const callback = await browser.begin(options);
    expect(browser.set).toEqual([expect.stringMatching(cookie)]);
    const joint = options.redirectUri.includes("?") ? "&" : "?";
    const [before, nonce = ""] = callback.split(`${joint}nonce=`);
    expect([before, nonce]).toEqual([options.redirectUri, expect.stringMatching(/^[\w-]{43}$/)]);
    expect(browser.set[0]).toContain(`=${nonce}.`);
    const finished = await browser.finish(`${callback}&token=${tokenFor("Ada")}`, options);
    expect(finished).toMatchObject({ ok: true, token: tokenFor("Ada"), returnTo: "/", claims: { name: "Ada" } });
    expect(finished.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    expect(browser.set[1]).toMatch(
      /^(__Host-)?svc-sign-in-[\w-]{8}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax(; Secure)?$/,
    );
    expect([...browser.cookies]).toEqual([]);
    // Reused, with the cookie as the browser has it now.
    expect(seen(await browser.finish(`${callback}&token=${tokenFor("Ada")}`, options))).toBe("sign_in_not_begun");
  });

  it("takes a callback as Node has it, by its path and query alone", async () => {
    const browser = new Browser();
    const { pathname, search } = new URL(await browser.begin(options));
    expect(seen(await browser.finish(`${pathname}${search}&token=${tokenFor("Ada")}`, options))).toBe("Ada");
  });
});

it("The service is asked for the provider, the account and the instance that the application names", async () => {
  const more = { provider: "github", loginHint: "ada@acme.test", publishableKey: "pk_acme" } as const;
  const begun = await beginSignIn({ headers: {} }, { ...HTTPS, ...more });
  const { origin, pathname, searchParams } = new URL(begun.ok ? begun.location : "");
  const { redirect_uri, ...query } = Object.fromEntries(searchParams);
  expect([origin + pathname, query]).toEqual([
    "https://auth.example.com/oauth/authorize",
    { provider: "github", login_hint: "ada@acme.test", publishable_key: "pk_acme" },
  ]);
  expect(redirect_uri).toMatch(/^https:\/\/app\.example\.com\/callback\?nonce=/);
});

describe("T52: a callback is refused", () => {
  const stranger = `token=${tokenFor("Mallory")}`;
  const NONCE = "A".repeat(43);

  it.each<[what: string, cookies: (own: string) => string[], query: (own: string) => string]>([
    ["in a browser that began no sign-in", () => [], (own) => `nonce=${own}`],
    ["without a nonce", (own) => [own], () => ""],
    ["with a nonce of another browser", (own) => [own], () => `nonce=${NONCE}`],
    ["with half of the nonce", (own) => [own], (own) => `nonce=${own.slice(0, 20)}`],
    ["with more than the nonce", (own) => [own], (own) => `nonce=${own}A`],
    ["with the nonce twice", (own) => [own], (own) => `nonce=${own}&nonce=${own}`],
    ["with two nonces", (own) => [own], (own) => `nonce=${NONCE}&nonce=${own}`],
    ["with an empty nonce and an empty cookie", () => [""], () => "nonce="],
    ["with a value of the cookie that no application set", () => ["1"], () => "nonce=1"],
    [
      "with two cookies of one name, of which another site set the first",
      (own) => [NONCE, own],
      () => `nonce=${NONCE}`,
    ],
    [
      "with two cookies of one name, of which another site set the second",
      (own) => [own, NONCE],
      () => `nonce=${NONCE}`,
    ],
    ["with two cookies of one name and the own nonce", (own) => [own, NONCE], (own) => `nonce=${own}`],
    ["with two equal cookies", (own) => [own, own], (own) => `nonce=${own}`],
  ])("%s", async (_, cookies, query) => {
    const own = new URL(await new Browser().begin()).searchParams.get("nonce")!;
    const name = `__Host-svc-sign-in-${own.slice(0, 8)}`;
    const cookie = cookies(own)
      .map((value) => `${name}=${value}${value.length > 1 ? ".1767603600.%2F" : ""}`)
      .join("; ");
    const url = `https://app.example.com/callback?${query(own)}&${stranger}`;
    const finished = await finishSignIn({ url, headers: { ...NAVIGATION, cookie } }, HTTPS);
    expect([seen(finished), finished.headers["set-cookie"]]).toEqual(["sign_in_not_begun", undefined]);
  });

  it("over https with a cookie whose name any host of the domain could set", async () => {
    const callback = await new Browser().begin();
    const cookie = `svc-sign-in-x=${new URL(callback).searchParams.get("nonce")}.1767603600.%2F`;
    expect(seen(await finishSignIn({ url: `${callback}&${stranger}`, headers: { cookie } }, HTTPS))).toBe(
      "sign_in_not_begun",
    );
  });

  it("after ten minutes, although the browser has kept the cookie", async () => {
    const browser = new Browser();
    const callback = `${await browser.begin()}&token=${tokenFor("Ada")}`;
    const after = (seconds: number): SignInOptions => ({ ...HTTPS, now: () => START + seconds * 1000 });
    expect(seen(await browser.finish(callback, after(601)))).toBe("sign_in_not_begun");
    expect(seen(await browser.finish(callback, after(600)))).toBe("Ada");
  });

  it("after the sign-in has failed", async () => {
    const browser = new Browser();
    const callback = await browser.begin();
    expect(seen(await browser.finish(`${callback}&error=access_denied`))).toBe("access_denied");
    expect(seen(await browser.finish(`${callback}&${stranger}`))).toBe("sign_in_not_begun");
  });

  it.each([
    ["a token that is not valid", "token=a.b.c", "token_invalid_signature"],
    ["a token that has expired", `token=${tokenFor("Ada", { iat: 1, exp: 3601 })}`, "token_expired"],
    ["neither a token nor an error", "", "missing_token"],
    ["two tokens", `token=${tokenFor("Ada")}&${stranger}`, "missing_token"],
    ["a token and an error", `error=server_error&${stranger}`, "server_error"],
  ])("with %s, and is over", async (_, query, code) => {
    const browser = new Browser();
    const finished = await browser.finish(`${await browser.begin()}&${query}`);
    expect([seen(finished), browser.cookies.size]).toEqual([code, 0]);
  });
});

describe("A request of a sign-in", () => {
  const asked: [by: string, headers: Record<string, string>][] = [
    ["a script", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
    ["an image", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
    ["a frame", { ...NAVIGATION, "sec-fetch-dest": "iframe" }],
    ["a prefetch", { ...NAVIGATION, "sec-purpose": "prefetch" }],
    ["a prerender", { ...NAVIGATION, "sec-purpose": "prefetch;prerender" }],
    ["a prefetch of an older browser", { purpose: "prefetch" }],
    ["a prefetch of Firefox", { "x-moz": "prefetch" }],
    ["a preview of Safari", { "x-purpose": "preview" }],
    ["a WebSocket's handshake", { upgrade: "websocket", connection: "Upgrade" }],
    ["a WebSocket's handshake whose upgrade a proxy removed", { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }],
  ];

  it.each([...asked, ["a page of another site", { ...NAVIGATION, "sec-fetch-site": "cross-site" }]])(
    "by %s begins none",
    async (_, headers) => {
      const begun = await beginSignIn({ headers }, HTTPS);
      expect(begun).toMatchObject({ ok: false, error: { name: "SignInError", code: "sign_in_refused" } });
      expect(begun.headers).toEqual({ "cache-control": "no-store" });
    },
  );

  it.each(asked)("by %s ends none", async (_, headers) => {
    const browser = new Browser();
    const url = `${await browser.begin()}&token=${tokenFor("Ada")}`;
    const { cookie } = browser.headers;
    expect(seen(await finishSignIn({ url, headers: { cookie, ...headers } }, HTTPS))).toBe("sign_in_refused");
    expect(seen(await browser.finish(url))).toBe("Ada");
  });

  it.each([
    ["a person who typed the address", { ...NAVIGATION, "sec-fetch-site": "none" }],
    ["the application's service worker", { ...NAVIGATION, "sec-fetch-dest": "empty" }],
    ["a browser over plain http", { accept: "text/html", "upgrade-insecure-requests": "1" }],
    ["a program", { upgrade: "h2c" }],
  ])("by %s begins one", async (_, headers) => {
    expect((await beginSignIn({ headers }, HTTPS)).ok).toBe(true);
  });

  it("ends one on the way back from the service, which is another site", async () => {
    const browser = new Browser();
    const url = `${await browser.begin()}&token=${tokenFor("Ada")}`;
    const headers = { ...browser.headers, "sec-fetch-site": "cross-site" };
    expect(seen(await finishSignIn(new Request(url, { headers }), HTTPS))).toBe("Ada");
  });
});

describe("An application at another loopback name than its callback", () => {
  const at = async (host: string, more: object = {}, options = HTTP): Promise<unknown> => {
    const begun = await beginSignIn({ headers: { ...NAVIGATION, host, ...more } }, options);
    return begun.ok ? "begun" : [begun.error.code, begun.error.message, Object.keys(begun.headers)];
  };
  const refusal = (origin: string): unknown => [
    "sign_in_refused",
    `Open the application at ${origin}, the host of its redirectUri: its cookie goes to no other`,
    ["cache-control"],
  ];

  it.each(["127.0.0.1:3000", "127.0.0.2:3000", "[::1]:3000", "app.localhost:3000"])(
    "begins nothing that can't finish: %s",
    async (host) => {
      expect(await at(host)).toEqual(refusal("http://localhost:3000"));
      const redirectUri = `http://${host}/callback`;
      expect(await at("localhost:3000", {}, { ...HTTP, redirectUri })).toEqual(refusal(`http://${host}`));
      expect(await at(host, {}, { ...HTTP, redirectUri })).toBe("begun");
    },
  );

  it("is not judged by what a proxy may have changed", async () => {
    expect(await at("localhost:3000")).toBe("begun");
    expect(await at("LOCALHOST:3000")).toBe("begun");
    // Of a development server that passes requests on.
    expect(await at("127.0.0.1:5173")).toBe("begun");
    expect(await at("app.internal:3000")).toBe("begun");
    for (const name of ["forwarded", "via", "x-forwarded-for", "x-forwarded-host"])
      expect(await at("127.0.0.1:3000", { [name]: "x" })).toBe("begun");
    expect(await at("127.0.0.1:3000", {}, HTTPS)).toBe("begun");
    expect(await at("not a host")).toBe("begun");
    expect(await at("127.0.0.1", {}, { ...HTTP, redirectUri: "http://localhost/callback" })).toEqual(
      refusal("http://localhost"),
    );
  });
});

describe("Several sign-ins of one browser", () => {
  it("end independently, in any order, each at its own page", async () => {
    const browser = new Browser();
    const paths = ["/orders?page=2#top", "/", "/a%20b"];
    const callbacks: string[] = [];
    for (const returnTo of paths) callbacks.push(await browser.begin({ ...HTTPS, returnTo }));
    for (const n of [1, 2, 0])
      expect(await browser.finish(`${callbacks[n]}&token=${tokenFor("Ada")}`)).toMatchObject({ returnTo: paths[n] });
  });

  it("are five at most: a sixth takes the place of the oldest", async () => {
    const browser = new Browser();
    const callbacks: string[] = [];
    for (let n = 0; n < 40; n++) callbacks.push(await browser.begin({ ...HTTPS, now: () => START + n * 1000 }));
    expect(browser.cookies.size).toBe(5);
    const ends = callbacks.map(async (url) =>
      finishSignIn({ url: `${url}&token=${tokenFor("Ada")}`, headers: browser.headers }, HTTPS),
    );
    const ok = (await Promise.all(ends)).map((finished) => finished.ok);
    expect(ok).toEqual(callbacks.map((_, n) => n >= 35));
  });
});

describe("returnTo", () => {
  const finishedAt = async (returnTo: unknown): Promise<string | undefined> => {
    const browser = new Browser();
    const finished = await browser.finish(`${await browser.begin({ ...HTTPS, returnTo })}&token=${tokenFor("Ada")}`);
    return finished.ok ? finished.returnTo : undefined;
  };

  it.each([
    ["/orders", "/orders"],
    ["/a?b=c%26&d=https://evil.test/#e", "/a?b=c%26&d=https://evil.test/#e"],
    ["/ü;x=\"'(!)*~.", "/%C3%BC;x=%22'(!)*~."],
    ["/a/../b", "/b"],
  ])("%s is kept", async (path, expected) => {
    expect(await finishedAt(path)).toBe(expected);
  });

  it.each([
    "//evil.test",
    "/\\evil.test",
    "\\/evil.test",
    "/\t/evil.test",
    "/.//evil.test",
    "/a/..//evil.test",
    "/%2e//evil.test",
    "https://evil.test/",
    "https://app.example.com/",
    "javascript:alert(1)",
    "@evil.test",
    "",
    "orders",
    `/${"x".repeat(1001)}`,
    undefined,
    null,
    ["/orders"],
  ])("%j counts as /", async (path) => {
    expect(await finishedAt(path)).toBe("/");
  });

  it("is checked again, because a cookie may be another's", async () => {
    const callback = await new Browser().begin();
    const nonce = new URL(callback).searchParams.get("nonce")!;
    for (const planted of ["%2F%2Fevil.test", "https:%2F%2Fevil.test", "%zz"]) {
      const headers = { cookie: `__Host-svc-sign-in-x=${nonce}.1767603600.${planted}` };
      const finished = await finishSignIn({ url: `${callback}&token=${tokenFor("Ada")}`, headers }, HTTPS);
      // A colon is never unescaped in a cookie of this library.
      expect(finished.ok ? finished.returnTo : finished.error.code).toBe(
        planted.includes(":") ? "sign_in_not_begun" : "/",
      );
    }
  });
});

describe("What the service reports", () => {
  it.each([
    ["error=access_denied&error_description=You+left.", "access_denied", "You left."],
    ["error=access_denied", "access_denied", "The sign-in was cancelled."],
    ["error=access_denied&error_description=<script>", "access_denied", "The sign-in was cancelled."],
    ["error=toString", "unknown", "The sign-in failed."],
    ["error=new_one&error_description=Something+new.", "unknown", "Something new."],
  ])("is an error with its code and message: %s", async (query, code, message) => {
    const browser = new Browser();
    const finished = await browser.finish(`${await browser.begin()}&${query}`);
    expect(finished).toMatchObject({ ok: false, error: { name: "SignInError", code, message } });
  });
});

describe("The options", () => {
  it.each<[options: Partial<BeginSignInOptions> | Record<string, unknown>, message: string]>([
    [{ secretKey: "" }, "secretKey is empty"],
    [{ baseUrl: undefined }, "baseUrl must be an http or https address"],
    [{ baseUrl: "auth.example.com" }, "baseUrl must be an http or https address"],
    [{ redirectUri: "/callback" }, "redirectUri must be an absolute address"],
    [{ redirectUri: "com.example.app:/callback" }, "redirectUri must be an http or https address"],
    [{ redirectUri: "https://app.test/cb?%6eonce=1" }, "redirectUri must not have a parameter nonce"],
    [{ redirectUri: `https://app.test/${"x".repeat(2000)}` }, "it is longer than 2048 characters"],
    [{ provider: "gihub" }, "Did you mean github?"],
    [{ publishableKey: KEY }, "publishableKey is a secret key"],
    [{ retrunTo: "/" }, "Unknown option of beginSignIn: retrunTo. Did you mean returnTo?"],
  ])("%j are refused before anyone signs in", async (wrong, message) => {
    const error = await caught(beginSignIn({ headers: {} }, { ...HTTPS, ...wrong } as BeginSignInOptions));
    expect(error).toMatchObject({ name: "ConfigError", message: expect.stringContaining(message) as string });
  });

  it("must be of a request with headers and an address", async () => {
    expect(await caught(finishSignIn({ headers: {} }, HTTPS))).toMatchObject({ code: "config" });
    expect(await caught(finishSignIn({} as Request, HTTPS))).toMatchObject({ code: "config" });
  });
});
