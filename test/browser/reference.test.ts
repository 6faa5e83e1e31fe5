import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { CHROMIUM, launchChromium } from "../_browser.ts";
import { watch } from "../_dashboard.ts";

describe.skipIf(CHROMIUM === undefined)("The API reference, in a browser,", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let svc: RunningServer;
  const faults: string[] = [];

  beforeAll(async () => {
    [browser, svc] = await Promise.all([launchChromium(), serve({ port: 0, store: "memory" })]);
    context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], reducedMotion: "reduce" });
    page = await context.newPage();
    watch(page, svc.url, faults);
  });
  afterAll(async () => {
    await browser?.close();
    await svc?.close();
  });

  const open = (hash = ""): Promise<unknown> =>
    page.goto("about:blank").then(() => page.goto(`${svc.url}/__svc/docs${hash}`));
  const shown = (): Promise<string[]> =>
    page.evaluate("[...document.querySelectorAll('article:not([hidden])')].map((each) => each.dataset.testid)");

  it.each(["light", "dark"] as const)("has no axe violation and fits at every width, in %s", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await open();
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
    for (const width of [375, 560, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([width, 0]);
    }
    await page.evaluate(axe.source);
    for (const width of [375, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        "axe.run({ resultTypes: ['violations'] })",
      );
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
    }
  });

  it("finds routes by words, by the keyboard alone", async () => {
    await open();
    const all = await shown();
    await page.keyboard.press("/");
    await page.keyboard.type("clock forward");
    expect(await shown()).toEqual(["POST /__svc/v1/clock/advance"]);
    expect(await page.getByRole("status").textContent()).toBe("1 route");
    expect(await page.locator("nav a:visible").allTextContents()).toEqual(["POST/clock/advance"]);
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#postClockAdvance");
    await page.getByTestId("search").press("Escape");
    expect(await shown()).toEqual(all);
    await page.getByTestId("search").fill("xyzzy");
    expect(await page.getByRole("status").textContent()).toBe("No route matches.");
  });

  it("leads to a route by its anchor, and by the navigation", async () => {
    await open("#getUsersId");
    const article = page.getByTestId("GET /__svc/v1/users/{id}");
    await expect.poll(() => article.evaluate((element) => element.matches(":target"))).toBe(true);
    await page.locator("nav").getByRole("link", { name: "/clock/freeze" }).click();
    expect(new URL(page.url()).hash).toBe("#postClockFreeze");
    const hashes = await page.evaluate<string[]>(
      "[...document.querySelectorAll('a[href^=\"#\"]')].map((each) => each.getAttribute('href').slice(1)).filter((id) => !document.getElementById(id))",
    );
    expect(hashes).toEqual([]);
  });

  it("copies a command and a line of TypeScript, which each route has", async () => {
    await open();
    const [routes, samples] = await Promise.all([shown(), page.locator("article figure").count()]);
    expect(samples).toBe(2 * routes.length);
    await page.getByRole("button", { name: "Copy curl of POST /__svc/v1/clock/advance" }).click();
    const read = (): Promise<string> => page.evaluate("navigator.clipboard.readText()");
    await expect
      .poll(read)
      .toMatch(/^curl 'http:.*advance' -H "Authorization: Bearer \$SVC_CONTROL_KEY" .*'{"by":"61m"}'$/);
    await page.getByRole("button", { name: "Copy TypeScript of GET /api/v1/users/{id}" }).click();
    await expect.poll(read).toBe("await svc.users.get(userId);");
  });

  it("can be read without its script", async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const own = await plain.newPage();
    await own.goto(`${svc.url}/__svc/docs`);
    expect(await own.getByTestId("POST /api/v1/tokens/verify").innerText()).toContain("token: string");
    expect([await own.locator("button:visible").count(), await own.locator("input:visible").count()]).toEqual([0, 0]);
    await plain.close();
  });

  it("runs nothing that is in its address or its search, and no site frames it", async () => {
    const hostile = `"]<img src=x onerror="document.title='pwned'">`;
    await open(`#${hostile}`);
    await page.getByTestId("search").fill(hostile);
    expect(await page.getByRole("status").textContent()).toBe("No route matches.");
    expect([await page.title(), await page.locator("img").count()]).toEqual(["API reference · svc", 0]);
    const { headers } = await fetch(`${svc.url}/__svc/docs`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    // A page of another name that shows it in a frame gets an error page of the browser's.
    const site = await context.newPage();
    await site.route("http://site.test/", (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${svc.url}/__svc/docs"></iframe>` }),
    );
    await site.goto("http://site.test/");
    await site.waitForLoadState("networkidle");
    expect(await site.frames()[1]!.locator("article").count()).toBe(0);
    await site.close();
    expect(faults).toEqual([]);
  });
});
