// Below the faces: the states that are saved are counted, at a name that is not loopback.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RequestEntry } from "../../src/server/http/request-entry.ts";
import { createConnectionLimit } from "../../src/server/http/connection-limit.ts";
import { configureServer } from "../../src/server/http/connections.ts";
import { createListener } from "../../src/server/http/listener.ts";
import { createAddresses } from "../../src/server/instances/addresses.ts";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { createOffers, type Credentials } from "../../src/server/providers/offers.ts";
import { createService } from "../../src/server/service.ts";
import { nowhere } from "../../src/server/sign-in/geo.ts";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { CHROMIUM, launchChromium } from "../_browser.ts";
import { SEED } from "../_setup.ts";

const EVIL_HOST = "evil.test";
/** A name of the service that is not loopback, so that browsers send it no Sec-Fetch headers over plain http. */
const OTHER_NAME = "svc.corp.test";

interface Target {
  readonly port: number;
  readonly requests: RequestEntry[];
  /** The number of sign-ins that were started. */
  states: number;
  now(): Date;
  close(): void;
}

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

/** A service on a real socket, as `svc serve` starts it. */
async function startService(credentials: Credentials = {}, name = "localhost"): Promise<Target> {
  const store = openMemoryStore();
  await store.seed(parseSeed(JSON.stringify({ ...SEED, instances: [SEED.instances[0]] }), "seed", new Date()));
  const server = createServer();
  configureServer(server, createConnectionLimit({ isProxy: () => false, warn: () => {} }));
  const port = await listening(server);
  const target: Target = {
    port,
    requests: [],
    states: 0,
    now: () => new Date(),
    close: () => server.close().closeAllConnections(),
  };
  const { app } = await createService({
    store: {
      ...store,
      saveState(record) {
        target.states++;
        return store.saveState(record);
      },
    },
    addresses: createAddresses(`http://${name}:${port}`, port, [OTHER_NAME]),
    isLocal: true,
    control: false,
    now: () => target.now(),
    warn: () => {},
    locate: nowhere,
    offers: createOffers({ mode: "auto", globals: credentials, isLocal: true }),
    credentials,
    fetch: () => Promise.reject(new Error("there is no network in tests")),
    onBug: (error) => {
      throw error;
    },
    onRequest: (entry) => target.requests.push(entry),
  });
  server.on(
    "request",
    createListener(app, () => {}),
  );
  return target;
}

/** The attacker's site: serves the current page and records what arrives at /catch. */
async function startSite(): Promise<{ port: number; caught: URLSearchParams[]; page: string; close(): void }> {
  const site = {
    port: 0,
    caught: [] as URLSearchParams[],
    page: "",
    close: (): void => server.close().closeAllConnections(),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    if (url.pathname === "/catch") site.caught.push(url.searchParams);
    response
      .setHeader("content-type", "text/html")
      .end(url.pathname === "/" ? site.page : "<!doctype html><p>caught</p>");
  });
  site.port = await listening(server);
  return site;
}

type Attack = (url: string) => string;
const script = (text: string): string => `<!doctype html><body><script>${text}</script>`;
const inputs = (url: string): string =>
  [...new URL(url).searchParams]
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
    .join("");

