import { describe, expect, it } from "vitest";
import { locationOf } from "../_answers.ts";
import { untilCallback } from "../_sign-in.ts";
import { APP, SEED, setup, type Service } from "../_setup.ts";

const BROWSER = { "user-agent": "Mozilla/5.0", "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };

function lastReason({ log }: Service): string | null | undefined {
  return log.requests.at(-1)?.reason;
}

function start(redirect_uri: string, more: Record<string, string> = {}): string {
  return `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri, ...more }).toString()}`;
}

it("A browser that requests a missing page gets an error page", async () => {
  const service = await setup();
  const response = await service.fetch("/nothing-here", { headers: { ...BROWSER, accept: "text/html" } });
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("There is no page at this address.");
});

it("A refused sign-in leads back to the first entry that is a page, in whatever case it was registered", async () => {
  const [instance] = SEED.instances;
  const redirect_uris = ["com.example.app:/callback", "HTTPS://Shop.example.test/callback"];
  const service = await setup({ seed: { ...SEED, instances: [{ ...instance, redirect_uris }] } as never });
  const page = await service.fetch(start("https://other.test/"), {
    headers: { ...BROWSER, accept: "text/html" },
  });
  expect(await page.text()).toContain('href="https://shop.example.test" data-testid="way-back"');
});

describe("The log of a refused sign-in", () => {
  it("names the address without its query, the rule and what to register", async () => {
    const service = await setup();
    await service.fetch(start("https://other.test/cb?secret=1", { instance: "globex" }));
    expect(lastReason(service)).toBe(
      'Invalid redirect_uri: it is not one of the redirect_uris of Globex, which must match exactly; loopback matches with any port. Add "https://other.test/cb?*" to its redirect_uris',
    );
  });

  it("explains that nothing is registered if others can reach the server", async () => {
    const service = await setup({ isLocal: false });
    await service.fetch(start(APP));
    expect(lastReason(service)).toContain(`Add "${APP}" to its redirect_uris`);
  });

  it("explains where the entry * does not apply", async () => {
    const service = await setup({
      isLocal: false,
      seed: { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: ["*"] }] },
    });
    await service.fetch(start(APP));
    expect(lastReason(service)).toContain(
      'the entry "*" of Acme is allowed only without --strict, and on a server that no other machine can reach',
    );
  });

  it("names the fault of a state: unknown, used, expired, of another provider or browser", async () => {
    const service = await setup();
    const reasons: (string | null | undefined)[] = [];
    const finish = async (url: URL, init?: RequestInit): Promise<void> => {
      await service.fetch(url.href, init);
      reasons.push(lastReason(service));
    };
    const used = await untilCallback(service, "google");
    await finish(used);
    await finish(used);
    const other = await untilCallback(service, "google");
    await finish(new URL(other.href.replace("/google/", "/github/")));
    await finish(await untilCallback(service, "google"), { headers: BROWSER });
    const begun = locationOf(await service.fetch(start(APP, { login_hint: "ada" }), { headers: BROWSER }));
    await finish(locationOf(await service.fetch(begun.href, { headers: BROWSER })), { headers: BROWSER });
    const late = await untilCallback(service, "google");
    service.clock.advance(630);
    await finish(late);
    await finish(new URL(late.href.replace(/state=.*/, `state=${"0".repeat(64)}`)));
    const because = (why: string): string => `Invalid or expired state. ${why}`;
    expect(reasons).toEqual([
      null,
      because("The callback of this sign-in came before, and counts once. Start a new one."),
      because("The sign-in began with Google, and GitHub sent the user back. Start a new one."),
      because("A program began the sign-in, so a browser can't finish it. Start it in the browser."),
      because(
        "The browser did not send the sign-in's cookie. Finish it in the browser that began it, with cookies allowed.",
      ),
      because("The state expired before the user came back, 10 minutes after the sign-in began. Start a new one."),
      because("No sign-in in progress has this state: it is unknown, used or expired. Start a new one."),
    ]);
  });

  it("names an unknown host if it can be one", async () => {
    const service = await setup();
    await service.fetch("http://other.test:7820/sign-in");
    expect(lastReason(service)).toBe(
      "Unknown host: this server does not answer for other.test:7820; add it with --allowed-host",
    );
  });

  it("omits API requests", async () => {
    const service = await setup();
    await service.as(service.acme, "/api/v1/users/search?query=emial:ada@acme.test");
    expect([service.log.requests.at(-1)?.status, lastReason(service)]).toEqual([400, "Invalid query"]);
  });
});

describe("A refused sign-in", () => {
  it.each([
    ["for an application's page that is not allowed", "https://other.test/", undefined],
    ["for a page that fetches it", APP, { ...BROWSER, "sec-fetch-mode": "no-cors" }],
    ["for a page that frames it", APP, { ...BROWSER, "sec-fetch-dest": "iframe" }],
    ["for a page that prerenders it", APP, { ...BROWSER, "sec-purpose": "prefetch;prerender" }],
    ["at a name without Sec-Fetch headers", APP, { "user-agent": "Mozilla/5.0", host: "svc.corp.test:7820" }],
  ])("saves nothing: %s", async (_, redirect_uri, headers) => {
    let saved = 0;
    const service = await setup({ allowedHosts: ["svc.corp.test"] });
    const { store } = service;
    const save = store.saveState.bind(store);
    store.saveState = (record) => {
      saved++;
      return save(record);
    };
    const response = await service.fetch(start(redirect_uri, { instance: headers ? "acme" : "globex" }), {
      ...(headers && { headers }),
    });
    expect([response.status, saved]).toEqual([400, 0]);
  });
});
