import { describe, expect, it } from "vitest";
import { locationOf } from "../_answers.ts";
import { BROWSER, CookieJar } from "../_cookie-jar.ts";
import { APP, decodePart, FRONT, setup, type Service } from "../_setup.ts";
import { CREDENTIALS, expectRefusedState, recordOf } from "../_sign-in.ts";

/** Hosts of the server at which a browser has no cookie of the callback's. */
const HOSTS = ["acme.localhost:7820", "127.0.0.1:7820", "[::1]:7820", "auth.internal:7820"];
const QUERY = new URLSearchParams({ instance: "acme", provider: "google", redirect_uri: APP, login_hint: "ada" });

const startAt = (host: string): string => `http://${host}/oauth/authorize?${QUERY.toString()}`;
const emailAt = (url: URL): unknown => decodePart(url.searchParams.get("token")!, 1)["email"];
const stateIn = (url: URL): string => url.searchParams.get("state")!;

async function statesOf({ store }: Service): Promise<number> {
  return (await store.counts()).states;
}

describe.each(HOSTS)("T03: A sign-in that a browser begins at %s", (host) => {
  it.each([
    ["simulated", {}],
    ["real", { credentials: CREDENTIALS }],
  ])("goes on at the callback's host, where the browser gets its cookie, with a %s provider", async (_, options) => {
    const service = await setup({ allowedHosts: ["auth.internal"], ...options });
    const response = await service.fetch(startAt(host), { headers: BROWSER });
    const begin = locationOf(response);
    expect([begin.origin + begin.pathname, begin.search.slice(1)]).toEqual([`${FRONT}/__svc/begin`, QUERY.toString()]);
    expect([response.headers.getSetCookie(), await statesOf(service)]).toEqual([[], 0]);
    const there = await service.fetch(begin.href, { headers: BROWSER });
    expect(there.headers.getSetCookie()).toEqual([expect.stringMatching(/^svc_oauth_.*; Path=\/; HttpOnly/)]);
    expect((await recordOf(service, stateIn(locationOf(there)))).binding).toMatch(/^[0-9a-f]{64}$/);
  });

  it("ends with a token there, and in no other browser", async () => {
    const service = await setup({ allowedHosts: ["auth.internal"] });
    const own = new CookieJar(service);
    expect(emailAt(await own.follow(startAt(host), "/callback"))).toBe("ada@acme.test");
    const attacker = new CookieJar(service);
    const toCallback = await attacker.follow(startAt(host), "/oauth/google/callback");
    await expectRefusedState(await new CookieJar(service).get(toCallback.href));
  });

  it("is not begun by what is no navigation, there or at the callback's host", async () => {
    const service = await setup({ allowedHosts: ["auth.internal"] });
    const begin = locationOf(await service.fetch(startAt(host), { headers: BROWSER })).href;
    for (const headers of [
      { "sec-purpose": "prefetch" },
      { "sec-purpose": "prefetch;prerender" },
      { purpose: "prefetch" },
      { "x-moz": "prefetch" },
      { "x-purpose": "preview" },
      { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      { "sec-fetch-dest": "iframe" },
      { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
    ])
      for (const url of [startAt(host), begin]) {
        const refused = await service.fetch(url, { headers: { ...BROWSER, ...headers } });
        expect([refused.status, refused.headers.getSetCookie()]).toEqual([400, []]);
      }
    expect(await statesOf(service)).toBe(0);
  });

  it("is a program's, with its state in the first answer, if a program begins it: then no browser finishes it", async () => {
    const service = await setup({ allowedHosts: ["auth.internal"] });
    const begin = async (): Promise<URL> => locationOf(await service.fetch(startAt(host)));
    const toProvider = await begin();
    expect(toProvider.pathname).toBe("/__svc/simulator/google/authorize");
    expect((await recordOf(service, stateIn(toProvider))).binding).toBeNull();
    const toCallback = locationOf(await service.fetch(toProvider.href));
    expect(emailAt(locationOf(await service.fetch(toCallback.href)))).toBe("ada@acme.test");
    // Whoever began it knows its state, and may bring a browser to the provider's page.
    const victim = new CookieJar(service);
    const lured = locationOf(await victim.get((await begin()).href));
    await expectRefusedState(await victim.get(lured.href));
  });
});

it("T03: A frame's request that looks like a navigation, at a name over plain http, sets no cookie and saves nothing", async () => {
  const service = await setup({ allowedHosts: ["auth.internal"] });
  const navigation = { accept: "text/html", "user-agent": "Mozilla/5.0", "upgrade-insecure-requests": "1" };
  const begin = locationOf(await service.fetch(startAt("auth.internal:7820"), { headers: navigation }));
  const frame = { ...BROWSER, "sec-fetch-dest": "iframe" };
  expect((await service.fetch(begin.href, { headers: frame })).status).toBe(400);
  expect(await statesOf(service)).toBe(0);
});

describe("T70: A page that begins many sign-ins", () => {
  it("leaves five cookies of them in the browser, those of the latest, which can be finished", async () => {
    const service = await setup();
    const browser = new CookieJar(service);
    const begun: URL[] = [];
    for (let time = 0; time < 12; time++) {
      begun.push(await browser.follow(startAt("localhost:7820"), "/oauth/google/callback"));
      service.clock.advance(1);
    }
    expect(browser.cookies.filter((cookie) => cookie.startsWith("svc_oauth_"))).toHaveLength(5);
    for (const toCallback of begun.slice(0, 7)) await expectRefusedState(await browser.get(toCallback.href));
    for (const toCallback of begun.slice(7))
      expect(emailAt(locationOf(await browser.get(toCallback.href)))).toBe("ada@acme.test");
    expect(browser.cookies.filter((cookie) => cookie.startsWith("svc_oauth_"))).toEqual([]);
  });

  it("can't be made to keep a cookie of its own by a value that no sign-in has", async () => {
    const service = await setup();
    const planted = Array.from({ length: 8 }, (_, n) => `svc_oauth_${n}=${n % 2 === 0 ? "x" : ""}`).join("; ");
    const headers = { ...BROWSER, cookie: `session=1; ${planted}` };
    const cookies = (await service.fetch(startAt("localhost:7820"), { headers })).headers.getSetCookie();
    expect(cookies.filter((cookie) => !cookie.includes("Max-Age=0"))).toHaveLength(1);
    expect(cookies.filter((cookie) => /^svc_oauth_\d=; Max-Age=0; Path=\//.test(cookie))).toHaveLength(4);
  });
});
