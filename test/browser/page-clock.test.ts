import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../src/testing/index.ts";
import { CHROMIUM, launchChromium } from "../_browser.ts";

describe.skipIf(CHROMIUM === undefined)("A page with the service's clock", () => {
  let browser: Browser;
  let svc: TestService;
  let page: Page;

  beforeAll(async () => {
    [browser, svc] = await Promise.all([launchChromium(), startTestService()]);
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await svc?.close();
  });

  const pageNow = (): Promise<number> => page.evaluate<number>("Date.now()");

  it("stands still while the clock is stopped, also after it loads another page", async () => {
    await svc.clock.setFixedTime("2030-01-31T12:00:00Z");
    await page.goto("about:blank");
    await svc.clock.applyTo(page);
    const frozen = Date.parse("2030-01-31T12:00:00Z");
    expect(await pageNow()).toBe(frozen);
    await page.goto(svc.url);
    expect(await pageNow()).toBe(frozen);
    await svc.clock.advance("61m");
    await svc.clock.applyTo(page);
    expect(await pageNow()).toBe(frozen + 61 * 60_000);
  });

  it("runs with the clock", async () => {
    await svc.clock.setSystemTime("2031-01-31T12:00:00Z");
    await svc.clock.applyTo(page);
    const before = await pageNow();
    expect(Math.abs(before - svc.clock.now().getTime())).toBeLessThan(60_000);
    await expect.poll(pageNow).toBeGreaterThan(before);
  });

  it("sees a token expire when the service does", async () => {
    const site = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end(`<!doctype html><p id="state"></p><script>
        const { exp } = JSON.parse(atob(new URL(location).searchParams.get("token").split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
        document.title = exp * 1000 > Date.now() ? "signed in" : "over";
      </script>`),
    ).listen(0, "127.0.0.1");
    await once(site, "listening");
    const app = `http://localhost:${(site.address() as AddressInfo).port}/`;
    await svc.clock.reset();
    const { token } = await svc.signIn();
    for (const [by, title, status] of [
      [undefined, "signed in", true],
      ["61m", "over", false],
    ] as const) {
      if (by) await svc.clock.advance(by);
      await svc.clock.applyTo(page);
      await page.goto(`${app}?token=${token}`);
      expect(await page.title()).toBe(title);
      expect((await svc.client().tokens.check(token!)).ok).toBe(status);
    }
    site.close().closeAllConnections();
  });
});
