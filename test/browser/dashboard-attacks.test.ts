import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { linkOf, openDashboard, signIn, watch, type Dashboard } from "../_dashboard.ts";
import { openRecord, RECORD_VIEWS, VIEW_PATHS } from "../_dashboard-views.ts";
import { useFresh } from "../_fresh.ts";

/** The attacker's server on another port of localhost: its pages, and the requests that browsers sent it. */
interface Site {
  readonly port: number;
  page: string;
  readonly headers: NodeJS.Dict<string | string[]>[];
  close(): void;
}

async function startSite(): Promise<Site> {
  const headers: Site["headers"] = [];
  const server: Server = createServer((request, response) => {
    headers.push({ ...request.headers, url: request.url });
    response.setHeader("content-type", "text/html").end(site.page);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const site: Site = { port, page: "", headers, close: () => server.close().closeAllConnections() };
  return site;
}

const script = (text: string): string =>
  `<!doctype html><body><script>
    const done = (result) => { document.title = "done " + JSON.stringify(result); };
    ${text}
  </script>`;
/** Requests an address and reports what it could read. */
const asks = (options: string) => (url: string) =>
  script(
    `fetch(${JSON.stringify(url)}, ${options}).then(async (r) => done([r.status, await r.text()])).catch(() => done("refused"))`,
  );
const RESET = { method: "POST", body: '{"all":true}' };

const ATTACKS: [name: string, page: (api: string) => string][] = [
  ["a fetch that reads", asks("{}")],
  ["a fetch with cookies", asks(`{ credentials: "include" }`)],
  ["a fetch that sends no-cors", (api) => asks(JSON.stringify({ ...RESET, mode: "no-cors" }))(`${api}/reset`)],
  ["a fetch that sends text", (api) => asks(JSON.stringify(RESET))(`${api}/reset`)],
  [
    "a fetch that sends JSON",
    (api) => asks(JSON.stringify({ ...RESET, headers: { "content-type": "application/json" } }))(`${api}/reset`),
  ],
  [
    "a fetch with a key of its own invention",
    (api) => asks(JSON.stringify({ headers: { authorization: "Bearer dsh_invented" } }))(`${api}/users`),
  ],
  [
    "a beacon",
    (api) => script(`navigator.sendBeacon("${api}/reset", '{"all":true}'); setTimeout(() => done("sent"), 300)`),
  ],
  [
    "an EventSource",
    (api) =>
      script(`const s = new EventSource("${api}/events"); s.onmessage = ({ data }) => done(["read", data]);
        s.addEventListener("request", ({ data }) => done(["read", data])); s.onerror = () => done("refused")`),
  ],
  [
    "a WebSocket",
    (api) =>
      script(`const s = new WebSocket("${api.replace("http", "ws")}/events"); s.onopen = () => done(["read", "open"]);
        s.onerror = () => done("refused")`),
  ],
  [
    "a script element",
    (api) => `<!doctype html><script src="${api}/users" onload="document.title='done [200]'"
      onerror="document.title='done'"></script>`,
  ],
];
/** Navigations like a followed link: only the browser reads their result. */
const NAVIGATIONS: [name: string, page: (front: string) => string][] = [
  [
    "a form that posts JSON as text",
    (front) => `<!doctype html><form method="post" enctype="text/plain" action="${front}/__svc/v1/reset">
      <input name='{"all":true,"x":"' value='"}'></form><script>document.forms[0].submit()</script>`,
  ],
  [
    "a form that posts fields",
    (front) => `<!doctype html><form method="post" action="${front}/__svc/v1/sessions/revoke">
      <input name="all" value="true"></form><script>document.forms[0].submit()</script>`,
  ],
  ["a link to the API", (front) => `<!doctype html><script>location = "${front}/__svc/v1/users"</script>`],
];

describe.skipIf(CHROMIUM === undefined)("The dashboard, in a browser that it is open in,", () => {
  let dashboard: Dashboard;
  let site: Site;
  let visitor: Page;

  useFresh(
    async () => {
      [dashboard, site] = await Promise.all([openDashboard(), startSite()]);
      await dashboard.control("POST /users", { name: "Kept", email: "kept@example.test" });
    },
    async () => {
      await dashboard?.close();
      site?.close();
    },
  );
  beforeEach(async () => {
    visitor = await dashboard.context.newPage();
  });
  afterEach(() => visitor.close());

  const kept = async (): Promise<unknown> =>
    (await dashboard.control("GET /users?query=email:kept@example.test")).body.length;
  const result = async (): Promise<unknown> => {
    await expect.poll(() => visitor.title()).toMatch(/^done/);
    return JSON.parse((await visitor.title()).slice(5) || "null");
  };

  describe.each(["another port", "the subdomain of an instance"])("attacked by a page from %s,", (place) => {
    const open = async (html: string): Promise<void> => {
      if (place === "another port") {
        site.page = html;
        await visitor.goto(`http://localhost:${site.port}/`);
        return;
      }
      const { port } = new URL(dashboard.svc.url);
      const address = `http://acme.localhost:${port}/planted`;
      await visitor.route(address, (route) => route.fulfill({ contentType: "text/html", body: html }));
      await visitor.goto(address);
    };

    it.each(ATTACKS)("reveals and changes nothing through %s", async (_, page) => {
      await open(page(`${dashboard.svc.url}/__svc/v1`));
      const got = await result();
      // A page sees a failure or an empty body for what it may not read; a beacon reports nothing.
      expect([null, "refused", "sent", '[0,""]']).toContain(Array.isArray(got) ? JSON.stringify(got) : got);
      expect(await kept()).toBe(1);
    });

    it.each(NAVIGATIONS)("reveals and changes nothing through %s", async (_, page) => {
      const answered = visitor.waitForResponse((response) => response.url().includes("/__svc/v1/"));
      await open(page(dashboard.svc.url));
      expect([401, 403, 404, 405]).toContain((await answered).status());
      expect(await kept()).toBe(1);
    });

    it("cannot be framed", async () => {
      await open(`<!doctype html><iframe src="${dashboard.svc.url}/__svc/" onload="document.title='done'"></iframe>`);
      await result();
      const frame = visitor.frames()[1]!;
      expect(await frame.locator("#app").count()).toBe(0);
    });

    it("cannot be read in a window that the page opened", async () => {
      await open(
        // Until it has loaded something it is blank, and belongs to the page.
        script(`const w = open("${dashboard.svc.url}/__svc/");
          const isBlank = () => { try { return w.location.href === "about:blank"; } catch { return false; } };
          const look = () => { try { done(["read", w.document.body.innerHTML, w.localStorage.length]); } catch { done("refused"); } };
          const timer = setInterval(() => { if (!isBlank()) { clearInterval(timer); look(); } }, 20)`),
      );
      expect(await result()).toBe("refused");
    });

    it("gives the page no key in storage and no cookie", async () => {
      await open(script("done([Object.keys(localStorage).length, document.cookie])"));
      expect(await result()).toEqual([0, ""]);
      expect(await dashboard.context.cookies(dashboard.svc.url)).toEqual([]);
      expect(site.headers.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
    });
  });

  describe("opened with a one-time link,", () => {
    it("accepts the link once and tells a second browser that it was used", async () => {
      const link = await linkOf(dashboard.svc);
      for (const [isFirst, testId] of [
        [true, "stream-status"],
        [false, "link-problem"],
      ] as const) {
        const other = await dashboard.browser.newContext();
        const page = await other.newPage();
        await page.goto(link);
        await page.getByTestId(testId).waitFor({ state: "attached" });
        expect(await page.evaluate("localStorage.getItem('svc_dashboard_key')?.startsWith('dsh_') ?? false")).toBe(
          isFirst,
        );
        await other.close();
      }
    });

    it("keeps the link out of history and address", async () => {
      const other = await dashboard.browser.newContext();
      const page = await other.newPage();
      await page.goto("about:blank");
      const link = await linkOf(dashboard.svc);
      await page.goto(link);
      await page.getByTestId("stream-status").waitFor({ state: "attached" });
      expect(page.url()).not.toContain("code");
      await page.evaluate("location.hash = '#/users'");
      await page.goBack();
      expect(page.url()).not.toContain("code");
      await page.goBack();
      expect(page.url()).toBe("about:blank");
      await other.close();
    });

    it("does not send the link as referrer", async () => {
      const other = await dashboard.browser.newContext();
      const page = await other.newPage();
      await page.goto(await linkOf(dashboard.svc));
      await page.getByTestId("stream-status").waitFor({ state: "attached" });
      site.headers.length = 0;
      site.page = "<!doctype html><p>here</p>";
      await page.evaluate(
        `{ const a = document.createElement("a"); a.href = "http://localhost:${site.port}/"; a.click(); }`,
      );
      await page.getByText("here").waitFor();
      // A page's own address is the referrer of what it loads.
      const visits = site.headers.filter(({ url }) => url === "/");
      expect(visits.map(({ referer }) => referer)).toEqual([undefined]);
      await other.close();
    });
  });

  it("runs no inline script or style, asks no other host and contains no control key in any view", async () => {
    const { page, visit, svc, faults } = dashboard;
    const sent: string[] = [];
    watch(visitor, svc.url, faults);
    page.on("request", (request) => sent.push(JSON.stringify([request.url(), request.headers(), request.postData()])));
    await page.evaluate(
      `window.violations = []; document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI))`,
    );
    const views = VIEW_PATHS.map((path) => [path, () => visit(path)] as const);
    const records = RECORD_VIEWS.map((path) => [`${path} record`, () => openRecord(dashboard, path)] as const);
    await signIn(svc);
    await fetch(`${svc.url}/.well-known/openid-configuration`);
    for (const [view, open] of [...views, ...records]) {
      await open();
      const html = await page.content();
      expect(html).not.toContain(svc.control_key!);
      expect(/<script(?![^>]* src=)|<style|\sstyle="|\son\w+="/i.exec(html), view).toBeNull();
    }
    expect(await page.evaluate("violations")).toEqual([]);
    expect(faults).toEqual([]);
    expect(sent.length, "requests were watched").toBeGreaterThan(4);
    expect(sent.filter((request) => request.includes(svc.control_key!))).toEqual([]);
    expect(await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(
      svc.control_key!,
    );
  });
});
