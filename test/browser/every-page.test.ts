import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { Visit } from "./_applications.ts";

/** The directory for pictures of the pages; without it none are taken. */
const SCREENSHOTS = process.env["SVC_SCREENSHOTS"];

describe.skipIf(CHROMIUM === undefined)("In a browser", () => {
  const on = new Visit();

  describe("The home page", () => {
    it("leads through a sign-in to the token's claims", async () => {
      await on.page.goto(on.svc.url);
      await on.page.getByTestId("try-acme-github").click();
      await on.page.getByTestId("account-sofya").click();
      await on.page.getByTestId("token").waitFor();
      expect(await on.page.locator("h1").textContent()).toBe("Welcome, Софья Ковалевская");
      expect(await on.page.getByTestId("claim-iss").textContent()).toContain("svc");
      expect(await on.page.getByTestId("claim-email").textContent()).toContain("sofya@stockholm.test");
    });

    it("leads back from a cancelled sign-in and explains it", async () => {
      await on.page.goto(on.svc.url);
      await on.page.getByTestId("try-acme-google").click();
      await on.page.getByTestId("cancel").click();
      expect(await on.page.getByTestId("error").textContent()).toBe("access_denied");
      await on.page.getByRole("link", { name: "Back" }).click();
      await on.page.getByTestId("instance-globex").waitFor();
      expect(on.page.url()).toBe(`${on.svc.url}/`);
    });

    it.each([
      "/nowhere",
      "/oauth/authorize",
      "/oauth/authorize?provider=nobody&redirect_uri=http://localhost/x",
      "/oauth/authorize?provider=google",
      "/oauth/google/callback?state=x&code=y",
    ])("is a click away from the error at %s", async (path) => {
      await on.page.goto(`${on.svc.url}${path}`);
      await on.page.getByTestId("error-title").waitFor();
      await on.page.getByTestId("home").click();
      await on.page.getByTestId("instance-globex").waitFor();
    });

    it("shows no secret", async () => {
      await on.page.goto(on.svc.url);
      const content = await on.page.content();
      expect(content).toContain(on.svc.instances[0]!.publishable_key);
      for (const { secret_key } of on.svc.instances) expect(content).not.toContain(secret_key);
    });
  });

  // axe looks at every page in pages.test.ts, but not at placeholders.
  describe("A page with placeholders", () => {
    const PAGES: [name: string, open: () => Promise<unknown>][] = [
      ["picker-google", () => on.page.goto(on.authorizeUrl("google"))],
      [
        "picker-other",
        async () => {
          await on.page.goto(on.authorizeUrl("google"));
          await on.page.getByTestId("other-account").click();
        },
      ],
    ];
    it.each(PAGES)("%s fits wide and narrow windows and is readable in light and dark", async (name, open) => {
      await open();
      expect(await on.all("html", "each.lang")).toEqual(["en"]);
      expect([await on.page.locator("main").count(), await on.page.locator("h1").count()]).toEqual([1, 1]);
      expect(await on.all("input:not([type=hidden])", "Boolean(each.ariaLabel || each.labels.length)")).not.toContain(
        false,
      );
      expect(await on.page.locator("img:not([alt])").count()).toBe(0);
      const faults: unknown[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await on.page.emulateMedia({ colorScheme });
        for (const width of [1280, 360]) {
          await on.page.setViewportSize({ width, height: 800 });
          const overflow = await on.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
          const faint = await on.page.evaluate<string[]>(FAINT_TEXTS);
          if (overflow > 0 || faint.length > 0) faults.push({ colorScheme, width, overflow, faint });
          const picture = `${name}-${colorScheme}-${width}.png`;
          if (SCREENSHOTS) await on.page.screenshot({ path: join(SCREENSHOTS, picture), fullPage: true });
        }
      }
      expect(faults).toEqual([]);
    });
  });
});

/** Texts and placeholders with a contrast below 4.5 (WCAG 2.2, 1.4.3); runs in the page. */
const FAINT_TEXTS = `(() => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = parse(getComputedStyle(each).backgroundColor);
      if (color.a === 1) return color;
    }
    return parse("rgb(255, 255, 255)");
  };
  const faint = [];
  const check = (element, text, color) => {
    const pair = [luminance(parse(color)), luminance(behind(element))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) faint.push(text.trim() + " " + ratio.toFixed(2));
  };
  for (const element of document.querySelectorAll("main *")) {
    if (element.getClientRects().length === 0 || element.closest("[aria-hidden=true]")) continue;
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (hasText) check(element, element.textContent, getComputedStyle(element).color);
    if (element.placeholder && element.value === "") check(element, element.placeholder, getComputedStyle(element, "::placeholder").color);
  }
  return faint;
})()`;
