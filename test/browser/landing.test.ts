// Below the faces: the address that an attacker knows is the command's own.
import { describe, expect, it, onTestFinished } from "vitest";
import { openLanding, OWN_ENTRY } from "../../src/cli/commands/sign-in/landing.ts";
import { CHROMIUM } from "../_browser.ts";
import { Visit } from "./_applications.ts";

describe.skipIf(CHROMIUM === undefined)("In a browser", () => {
  const on = new Visit();

  it.each([["http://localhost:3000/callback"], [OWN_ENTRY]])(
    "T44: no page gives svc sign-in a token by a WebSocket to %s, even if it knows the address",
    async (entry) => {
      const closing = new AbortController();
      onTestFinished(() => closing.abort());
      const { url, token } = await openLanding([entry], closing.signal);
      const withToken = (value: string): string => `${url}${url.includes("?") ? "&" : "?"}token=${value}`;
      await on.page.goto(on.app.origin);
      const tried = await on.page.evaluate(`new Promise((resolve) => {
        const socket = new WebSocket(${JSON.stringify(withToken("evil").replace(/^http/, "ws"))});
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      })`);
      expect(tried).toBe("refused");
      await on.page.goto(withToken("own"));
      expect(await on.page.textContent("body")).toContain("Signed in.");
      expect(await token).toBe("own");
    },
  );
});