/** Navigations: a sign-in may start and must end at the picker. */
const NAVIGATIONS: [name: string, page: Attack][] = [
  ["a top-level redirect", (url) => script(`location.href = ${JSON.stringify(url)}`)],
  ["a replaced location", (url) => script(`location.replace(${JSON.stringify(url)})`)],
  ["a popup", (url) => script(`open(${JSON.stringify(url)})`)],
  [
    "a GET form",
    (url) =>
      `<!doctype html><form action="${url.split("?")[0]}">${inputs(url)}</form>${script("document.forms[0].submit()")}`,
  ],
  [
    "a meta refresh",
    (url) => `<!doctype html><meta http-equiv="refresh" content="0;url=${url.replaceAll("&", "&amp;")}">`,
  ],
  ["a link that clicks itself", (url) => `<!doctype html><a href="${url}">x</a>${script("document.links[0].click()")}`],
];
/** Other requests: nothing may start. */
const EMBEDDINGS: [name: string, page: Attack, status: number][] = [
  [
    "a POST form",
    (url) => `<!doctype html><form method="post" action="${url}"></form>${script("document.forms[0].submit()")}`,
    405,
  ],
  ["an iframe", (url) => `<!doctype html><iframe src="${url}"></iframe>`, 400],
  ["an object", (url) => `<!doctype html><object data="${url}" type="text/html"></object>`, 400],
  ["an image", (url) => `<!doctype html><img src="${url}">`, 400],
  ["a script", (url) => `<!doctype html><script src="${url}"></script>`, 400],
  ["a style sheet", (url) => `<!doctype html><link rel="stylesheet" href="${url}">`, 400],
  ["a blind fetch", (url) => script(`fetch(${JSON.stringify(url)}, { mode: "no-cors", credentials: "include" })`), 400],
  [
    "a fetch for HTML",
    (url) => script(`fetch(${JSON.stringify(url)}, { mode: "no-cors", headers: { accept: "text/html" } })`),
    400,
  ],
  ["a fetch", (url) => script(`fetch(${JSON.stringify(url)}, { credentials: "include" })`), 400],
  ["a WebSocket", (url) => script(`new WebSocket(${JSON.stringify(url.replace(/^http/, "ws"))})`), 400],
  ["a prefetch", (url) => `<!doctype html><link rel="prefetch" href="${url}">`, 400],
];

