import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { Visit, startApp } from "./_applications.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

describe.skipIf(CHROMIUM === undefined)("In a browser", () => {
  const on = new Visit();

  describe("The account picker", () => {
    it("finds accounts by name, address and id in any case", async () => {
      for (const [search, found] of [
        ["LOVELACE", ["account-ada"]],
        ["langley", ["account-katherine"]],
        ["aturing", ["account-alan"]],
        ["<script>", ["account-mallory"]],
        ["nobody at all", []],
      ] as const) {
        await on.page.goto(on.authorizeUrl("github"));
        await on.page.getByTestId("search").fill(search);
        await on.page.getByTestId("search").press("Enter");
        await on.page.waitForURL(/[?&]q=/);
        expect(await on.all("[data-testid^=account-]", "each.dataset.testid")).toEqual(found);
        expect(await on.page.getByTestId("search").inputValue()).toBe(search);
      }
      expect((await on.page.getByTestId("no-match").textContent())?.trim()).toBe("No account matches “nobody at all”.");
    });

    it("runs only its own script, and none of a stranger", async () => {
      const dialogs: string[] = [];
      on.page.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await on.page.goto(on.authorizeUrl("google"));
      expect(await on.page.locator("script").count()).toBe(1);
      expect(await on.page.locator("iframe, object, embed, style, script:not([src])").count()).toBe(0);
      const handlers = await on.all("*", "[...each.attributes].filter(({ name }) => name.startsWith('on')).length");
      expect(new Set(handlers)).toEqual(new Set([0]));
      expect(await on.page.getByTestId("account-mallory").locator("b").textContent()).toBe(
        '<script>alert("Mallory")</script>[U+202E]',
      );
      await on.page.getByTestId("account-mallory").click();
      expect(await on.claimsAt()).toMatchObject({ email: "mallory@example.test" });
      expect(dialogs).toEqual([]);
    });

    it.each(PROVIDERS)("of %s loads everything it needs from svc only", async (provider) => {
      const origins = new Set<string>();
      const faults: string[] = [];
      on.page.on("request", (request) => origins.add(new URL(request.url()).origin));
      on.page.on("console", (message) => faults.push(message.text()));
      on.page.on("pageerror", (error) => faults.push(String(error)));
      on.page.on(
        "response",
        (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`),
      );
      await on.page.goto(on.authorizeUrl(provider));
      expect([[...origins].filter((origin) => origin !== "null"), faults]).toEqual([[on.svc.url], []]);
      expect(await on.all("img", "each.naturalWidth > 0")).toEqual(Array(8).fill(true));
    });

    it("shows the whole title of every outcome at 360 px", async () => {
      await on.page.setViewportSize({ width: 360, height: 800 });
      await on.page.goto(on.authorizeUrl("google"));
      await on.page.getByTestId("outcomes").click();
      const cut = await on.all("details b", "each.scrollWidth > each.clientWidth");
      expect([cut.length > 10, cut.includes(true)]).toEqual([true, false]);
    });

    it("reveals nothing of the request in its address or on the page", async () => {
      await on.page.goto(on.authorizeUrl("twitter"));
      expect(new URL(on.page.url()).search).toMatch(/^\?request=[\w-]+$/);
      expect(await on.page.content()).not.toMatch(/[0-9a-f]{64}/);
    });

    it("cannot be framed", async () => {
      const frame = await startApp(`<!doctype html><iframe src="${on.authorizeUrl("google")}"></iframe>`);
      await on.page.goto(frame.origin);
      await expect.poll(() => on.page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/");
      frame.server.close().closeAllConnections();
    });
  });
});
