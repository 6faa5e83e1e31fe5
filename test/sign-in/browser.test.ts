import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createBinding, endBinding } from "../../src/server/sign-in/binding.ts";
import { PROVIDERS } from "../../src/wire/names.ts";
import { locationOf } from "../_answers.ts";
import { APP, decodePart, FRONT, setup, type Service } from "../_setup.ts";
import { authorizePath, expectRefusedState, recordOf, untilCallback } from "../_sign-in.ts";

/** Headers that a page cannot make a browser omit. */
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
};

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]!.split(";")[0]!;
}

/** Keeps cookies like a browser: by host and path, until they are removed. */
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

  /** Follows redirects up to the first address with the path, which is not requested. */
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

describe("A sign-in in a browser", () => {
  /** Starts in a browser. @returns the callback's address and the cookie that it needs */
  async function halfway(service: Service): Promise<{ toCallback: string; cookie: string }> {
    const response = await service.fetch(authorizePath("google"), { headers: BROWSER });
    const toCallback = locationOf(await service.fetch(locationOf(response).href, { headers: BROWSER }));
    return { toCallback: toCallback.href, cookie: cookieOf(response) };
  }

  it("sets a cookie for the callback only and removes it there", async () => {
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

  it("stores only a hash of the cookie", async () => {
    const service = await setup();
    const response = await service.fetch(authorizePath("google"), { headers: BROWSER });
    const { binding } = await recordOf(service, locationOf(response).searchParams.get("state")!);
    const secret = cookieOf(response).split("=")[1]!;
    expect(binding).toBe(createHash("sha256").update(secret).digest("hex"));
  });

  it("binds the cookie to the host over https", () => {
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
  ])("cannot be finished %s, and the state is used up", async (_what, change) => {
    const service = await setup();
    const [own, other] = [await halfway(service), await halfway(service)];
    const cookie = change(own.cookie, other.cookie);
    const headers = { ...BROWSER, ...(cookie && { cookie }) };
    await expectRefusedState(await service.fetch(own.toCallback, { headers }));
    await expectRefusedState(await service.fetch(own.toCallback, { headers: { ...BROWSER, cookie: own.cookie } }));
    const honest = await service.fetch(other.toCallback, { headers: { ...BROWSER, cookie: other.cookie } });
    expect(locationOf(honest).searchParams.has("token")).toBe(true);
  });

  it("cannot be finished without the cookie by a program", async () => {
    const service = await setup();
    await expectRefusedState(await service.fetch((await halfway(service)).toCallback));
  });

  it.each([
    ["User-Agent", { "user-agent": BROWSER["user-agent"] }],
    ["Sec-Fetch-Site", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
  ])("that a program started cannot be finished there, as recognized by %s", async (_what, headers) => {
    const service = await setup();
    const [one, two] = [await untilCallback(service, "google"), await untilCallback(service, "google")];
    await expectRefusedState(await service.fetch(one.href, { headers }));
    const stolen = (await halfway(service)).cookie;
    await expectRefusedState(await service.fetch(two.href, { headers: { ...headers, cookie: stolen } }));
  });

  it("is not what a program starts that sends the headers of Node's fetch", async () => {
    const { fetch } = await setup();
    const response = await fetch(authorizePath("google"), {
      headers: { "user-agent": "node", "sec-fetch-mode": "cors" },
    });
    expect(locationOf(response).searchParams.has("state")).toBe(true);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it.each(PROVIDERS)("ends with a token through %s and leaves no cookie behind", async (provider) => {
    const browser = new Browser(await setup());
    const url = await browser.follow(authorizePath(provider), "/callback");
    expect([...url.searchParams.keys()]).toEqual(["token"]);
    expect(browser.cookies).toEqual([]);
  });

  it("does not interfere with another one in the same browser", async () => {
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
  ])("that starts at an instance's own host continues at the server's own address: %s", async (path, provider) => {
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

  it.each(["nobody", "", "api"])("does not start for the unknown instance %j", async (instance) => {
    const { fetch } = await setup();
    const query = new URLSearchParams({ instance, provider: "google", redirect_uri: APP });
    const response = await fetch(`/__svc/begin?${query.toString()}`, { headers: BROWSER });
    expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
  });

  it.each(["127.0.0.1:7820", "[::1]:7820", "auth.internal:7820"])(
    "ends with a token when it starts at another name of the server, %s",
    async (host) => {
      const browser = new Browser(await setup({ allowedHosts: ["auth.internal"] }));
      const url = await browser.follow(`http://${host}${authorizePath("google")}`, "/callback");
      expect([...url.searchParams.keys()]).toEqual(["token"]);
    },
  );
});
