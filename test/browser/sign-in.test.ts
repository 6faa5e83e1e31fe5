import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { Visit } from "./_applications.ts";

it("Chromium is installed", ({ skip }) => {
  const message = "no Chromium was found: set CHROMIUM to the path of one";
  if (CHROMIUM === undefined && process.env["CI"]) throw new Error(message);
  skip(CHROMIUM === undefined, message);
});

describe.skipIf(CHROMIUM === undefined)("In a browser", () => {
  const on = new Visit();

  const ACCOUNTS: [provider: string, title: string, email: string][] = [
    ["google", "Google", "ada@acme.test"],
    ["github", "GitHub", "ada@acme.test"],
    ["twitter", "Twitter", "3001@twitter.invalid"],
  ];

  describe("A sign-in", () => {
    it.each(ACCOUNTS)("with %s takes a click on an account and no script", async (provider, title, email) => {
      const plain = await (await on.newContext({ javaScriptEnabled: false })).newPage();
      await plain.goto(on.authorizeUrl(provider));
      expect(await plain.title()).toBe(`Sign in with ${title}`);
      await plain.getByTestId("account-ada").click();
      expect(await on.claimsAt(plain)).toMatchObject({
        iss: "svc",
        email,
        provider,
        instance_id: on.svc.instances[0]!.id,
      });
    });

    it("at /sign-in goes to the instance's default provider", async () => {
      await on.page.goto(`${on.svc.url}/sign-in?redirect_uri=${encodeURIComponent(on.app.callback)}`);
      expect(await on.page.title()).toBe("Sign in with Google");
    });

    it("can be cancelled", async () => {
      await on.page.goto(on.authorizeUrl("github"));
      await on.page.getByTestId("cancel").click();
      expect(Object.fromEntries(await on.arrived())).toEqual({
        error: "access_denied",
        error_description: "The sign-in was cancelled.",
      });
    });

    it("can use a new account", async () => {
      await on.page.goto(on.authorizeUrl("google"));
      await on.page.getByTestId("other-account").click();
      await on.page.getByTestId("other-email").fill("barbara@clu.test");
      await on.page.getByTestId("other-name").fill('Barbara <b>"Liskov"</b>');
      await on.page.getByTestId("other-continue").click();
      expect(await on.claimsAt()).toMatchObject({ email: "barbara@clu.test", name: 'Barbara <b>"Liskov"</b>' });
    });

    it("rejects an invalid e-mail address", async () => {
      await on.page.goto(on.authorizeUrl("google"));
      await on.page.getByTestId("other-account").click();
      await on.page.getByTestId("other-email").fill("barbara@clu@test");
      await on.page.getByTestId("other-continue").click();
      expect(await on.all("input[type=email]", "each.validity.valid")).toEqual([false]);
      expect(await on.page.title()).toBe("Sign in with Google");
      await on.page.goto(`${on.page.url()}&email=${encodeURIComponent("<i>x</i>")}`);
      expect(await on.page.getByTestId("problem").textContent()).toBe('"<i>x</i>" is not an e-mail address.');
      expect(await on.page.getByTestId("other-email").isVisible()).toBe(true);
    });

    it("with an account without a verified address ends at the application with the reason", async () => {
      await on.page.goto(on.authorizeUrl("github"));
      await on.page.getByTestId("account-alan").click();
      expect((await on.arrived()).get("error")).toBe("email_not_verified");
    });

    it.each([
      ["the instance's own host", () => on.svc.instances[0]!.url],
      ["127.0.0.1", () => on.svc.url.replace("localhost", "127.0.0.1")],
    ])("that starts at %s goes on at the callback's host, where the browser gets its cookie", async (_host, origin) => {
      const acme = on.svc.instances[0]!;
      const response = await on.page.goto(on.authorizeUrl("github", origin()));
      const hops: string[] = [];
      for (let hop = response!.request().redirectedFrom(); hop; hop = hop.redirectedFrom()) hops.unshift(hop.url());
      expect(hops.map((url) => url.split("?")[0])).toEqual([
        `${origin()}/oauth/authorize`,
        `${on.svc.url}/__svc/begin`,
      ]);
      expect(new URL(response!.url()).origin).toBe(on.svc.url);
      const [cookie, ...others] = await on.context.cookies(`${on.svc.url}/oauth/github/callback`);
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({ domain: "localhost", path: "/", httpOnly: true, sameSite: "Lax" });
      await on.page.getByTestId("account-ada").click();
      expect(await on.claimsAt()).toMatchObject({ email: "ada@acme.test", instance_id: acme.id });
      expect(await on.context.cookies(`${on.svc.url}/oauth/github/callback`)).toEqual([]);
    });

    it("can continue in two tabs at once", async () => {
      const second = await on.context.newPage();
      await on.page.goto(on.authorizeUrl("google"));
      await second.goto(on.authorizeUrl("twitter"));
      await on.page.getByTestId("account-ada").click();
      await second.getByTestId("account-ada").click();
      expect([await on.claimsAt(on.page), await on.claimsAt(second)]).toMatchObject([
        { provider: "google" },
        { provider: "twitter" },
      ]);
    });

    it("cannot be resumed with the back button once it has ended", async () => {
      await on.page.goto(on.authorizeUrl("github"));
      await on.page.getByTestId("account-alan").click();
      await on.arrived();
      await on.page.goBack();
      await on.page.getByTestId("account-ada").click();
      await on.page.getByTestId("error-title").waitFor();
      expect(await on.page.getByTestId("error-title").textContent()).toBe("Invalid or expired state");
    });
  });

  describe("The keyboard on the picker", () => {
    /** The page focuses an account a moment after it appears, before a person could press a key. */
    async function focused(): Promise<void> {
      await expect
        .poll(() => on.page.evaluate<string>("document.activeElement?.dataset.testid ?? ''"))
        .toMatch(/^account-/);
    }

    it("starts at the first account, so that Enter signs in", async () => {
      await on.page.goto(on.authorizeUrl("google"));
      await focused();
      await on.page.keyboard.press("Enter");
      expect(await on.claimsAt()).toMatchObject({ email: "ada@acme.test" });
    });

    it("reaches every account and the cancel link with Tab", async () => {
      await on.page.goto(on.authorizeUrl("google"));
      await focused();
      const reached: string[] = [];
      for (let i = 0; i < 11; i++) {
        reached.push(await on.page.evaluate<string>("document.activeElement?.dataset.testid ?? ''"));
        await on.page.keyboard.press("Tab");
      }
      const accounts = ["ada", "grace", "charles", "alan", "katherine", "nameless", "sofya", "mallory"].map(
        (id) => `account-${id}`,
      );
      expect(reached).toEqual([...accounts, "other-account", "outcomes", "cancel"]);
    });

    it("has a visible focus", async () => {
      await on.page.goto(on.authorizeUrl("google"));
      await focused();
      await on.page.keyboard.press("Tab");
      const outline = await on.page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
      expect(outline).toBe("solid");
    });

    it("signs in by search", async () => {
      await on.page.goto(on.authorizeUrl("google"));
      await focused();
      await on.page.keyboard.press("Shift+Tab");
      await on.page.keyboard.type("софья");
      await on.page.keyboard.press("Enter");
      await on.page.waitForURL(/[?&]q=/);
      await focused();
      await on.page.keyboard.press("Enter");
      expect(await on.claimsAt()).toMatchObject({ email: "sofya@stockholm.test", name: "Софья Ковалевская" });
    });

    it("opens the form for another account and submits it", async () => {
      await on.page.goto(on.authorizeUrl("github"));
      await on.page.getByTestId("other-account").focus();
      await on.page.keyboard.press("Enter");
      await on.page.keyboard.press("Tab");
      await on.page.keyboard.type("new@clu.test");
      await on.page.keyboard.press("Enter");
      expect(await on.claimsAt()).toMatchObject({ email: "new@clu.test" });
    });
  });

  /** The address that the provider redirects to, without following the redirect. */
  async function copiedCallback(): Promise<string> {
    let url = "";
    await on.page.goto(on.authorizeUrl("google"));
    await on.page.route("**/authorize?*login_hint=ada", async (route) => {
      url = (await route.fetch({ maxRedirects: 0 })).headers()["location"] ?? "";
      await route.fulfill({ body: "copied" });
    });
    await on.page.getByTestId("account-ada").click();
    await on.page.getByText("copied").waitFor();
    expect(url).toContain("/oauth/google/callback?code=");
    return url;
  }

  describe("A callback's address opened in another browser", () => {
    it("shows an error page and no token", async () => {
      const url = await copiedCallback();
      const other = await (await on.newContext()).newPage();
      const response = await other.goto(url);
      expect([response?.status(), await other.getByTestId("error-title").textContent()]).toEqual([
        400,
        "Invalid or expired state",
      ]);
      expect(await other.getByTestId("error-detail").textContent()).toContain("in the browser that began it");
      expect([new URL(other.url()).origin, await other.content()]).toEqual([
        on.svc.url,
        expect.not.stringContaining("eyJ"),
      ]);
    });

    it("works once in its own browser and not again", async () => {
      const url = await copiedCallback();
      await on.page.goto(url);
      expect(await on.claimsAt()).toMatchObject({ email: "ada@acme.test" });
      const again = await on.page.goto(url);
      expect([again?.status(), await on.page.getByTestId("error-title").textContent()]).toEqual([
        400,
        "Invalid or expired state",
      ]);
    });
  });
});
