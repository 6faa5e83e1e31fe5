import { describe, expect, it } from "vitest";
import { AWAITS_BROWSER } from "../../src/server/sign-in/binding.ts";
import { bindAtPage } from "../../src/server/simulator/authorize-page.ts";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { BROWSER, CookieJar } from "../_cookie-jar.ts";
import { APP, CONTROL_KEY, decodePart, FRONT, setup, type Service } from "../_setup.ts";
import { CREDENTIALS, expectRefusedState, recordOf } from "../_sign-in.ts";
import { createDatabase } from "../postgres/_postgres.ts";
import { patient } from "../postgres/_store.ts";
import { STORES, useEmptyStore } from "../sign-in/_linking.ts";

const EVIL = "https://evil.test/catch";

/** Begins at a subdomain, as whoever knows the state from then on. @returns the provider's address */
async function begin(
  { fetch }: Service,
  { redirect_uri = APP, headers = BROWSER as Record<string, string>, login_hint = "" } = {},
): Promise<URL> {
  const query = new URLSearchParams({ provider: "google", redirect_uri, ...(login_hint && { login_hint }) });
  const toPage = locationOf(await fetch(`http://acme.localhost:7820/oauth/authorize?${query.toString()}`, { headers }));
  expect(toPage.pathname).toBe("/__svc/simulator/google/authorize");
  return toPage;
}

const stateIn = (url: URL): string => url.searchParams.get("state")!;

function without(url: URL, name: string): URL {
  const changed = new URL(url);
  changed.searchParams.delete(name);
  return changed;
}

/** Chooses an account on the page. @returns where the browser is sent */
async function choose(browser: CookieJar, page: Response, url: URL, account: string): Promise<URL> {
  const request = requestOn(await page.text(), url);
  return locationOf(await browser.get(`${request.href}&login_hint=${account}`));
}

const emailAt = (url: URL): unknown => decodePart(url.searchParams.get("token")!, 1)["email"];

function callback(state: string, code: string): string {
  return `${FRONT}/oauth/google/callback?${new URLSearchParams({ state, code }).toString()}`;
}

