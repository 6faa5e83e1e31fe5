import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { CHROMIUM, launchChromium } from "../_browser.ts";

const UNKNOWN = "evil.example";
const PROXY = "auth.example.test";

describe.skipIf(CHROMIUM === undefined)("In a browser, a page's style and script", () => {
  let browser: Browser;
  let svc: RunningServer;

  beforeAll(async () => {
    browser = await launchChromium([`--host-resolver-rules=MAP ${UNKNOWN} 127.0.0.1, MAP *.${PROXY} 127.0.0.1`]);
    svc = await serve({ port: 0, store: "memory" });
  });
  afterAll(async () => {
    await browser?.close();
    await svc?.close();
  });

  /** Whether the page at an address looks as it should, without a complaint of the browser. */
  async function isStyled(address: string): Promise<[status: number | undefined, radius: string, faults: string[]]> {
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) faults.push(message.text());
    });
    const response = await page.goto(address);
    const radius = await page.evaluate<string>("getComputedStyle(document.querySelector('main')).borderRadius");
    await context.close();
    return [response?.status(), radius, faults];
  }

  it.each(["localhost", "127.0.0.1", "[::1]", "acme.localhost", "api.localhost"])(
    "load at %s, where a browser keeps them",
    async (host) => {
      expect(await isStyled(`http://${host}:${svc.port}/nowhere`)).toEqual([404, "16px", []]);
    },
  );

  it("load behind a proxy, and for a host that is unknown", async () => {
    const publicUrl = `http://front.${PROXY}:1`;
    const proxied = await serve({
      port: 0,
      store: "memory",
      publicUrl,
      providers: "simulated",
      allowedHosts: [`proxy.${PROXY}`],
    });
    expect(await isStyled(`http://proxy.${PROXY}:${proxied.port}/nowhere`)).toEqual([404, "16px", []]);
    await proxied.close();
    expect(await isStyled(`http://${UNKNOWN}:${svc.port}/`)).toEqual([421, "16px", []]);
  });

  it("are requested once for many pages", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const start = `${svc.url}/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: "http://localhost:1/" }).toString()}`;
    const asked: string[] = [];
    const client = await context.newCDPSession(page);
    await client.send("Network.enable");
    const urls = new Map<string, string>();
    client.on("Network.requestWillBeSent", ({ requestId, request }) => urls.set(requestId, request.url));
    client.on("Network.responseReceived", ({ requestId, response }) => {
      const url = urls.get(requestId) ?? "";
      if (url.includes("/__svc/pages/") && !response.fromDiskCache) asked.push(new URL(url).pathname.split(".")[0]!);
    });
    client.on("Network.requestServedFromCache", ({ requestId }) => urls.delete(requestId));
    for (let visit = 0; visit < 3; visit++) {
      await page.goto(start);
      await page.getByTestId("search").waitFor();
    }
    expect(asked.toSorted()).toEqual(["/__svc/pages/picker", "/__svc/pages/style"]);
    await context.close();
  });

  it("are not needed for a sign-in", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.route("**/__svc/pages/**", (route) => route.abort());
    await page.goto(
      `${svc.url}/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: `${svc.url}/__svc/signed-in` }).toString()}`,
    );
    await page.getByTestId("account-ada").click();
    expect(await page.getByTestId("token").inputValue()).toMatch(/^eyJ/);
    await context.close();
  });
});