describe.skipIf(CHROMIUM === undefined)("A page of another site, in a browser,", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let svc: Target;
  let site: Awaited<ReturnType<typeof startSite>>;

  beforeAll(async () => {
    browser = await launchChromium([
      `--host-resolver-rules=MAP ${EVIL_HOST} 127.0.0.1, MAP ${OTHER_NAME} 127.0.0.1`,
      "--disable-popup-blocking",
      // The attacker's page is on this machine for the test; elsewhere the browser would ask its user first.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ]);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    [svc, site] = [await startService(), await startSite()];
    // A context of its own ends what a page has opened: with one for all, a page that was still opening held up every other.
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(async () => {
    await context?.close();
    svc.close();
    site.close();
  });

  const at = (host: string, port: number): string => `http://${host}:${port}`;
  const startUrl = (host: string, to: string): string =>
    `${at(host, svc.port)}/oauth/authorize?${new URLSearchParams({ provider: "google", login_hint: "ada", redirect_uri: `${to}/catch` }).toString()}`;
  /** Without Sec-Fetch headers a frame's request looks like a navigation, and is answered as one is. */
  const statusAt = (host: string, name: string, status: number, navigated: number): number =>
    host === OTHER_NAME && ["an iframe", "an object"].includes(name) ? navigated : status;
  const personaUrl = (host: string): string => {
    const query = {
      client_id: "svc-simulator",
      response_type: "code",
      scope: "openid",
      state: "x",
      redirect_uri: `${at("localhost", svc.port)}/oauth/google/callback`,
      email: "boss@corp.test",
      name: "Boss",
    };
    return `${at(host, svc.port)}/__svc/simulator/google/authorize?${new URLSearchParams(query).toString()}`;
  };

  /** Opens the page and waits until the service has answered a request with the status. */
  async function attack(from: string, html: string, status: number, route?: string): Promise<void> {
    site.page = html;
    await page.goto(`${from}/`);
    await expect
      .poll(() =>
        svc.requests.some((entry) => entry.status === status && (route === undefined || entry.route === route)),
      )
      .toBe(true);
  }

  async function knowsBoss(): Promise<boolean> {
    const query = new URLSearchParams({ provider: "google", redirect_uri: "http://localhost:1/" });
    const begun = await fetch(`${at("localhost", svc.port)}/oauth/authorize?${query.toString()}`, {
      redirect: "manual",
    });
    const toPicker = locationOf(begun);
    const request = requestOn(await (await fetch(toPicker)).text(), toPicker);
    const picker = await fetch(`${request.href}&q=boss@corp.test`);
    expect(picker.status).toBe(200);
    return !(await picker.text()).includes('data-testid="no-match"');
  }

  describe.each(["localhost", OTHER_NAME])("to the service at %s,", (host) => {
    it.each(NAVIGATIONS)("gets no token by %s: svc sends nobody to it", async (_, html) => {
      const evil = at(EVIL_HOST, site.port);
      await attack(evil, html(startUrl(host, evil)), 400, "/oauth/authorize");
      expect([svc.states, site.caught]).toEqual([0, []]);
    });

    it.each(EMBEDDINGS)("starts nothing by %s", async (name, html, status) => {
      const evil = at(EVIL_HOST, site.port);
      // Without Sec-Fetch headers a frame is taken for a window, whose address is refused.
      await attack(evil, html(startUrl(host, evil)), statusAt(host, name, status, 400));
      expect([svc.states, site.caught]).toEqual([0, []]);
    });

    it.each(EMBEDDINGS)("adds no account by %s", async (name, html, status) => {
      // The account picker, which no frame shows.
      await attack(at(EVIL_HOST, site.port), html(personaUrl(host)), statusAt(host, name, status, 200));
      expect(await knowsBoss()).toBe(false);
    });
  });

  describe("to a service that is not at a loopback name, over plain http,", () => {
    beforeEach(async () => {
      svc.close();
      svc = await startService({}, OTHER_NAME);
    });

    // A frame's request looks like a window's there. Its sign-in cannot finish, because the browser's cookie is not sent.
    const known = EMBEDDINGS.filter(([name]) => name !== "an iframe" && name !== "an object");
    it.each(known)("starts nothing by %s", async (_, html, status) => {
      const evil = at(EVIL_HOST, site.port);
      await attack(evil, html(startUrl(OTHER_NAME, evil)), status);
      expect([svc.states, site.caught]).toEqual([0, []]);
    });

    it("starts nothing by a fetch that imitates a navigation, which needs a preflight request", async () => {
      const evil = at(EVIL_HOST, site.port);
      const headers = { accept: "text/html", "upgrade-insecure-requests": "1" };
      const url = startUrl(OTHER_NAME, evil);
      await attack(evil, script(`fetch(${JSON.stringify(url)}, { headers: ${JSON.stringify(headers)} })`), 405);
      expect([svc.states, site.caught, svc.requests.map(({ method }) => method)]).toEqual([0, [], ["OPTIONS"]]);
    });
  });

  it.each(NAVIGATIONS)("adds no account by %s either", async (_, html) => {
    await attack(at(EVIL_HOST, site.port), html(personaUrl("localhost")), 200, "/__svc/simulator/:provider/authorize");
    expect(await knowsBoss()).toBe(false);
  });

  it("gets nothing through a real provider", async () => {
    svc.close();
    svc = await startService({ google: { client_id: "ours", client_secret: "secret" } });
    const evil = at(EVIL_HOST, site.port);
    await attack(evil, NAVIGATIONS[0]![1](startUrl("localhost", evil)), 400, "/oauth/authorize");
    expect([svc.states, site.caught]).toEqual([0, []]);
  });

  it.each(NAVIGATIONS)("can sign in to loopback from another port of localhost by %s", async (_, html) => {
    const app = at("localhost", site.port);
    site.page = html(startUrl("localhost", app));
    await page.goto(`${app}/`);
    await expect.poll(() => site.caught.map((query) => [...query.keys()])).toEqual([["token"]]);
  });

  it.each(EMBEDDINGS)("starts nothing from another port of localhost by %s", async (_, html, status) => {
    const app = at("localhost", site.port);
    await attack(app, html(startUrl("localhost", app)), status);
    expect([svc.states, site.caught]).toEqual([0, []]);
  });

  it("neither starts nor finishes a sign-in in a prerender", async () => {
    const app = at("localhost", site.port);
    const rules = (url: string): string => JSON.stringify({ prerender: [{ urls: [url], eagerness: "immediate" }] });
    await attack(
      app,
      `<!doctype html><script type="speculationrules">${rules(startUrl("localhost", app))}</script>`,
      400,
    );
    expect([svc.states, site.caught]).toEqual([0, []]);
  });
});