describe.each(STORES)("T03: A sign-in that a browser began at a subdomain (%s)", (name) => {
  const emptyStore = useEmptyStore(name);
  const started = async (options: Parameters<typeof setup>[0] = {}): Promise<Service> =>
    setup({ ...options, store: await emptyStore() });

  it("belongs to the first browser at the provider's page, which can reload it", async () => {
    const service = await started();
    const toPage = await begin(service);
    const [first, second] = [new CookieJar(service), new CookieJar(service)];
    const page = await first.get(toPage.href);
    const late = await second.get(toPage.href);
    expect([late.status, late.headers.getSetCookie(), await late.json()]).toEqual([
      400,
      [],
      { error: "Bad request: google (simulated): this request is no longer valid; start again from the application" },
    ]);
    expect(service.log.requests.at(-1)?.reason).toContain("another browser began this sign-in");
    await page.text();
    const again = await first.get(toPage.href);
    const toCallback = await choose(first, again, toPage, "ada");
    expect(emailAt(locationOf(await first.get(toCallback.href)))).toBe("ada@acme.test");
  });

  it("belongs to one of twenty browsers that come at once", async () => {
    const service = await started();
    const toPage = await begin(service, { login_hint: "ada" });
    const browsers = Array.from({ length: 20 }, () => new CookieJar(service));
    const answers = await Promise.all(browsers.map((browser) => browser.get(toPage.href)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([302, ...Array<number>(19).fill(400)]);
    const winner = answers.findIndex(({ status }) => status === 302);
    expect(browsers.filter(({ cookies }) => cookies.length > 0)).toEqual([browsers[winner]]);
    const end = await browsers[winner]!.get(locationOf(answers[winner]!).href);
    expect(emailAt(locationOf(end))).toBe("ada@acme.test");
  });

  it.each([
    ["a prefetch", { "sec-purpose": "prefetch" }],
    ["a prerender", { "sec-purpose": "prefetch;prerender" }],
    ["an image", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
    ["a frame", { "sec-fetch-dest": "iframe" }],
    ["a script's fetch", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
  ])("is not bound by %s of the page", async (_what, headers) => {
    const service = await started();
    const toPage = await begin(service, { login_hint: "ada" });
    const early = await service.fetch(toPage.href, { headers: { ...BROWSER, ...headers } });
    expect([early.status, early.headers.getSetCookie()]).toEqual([400, []]);
    expect((await recordOf(service, stateIn(toPage))).binding).toBe(AWAITS_BROWSER);
    const end = await new CookieJar(service).follow(toPage.href, "/callback");
    expect(emailAt(end)).toBe("ada@acme.test");
  });

  it("is not bound by HEAD", async () => {
    const service = await started();
    const toPage = await begin(service);
    const answer = await service.fetch(toPage.href, { method: "HEAD", headers: BROWSER });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([405, []]);
    expect((await recordOf(service, stateIn(toPage))).binding).toBe(AWAITS_BROWSER);
  });

  describe("begun by an attacker, and bound to the victim's browser, takes no code", () => {
    /** The victim's browser at the page, brought there by the attacker, who knows the state. */
    async function lured(service: Service, toPage: URL): Promise<CookieJar> {
      const victim = new CookieJar(service);
      expect((await victim.get(toPage.href)).status).toBe(200);
      return victim;
    }

    const CODES: [string, (service: Service, toPage: URL) => Promise<URL>][] = [
      [
        "of the attacker's own sign-in",
        async (service) => {
          const own = await begin(service, { login_hint: "mary" });
          return locationOf(await new CookieJar(service).get(own.href));
        },
      ],
      [
        "that a program got for the same state before",
        async (service, toPage) => {
          const page = await service.fetch(toPage.href);
          return locationOf(await service.fetch(`${requestOn(await page.text(), toPage).href}&login_hint=mary`));
        },
      ],
      [
        "that a browser got for the same state before, by hiding what it is for",
        async (service, toPage) => {
          const attacker = new CookieJar(service);
          const hidden = without(toPage, "application");
          return choose(attacker, await attacker.get(hidden.href), hidden, "mary");
        },
      ],
      [
        "that names the same state, but was invented",
        async (_service, toPage) => new URL(callback(stateIn(toPage), "invented")),
      ],
    ];

    it.each(CODES)("%s", async (_what, codeOf) => {
      const service = await started();
      const toPage = await begin(service);
      const code = (await codeOf(service, toPage)).searchParams.get("code")!;
      expect(code).toBeTruthy();
      const victim = await lured(service, toPage);
      const end = locationOf(await victim.get(callback(stateIn(toPage), code)));
      expect([end.searchParams.get("token"), end.searchParams.get("error")]).toEqual([null, "server_error"]);
      expect(service.log.failures).toEqual([expect.stringContaining("not issued to this browser for this sign-in")]);
    });
  });

  it("bound to the attacker's browser cannot be finished in the victim's", async () => {
    const service = await started();
    const toPage = await begin(service, { login_hint: "mary" });
    const toCallback = locationOf(await new CookieJar(service).get(toPage.href));
    await expectRefusedState(await new CookieJar(service).get(toCallback.href));
  });

  it("cannot be finished by a browser that was not at the page, or by a program", async () => {
    const service = await started();
    for (const headers of [BROWSER, {}]) {
      const toPage = await begin(service, { login_hint: "ada" });
      const toCallback = locationOf(await service.fetch(toPage.href));
      await expectRefusedState(await service.fetch(toCallback.href, { headers }));
      expect(service.log.requests.at(-1)?.reason).toContain("did not open the provider's page");
    }
  });

  it.each(["provider", "application"])("is not bound by an address with another %s", async (changed) => {
    const service = await started();
    const toPage = await begin(service, { login_hint: "ada" });
    const tampered =
      changed === "application"
        ? without(toPage, "application")
        : new URL(toPage.href.replaceAll("google", "github").replace("openid+email+profile", "user%3Aemail"));
    const browser = new CookieJar(service);
    await browser.get(tampered.href);
    expect((await recordOf(service, stateIn(toPage))).binding).toBe(AWAITS_BROWSER);
    expect(browser.cookies.filter((cookie) => cookie.startsWith("svc_oauth"))).toEqual([]);
  });

  it("sends no token to another site by an address that hides the need for a click", async () => {
    const service = await started();
    const toPage = await begin(service, { redirect_uri: EVIL });
    const hidden = without(toPage, "application");
    const victim = new CookieJar(service);
    const toCallback = await choose(victim, await victim.get(`${hidden.href}&login_hint=ada`), hidden, "ada");
    await expectRefusedState(await victim.get(toCallback.href));
    const honest = await begin(service, { redirect_uri: EVIL });
    const page = await (await new CookieJar(service).get(`${honest.href}&login_hint=ada`)).text();
    expect(page).toContain("Send a token to another site?");
  });

  it("is decided by a scenario for its own browser, and a second one uses none up", async () => {
    const service = await started({ control: true });
    const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ as: "mary", outcome: "success", times: 2 });
    expect((await service.fetch("/__svc/v1/scenarios", { method: "POST", headers, body })).status).toBe(201);
    const toPage = await begin(service);
    const [first, second] = [new CookieJar(service), new CookieJar(service)];
    const toCallback = locationOf(await first.get(toPage.href));
    expect((await second.get(toPage.href)).status).toBe(400);
    const [scenario] = (await (await service.fetch("/__svc/v1/scenarios", { headers })).json()) as [{ data: object }];
    expect(scenario.data).toMatchObject({ used: 1, remaining: 1 });
    expect(emailAt(locationOf(await first.get(toCallback.href)))).toBe("mary@geneva.test");
  });

  it("ends without a token if the provider has become a real one meanwhile", async () => {
    const service = await started({ control: true });
    const browser = new CookieJar(service);
    const toCallback = locationOf(await browser.get((await begin(service, { login_hint: "ada" })).href));
    const headers = { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" };
    const path = `/__svc/v1/instances/${service.acme.id}/connections/google`;
    const put = { method: "PUT", headers, body: JSON.stringify(CREDENTIALS["google"]) };
    expect((await service.fetch(path, put)).status).toBe(200);
    const end = locationOf(await browser.get(toCallback.href));
    expect([end.searchParams.get("token"), end.searchParams.get("error")]).toEqual([null, "server_error"]);
    expect(service.log.failures).toEqual([expect.stringContaining("not issued to this browser")]);
  });

  it("stays a program's if a program began it: a browser at the page is not bound", async () => {
    const service = await started();
    const toPage = await begin(service, { headers: {}, login_hint: "ada" });
    const browser = new CookieJar(service);
    const toCallback = locationOf(await browser.get(toPage.href));
    expect(browser.cookies).toEqual([]);
    expect((await recordOf(service, stateIn(toPage))).binding).toBeNull();
    await expectRefusedState(await browser.get(toCallback.href));
  });
});

it("T03: A sign-in is bound to one of the browsers that come to different processes on one database", async () => {
  const url = patient(await createDatabase());
  const stores = [
    await openPostgresStore(url, { warn: () => {} }),
    await openPostgresStore(url, { warn: () => {} }),
  ] as const;
  const service = await setup({ store: stores[0] });
  const states = await Promise.all(Array.from({ length: 10 }, async () => stateIn(await begin(service))));
  for (const state of states) {
    const bound = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => {
        const deps = { store: stores[i % 2]!, addresses: { isHttps: false } };
        return bindAtPage(deps, { provider: "google", browser: `browser-${i}`, state, application: undefined });
      }),
    );
    const cookies = bound.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(cookies).toEqual([expect.objectContaining({ path: "/oauth" })]);
  }
  await Promise.all(stores.map((store) => store.close()));
});
