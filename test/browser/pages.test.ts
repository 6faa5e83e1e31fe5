import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { CHROMIUM, launchChromium } from "../_browser.ts";

/** The directory for pictures of the pages; without it none are taken. */
const SCREENSHOTS = process.env["SVC_SCREENSHOTS"];
const HERE = "http://localhost:1/callback";

describe.skipIf(CHROMIUM === undefined)("The pages, in a browser,", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let svc: RunningServer;

  beforeAll(async () => {
    [browser, svc] = await Promise.all([launchChromium(), serve({ port: 0, store: "memory" })]);
    context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await svc?.close();
  });

  const start = (query: Record<string, string>): string =>
    `${svc.url}/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: HERE, ...query }).toString()}`;
  const signedIn = (): string => `${svc.url}/__svc/signed-in`;
  const testId = (): Promise<string> => page.evaluate("document.activeElement?.dataset.testid ?? ''");
  const accounts = (): Promise<string[]> =>
    page.evaluate(
      "[...document.querySelectorAll('[data-testid^=account-]')].map((each) => each.dataset.testid.slice(8))",
    );

  const PAGES: [name: string, open: () => Promise<unknown>][] = [
    ["picker-google", () => page.goto(start({}))],
    ["picker-github", () => page.goto(start({ provider: "github" }))],
    ["picker-twitter", () => page.goto(start({ provider: "twitter" }))],
    [
      "picker-other-account",
      async () => {
        await page.goto(start({}));
        await page.getByTestId("other-account").click();
      },
    ],
    [
      "picker-hostile-accounts",
      async () => {
        for (const name of ["محمد بن موسى الخوارزمي", "👩🏽‍🚀🚀", "x".repeat(200), "<img src=x onerror=alert(1)>"]) {
          await page.goto(start({}));
          await page.getByTestId("other-account").click();
          await page.getByTestId("other-email").fill(`${name.length}.${"long-address".repeat(4)}@example.test`);
          await page.getByTestId("other-name").fill(name);
          await page.route(`${HERE}**`, (route) => route.fulfill({ body: "back" }));
          await page.getByTestId("other-continue").click();
          await page.waitForURL(`${HERE}**`);
        }
        await page.goto(start({}));
        await page.getByTestId("search").fill("long-address");
        await page.getByTestId("search").press("Enter");
        await expect.poll(accounts).toHaveLength(4);
      },
    ],
    [
      "picker-no-match",
      async () => {
        await page.goto(start({}));
        await page.getByTestId("search").fill("nobody");
        await page.getByTestId("search").press("Enter");
        await page.getByTestId("no-match").waitFor();
      },
    ],
    ["error-state", () => page.goto(`${svc.url}/oauth/google/callback?state=x&code=y`)],
    ["error-redirect-uri", () => page.goto(start({ instance: "globex", redirect_uri: "https://other.test/cb" }))],
    ["error-not-found", () => page.goto(`${svc.url}/nowhere`)],
    ["home", () => page.goto(svc.url)],
    ["signed-in", () => page.goto(start({ login_hint: "ada", redirect_uri: signedIn() }))],
    ["not-signed-in", () => page.goto(start({ login_hint: "charles", redirect_uri: signedIn() }))],
    ["no-token", () => page.goto(signedIn())],
  ];

  it.each(PAGES)("%s has no axe violation and fits in light and dark, wide and narrow", async (name, open) => {
    const faults: string[] = [];
    await open();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        if (overflow > 0) faults.push(`${colorScheme} ${width}: ${overflow} px too wide`);
        if (SCREENSHOTS)
          await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      }
      // Evaluated by the debugger, to which the page's CSP does not apply.
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        "axe.run({ resultTypes: ['violations'] })",
      );
      faults.push(
        ...violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map((node) => node.html).join(" ")}`),
      );
    }
    expect(faults).toEqual([]);
  });

  describe("the account picker", () => {
    it("names the application and its redirect target", async () => {
      await page.goto(start({}));
      expect(await page.getByTestId("application").textContent()).toBe("Acme");
      expect(await page.getByTestId("destination").textContent()).toBe("http://localhost:1");
    });

    it("moves by arrows between the search and the accounts", async () => {
      await page.goto(start({}));
      await expect.poll(testId).toBe("account-ada");
      await page.keyboard.press("ArrowDown");
      expect(await testId()).toBe("account-grace");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      expect(await testId()).toBe("search");
      await page.keyboard.press("ArrowDown");
      expect(await testId()).toBe("account-ada");
      await page.keyboard.press("Escape");
      expect(await testId()).toBe("search");
    });

    it("leaves the arrows to a field in which the user writes", async () => {
      await page.goto(start({}));
      await page.getByTestId("other-account").click();
      await page.getByTestId("other-email").focus();
      await page.keyboard.press("ArrowDown");
      expect(await testId()).toBe("other-email");
    });

    it("signs in a typed account whose address is not verified", async () => {
      await page.goto(start({ redirect_uri: signedIn() }));
      await page.getByTestId("outcomes").click();
      await page.getByTestId("outcome-email_not_verified").click();
      await page.getByTestId("other-account").click();
      await page.getByTestId("other-email").fill("joan@acme.test");
      await page.getByTestId("other-continue").click();
      expect(await page.getByTestId("error").textContent()).toBe("email_not_verified");
    });
  });

  describe("the signed-in page", () => {
    it("shows the token, copies it and removes it from the address", async () => {
      await page.goto(start({ login_hint: "ada", redirect_uri: signedIn() }));
      await expect.poll(() => page.url()).toBe(signedIn());
      const token = await page.getByTestId("token").inputValue();
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{43}$/);
      await page.getByTestId("copy").click();
      await expect.poll(() => page.getByTestId("copy").textContent()).toBe("Copied");
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
      expect(await page.getByTestId("verify").textContent()).toContain("tokens.verify(token)");
      await page.reload();
      expect(await page.locator("h1").textContent()).toBe("No token here");
    });

    it("is reached by every user of the demo, and shows why others do not sign in", async () => {
      for (const persona of ["ada", "grace", "charles"]) {
        await page.goto(start({ login_hint: persona, redirect_uri: signedIn() }));
        await page.getByTestId("token").waitFor();
      }
      await page.goto(start({ login_hint: "alan", redirect_uri: signedIn() }));
      expect(await page.getByTestId("error").textContent()).toBe("email_not_verified");
    });
  });

  describe("an error page", () => {
    it("leads back to the application of a finished sign-in", async () => {
      await page.goto(start({ redirect_uri: signedIn() }));
      const picker = page.url();
      await page.getByTestId("account-ada").click();
      await page.getByTestId("token").waitFor();
      await page.goto(picker);
      await page.getByTestId("account-ada").click();
      expect(await page.getByTestId("error-title").textContent()).toBe("Invalid or expired state");
      const back = page.getByTestId("way-back");
      expect([await back.textContent(), await back.getAttribute("href")]).toEqual(["Back to Acme", svc.url]);
    });

    it("leads back to the application whose address was refused", async () => {
      await page.goto(start({ instance: "globex", redirect_uri: "https://other.test/cb" }));
      expect(await page.getByTestId("way-back").getAttribute("href")).toBe("http://localhost:4000");
    });
  });

  it("the home page signs in at the server's own address, also if an instance lists its redirect URIs", async () => {
    await page.goto(svc.url);
    const addresses = await page.evaluate<string[]>(
      "[...document.querySelectorAll('a.button')].map(({ href }) => href)",
    );
    expect(new Set(addresses.map((address) => new URL(address).origin))).toEqual(new Set([svc.url]));
    await page.getByTestId("try-globex-github").click();
    expect(await page.getByTestId("application").textContent()).toBe("Globex");
    expect(await page.getByTestId("destination").textContent()).toBe("http://localhost:4000");
  });

  it("the home page says what the instances are, and leads to the dashboard and the OpenAPI document", async () => {
    await page.goto(svc.url);
    expect(await page.getByTestId("whose").textContent()).toContain("A seed file replaces the demo's by yours.");
    const section = page.getByTestId("instance-globex");
    await section.getByText("The browser then goes to your application, http://localhost:4000/callback.").waitFor();
    await page.getByRole("link", { name: "Dashboard" }).click();
    await page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "OpenAPI document" }).click();
    await page.waitForURL(`${svc.url}/__svc/openapi.json`);
  });

  it("the home page has no link to a dashboard that is switched off", async () => {
    const server = await serve({ port: 0, store: "memory", control: false });
    await page.goto(server.url);
    expect(await page.locator("footer a").allTextContents()).toEqual(["Discovery"]);
    expect(await page.getByRole("link", { name: "dashboard" }).count()).toBe(0);
    await server.close();
  });
});
