import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { decodePart } from "../_setup.ts";

const CANDIDATES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = [process.env["CHROMIUM"] ?? "", ...CANDIDATES].find((path) => path !== "" && existsSync(path));
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The directory for pictures of the pages; without it none are taken. */
const SCREENSHOTS = process.env["SVC_SCREENSHOTS"];

it("has a browser to run in", ({ skip }) => {
  const message = "no Chromium was found: set CHROMIUM to the path of one";
  if (executablePath === undefined && process.env["CI"]) throw new Error(message);
  skip(executablePath === undefined, message);
});

/** An application: shows what comes back to it. */
interface App {
  readonly server: Server;
  readonly origin: string;
  readonly callback: string;
}

async function startApp(html: string): Promise<App> {
  const server = createServer((_, response) => void response.setHeader("content-type", "text/html").end(html));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { server, origin, callback: `${origin}/callback` };
}

describe.skipIf(executablePath === undefined)("In a browser", { timeout: 30_000 }, () => {
  let browser: Browser;
  let svc: RunningServer;
  let app: App;
  let context: BrowserContext;
  let page: Page;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: FLAGS, headless: true });
  }, 30_000);
  afterAll(() => browser?.close());

  beforeEach(async () => {
    svc = await serve({ port: 0, store: "memory" });
    app = await startApp("<!doctype html><title>app</title><h1>app</h1>");
    context = await newContext();
    page = await context.newPage();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((each) => each.close()));
    app.server.close().closeAllConnections();
    await svc.close();
  });

  async function newContext(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    const made = await browser.newContext(options);
    made.setDefaultTimeout(10_000);
    contexts.push(made);
    return made;
  }

  function authorizeUrl(provider: string, at = svc.url): string {
    return `${at}/oauth/authorize?${new URLSearchParams({ provider, redirect_uri: app.callback }).toString()}`;
  }

  /** What an expression says of each element, `each`, that is on the page. */
  function all(selector: string, expression: string): Promise<unknown[]> {
    return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => ${expression})`);
  }

  /** What the application got. */
  async function arrived(on: Page = page): Promise<URLSearchParams> {
    await on.waitForURL((url) => url.origin === app.origin);
    return new URL(on.url()).searchParams;
  }

  async function claimsAt(on: Page = page): Promise<Record<string, unknown>> {
    const query = await arrived(on);
    return decodePart(query.get("token") ?? query.toString(), 1);
  }

  /** The address that the provider sends the browser to, which does not go there. */
  async function copiedCallback(): Promise<string> {
    let url = "";
    await page.goto(authorizeUrl("google"));
    await page.route("**/authorize?*login_hint=ada", async (route) => {
      url = (await route.fetch({ maxRedirects: 0 })).headers()["location"] ?? "";
      await route.fulfill({ body: "copied" });
    });
    await page.getByTestId("account-ada").click();
    await page.getByText("copied").waitFor();
    expect(url).toContain("/oauth/google/callback?code=");
    return url;
  }

  /** What a page of the attacker's makes of an address of ours. */
  async function attempt(script: string): Promise<unknown> {
    await page.goto(app.origin);
    return page.evaluate(`(async () => { try { return await (${script}) } catch (error) { return error.name } })()`);
  }

  const ACCOUNTS: [provider: string, title: string, email: string][] = [
    ["google", "Google", "ada@acme.test"],
    ["github", "GitHub", "ada@acme.test"],
    ["twitter", "Twitter", "3001@twitter.invalid"],
  ];

  describe("A sign-in", () => {
    it.each(ACCOUNTS)("with %s is a click on an account, and needs no script", async (provider, title, email) => {
      const plain = await (await newContext({ javaScriptEnabled: false })).newPage();
      await plain.goto(authorizeUrl(provider));
      expect(await plain.title()).toBe(`Sign in with ${title}`);
      await plain.getByTestId("account-ada").click();
      expect(await claimsAt(plain)).toMatchObject({ iss: "svc", email, provider, instance_id: svc.instances[0]!.id });
    });

    it("at /sign-in goes to the instance's default provider", async () => {
      await page.goto(`${svc.url}/sign-in?redirect_uri=${encodeURIComponent(app.callback)}`);
      expect(await page.title()).toBe("Sign in with Google");
    });

    it("can be cancelled", async () => {
      await page.goto(authorizeUrl("github"));
      await page.getByTestId("cancel").click();
      expect(Object.fromEntries(await arrived())).toEqual({
        error: "access_denied",
        error_description: "The sign-in was cancelled.",
      });
    });

    it("can be with an account that nobody has yet", async () => {
      await page.goto(authorizeUrl("google"));
      await page.getByTestId("other-account").click();
      await page.getByTestId("other-email").fill("barbara@clu.test");
      await page.getByTestId("other-name").fill('Barbara <b>"Liskov"</b>');
      await page.getByTestId("other-continue").click();
      expect(await claimsAt()).toMatchObject({ email: "barbara@clu.test", name: 'Barbara <b>"Liskov"</b>' });
    });

    it("does not go on with what is no e-mail address", async () => {
      await page.goto(authorizeUrl("google"));
      await page.getByTestId("other-account").click();
      await page.getByTestId("other-email").fill("barbara@clu@test");
      await page.getByTestId("other-continue").click();
      expect(await all("input[type=email]", "each.validity.valid")).toEqual([false]);
      expect(await page.title()).toBe("Sign in with Google");
      await page.goto(`${page.url()}&email=${encodeURIComponent("<i>x</i>")}`);
      expect(await page.getByTestId("problem").textContent()).toBe('"<i>x</i>" is not an e-mail address.');
      expect(await page.getByTestId("other-email").isVisible()).toBe(true);
    });

    it("with an account that has no verified address ends at the application, with the reason", async () => {
      await page.goto(authorizeUrl("github"));
      await page.getByTestId("account-alan").click();
      expect((await arrived()).get("error")).toBe("email_not_verified");
    });

    it("begins at the instance's own host, and is bound to this browser there too", async () => {
      const acme = svc.instances[0]!;
      await page.goto(authorizeUrl("github", acme.url));
      expect(new URL(page.url()).origin).toBe(svc.url);
      const [cookie, ...others] = await context.cookies(`${svc.url}/oauth/github/callback`);
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({ domain: "localhost", path: "/oauth", httpOnly: true, sameSite: "Lax" });
      await page.getByTestId("account-ada").click();
      expect(await claimsAt()).toMatchObject({ email: "ada@acme.test", instance_id: acme.id });
      expect(await context.cookies(`${svc.url}/oauth/github/callback`)).toEqual([]);
    });

    it("can go on in two tabs at once", async () => {
      const second = await context.newPage();
      await page.goto(authorizeUrl("google"));
      await second.goto(authorizeUrl("twitter"));
      await page.getByTestId("account-ada").click();
      await second.getByTestId("account-ada").click();
      expect([await claimsAt(page), await claimsAt(second)]).toMatchObject([
        { provider: "google" },
        { provider: "twitter" },
      ]);
    });

    it("is over once it has ended, and can't be taken up by the way back", async () => {
      await page.goto(authorizeUrl("github"));
      await page.getByTestId("account-alan").click();
      await arrived();
      await page.goBack();
      await page.getByTestId("account-ada").click();
      await page.getByTestId("error-title").waitFor();
      expect(await page.getByTestId("error-title").textContent()).toBe("Invalid or expired state");
    });
  });

  describe("The keyboard", () => {
    /** The page gives an account the focus a moment after it is there, sooner than any person could press a key. */
    async function focused(): Promise<void> {
      await expect
        .poll(() => page.evaluate<string>("document.activeElement?.dataset.testid ?? ''"))
        .toMatch(/^account-/);
    }

    it("begins at the first account, so that Enter signs in", async () => {
      await page.goto(authorizeUrl("google"));
      await focused();
      await page.keyboard.press("Enter");
      expect(await claimsAt()).toMatchObject({ email: "ada@acme.test" });
    });

    it("reaches every account, and the way out, with Tab alone", async () => {
      await page.goto(authorizeUrl("google"));
      await focused();
      const reached: string[] = [];
      for (let i = 0; i < 11; i++) {
        reached.push(await page.evaluate<string>("document.activeElement?.dataset.testid ?? ''"));
        await page.keyboard.press("Tab");
      }
      const accounts = ["ada", "grace", "charles", "alan", "katherine", "nameless", "sofya", "mallory"].map(
        (id) => `account-${id}`,
      );
      expect(reached).toEqual([...accounts, "other-account", "outcomes", "cancel"]);
    });

    it("shows where it is", async () => {
      await page.goto(authorizeUrl("google"));
      await focused();
      await page.keyboard.press("Tab");
      const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
      expect(outline).toBe("solid");
    });

    it("signs in by search", async () => {
      await page.goto(authorizeUrl("google"));
      await focused();
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.type("софья");
      await page.keyboard.press("Enter");
      await page.waitForURL(/[?&]q=/);
      await focused();
      await page.keyboard.press("Enter");
      expect(await claimsAt()).toMatchObject({ email: "sofya@stockholm.test", name: "Софья Ковалевская" });
    });

    it("opens the form for another account, and sends it", async () => {
      await page.goto(authorizeUrl("github"));
      await page.getByTestId("other-account").focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.type("new@clu.test");
      await page.keyboard.press("Enter");
      expect(await claimsAt()).toMatchObject({ email: "new@clu.test" });
    });
  });

  describe("The account picker", () => {
    it("finds by name, address and account, whatever the case", async () => {
      for (const [search, found] of [
        ["LOVELACE", ["account-ada"]],
        ["langley", ["account-katherine"]],
        ["aturing", ["account-alan"]],
        ["<script>", ["account-mallory"]],
        ["nobody at all", []],
      ] as const) {
        await page.goto(authorizeUrl("github"));
        await page.getByTestId("search").fill(search);
        await page.getByTestId("search").press("Enter");
        await page.waitForURL(/[?&]q=/);
        expect(await all("[data-testid^=account-]", "each.dataset.testid")).toEqual(found);
        expect(await page.getByTestId("search").inputValue()).toBe(search);
      }
      expect((await page.getByTestId("no-match").textContent())?.trim()).toBe("No account matches “nobody at all”.");
    });

    it("runs no script but its own, and no stranger's", async () => {
      const dialogs: string[] = [];
      page.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await page.goto(authorizeUrl("google"));
      expect(await page.locator("script").count()).toBe(1);
      expect(await page.locator("iframe, object, embed, link[rel=stylesheet]").count()).toBe(0);
      const handlers = await all("*", "[...each.attributes].filter(({ name }) => name.startsWith('on')).length");
      expect(new Set(handlers)).toEqual(new Set([0]));
      expect(await page.getByTestId("account-mallory").locator("b").textContent()).toBe(
        '<script>alert("Mallory")</script>\u202e',
      );
      await page.getByTestId("account-mallory").click();
      expect(await claimsAt()).toMatchObject({ email: "mallory@example.test" });
      expect(dialogs).toEqual([]);
    });

    it.each(["google", "github", "twitter"])(
      "of %s asks nobody but svc for anything, and lacks nothing",
      async (provider) => {
        const origins = new Set<string>();
        const faults: string[] = [];
        page.on("request", (request) => origins.add(new URL(request.url()).origin));
        page.on("console", (message) => faults.push(message.text()));
        page.on("pageerror", (error) => faults.push(String(error)));
        page.on(
          "response",
          (response) => response.status() >= 400 && faults.push(`${response.status()} ${response.url()}`),
        );
        await page.goto(authorizeUrl(provider));
        expect([[...origins].filter((origin) => origin !== "null"), faults]).toEqual([[svc.url], []]);
        expect(await all("img", "each.naturalWidth > 0")).toEqual(Array(8).fill(true));
      },
    );

    it("tells nothing of the request in its address or on the page", async () => {
      await page.goto(authorizeUrl("twitter"));
      expect(new URL(page.url()).search).toMatch(/^\?request=[\w-]+$/);
      expect(await page.content()).not.toMatch(/[0-9a-f]{64}/);
    });

    it("may be framed by nobody", async () => {
      const frame = await startApp(`<!doctype html><iframe src="${authorizeUrl("google")}"></iframe>`);
      await page.goto(frame.origin);
      await page.waitForLoadState("networkidle");
      frame.server.close().closeAllConnections();
      const [, inner] = page.frames();
      expect(inner?.url()).toBe("chrome-error://chromewebdata/");
    });
  });

  describe("A callback's address that another browser gets", () => {
    it("gives an error page, and no token", async () => {
      const url = await copiedCallback();
      const other = await (await newContext()).newPage();
      const response = await other.goto(url);
      expect([response?.status(), await other.getByTestId("error-title").textContent()]).toEqual([
        400,
        "Invalid or expired state",
      ]);
      expect(await other.getByTestId("error-detail").textContent()).toContain("in the browser that began it");
      expect([new URL(other.url()).origin, await other.content()]).toEqual([
        svc.url,
        expect.not.stringContaining("eyJ"),
      ]);
    });

    it("is good once in the browser that it was made for, and no more", async () => {
      const url = await copiedCallback();
      await page.goto(url);
      expect(await claimsAt()).toMatchObject({ email: "ada@acme.test" });
      const again = await page.goto(url);
      expect([again?.status(), await page.getByTestId("error-title").textContent()]).toEqual([
        400,
        "Invalid or expired state",
      ]);
    });
  });

  describe("A page of another origin", () => {
    it.each([
      ["the home page, with its keys", "/"],
      ["the list of users", "/api/v1/users"],
      ["a page with a token on it", "/__svc/signed-in?token=x"],
      ["the account picker", "/__svc/simulator/google/authorize"],
    ])("reads nothing of %s", async (_, path) => {
      const url = JSON.stringify(svc.url + path);
      expect(await attempt(`fetch(${url}).then((response) => response.text())`)).toBe("TypeError");
      expect(await attempt(`fetch(${url}, { credentials: "include" }).then((response) => response.text())`)).toBe(
        "TypeError",
      );
    });

    it("can't use a secret key, were it to know one", async () => {
      const { secret_key } = svc.instances[0]!;
      const headers = JSON.stringify({ "x-service-secret-key": secret_key });
      const url = JSON.stringify(`${svc.url}/api/v1/users`);
      expect(await attempt(`fetch(${url}, { headers: ${headers} }).then((response) => response.text())`)).toBe(
        "TypeError",
      );
    });

    it("deletes nobody", async () => {
      const { secret_key, url: base } = svc.instances[0]!;
      const headers = { "x-service-secret-key": secret_key };
      const list = async (): Promise<{ id: string }[]> =>
        (await fetch(`${svc.url}/api/v1/users`, { headers })).json() as Promise<{ id: string }[]>;
      const [user] = await list();
      for (const origin of [svc.url, base]) {
        const url = JSON.stringify(`${origin}/api/v1/users/${user!.id}`);
        expect(await attempt(`fetch(${url}, { method: "DELETE", headers: ${JSON.stringify(headers)} })`)).toBe(
          "TypeError",
        );
      }
      expect((await list()).length).toBe(4);
    });

    it.each(["/", "/api/v1/users", "/__svc/signed-in?token=x"])("does not even get %s blindly", async (path) => {
      const url = JSON.stringify(svc.url + path);
      expect(await attempt(`fetch(${url}, { mode: "no-cors" }).then((response) => response.type)`)).toBe("TypeError");
      const script = `Object.assign(document.createElement("script"), { src: ${url}, onload: () => resolve("loaded"), onerror: () => resolve("refused") })`;
      expect(await attempt(`new Promise((resolve) => document.body.append(${script}))`)).toBe("refused");
    });

    it("may read what is meant for it: discovery, and the address of the instance whose publishable key it has", async () => {
      const { publishable_key, url, subdomain, id } = svc.instances[0]!;
      const headers = JSON.stringify({ "x-service-publishable-key": publishable_key });
      const search = JSON.stringify(`${svc.api_url}/api/v1/instances/search?query=publishable_key:${publishable_key}`);
      expect(await attempt(`fetch(${search}, { headers: ${headers} }).then((response) => response.json())`)).toEqual({
        id,
        resource: "instance",
        data: { publishable_key, url, subdomain },
      });
      const discovery = JSON.stringify(`${url}/.well-known/openid-configuration`);
      expect(await attempt(`fetch(${discovery}).then((response) => response.json())`)).toMatchObject({ issuer: url });
    });

    it("can't open a sign-in and look into it", async () => {
      await page.goto(app.origin);
      const opened = page.waitForEvent("popup");
      await page.evaluate(`window.popup = open(${JSON.stringify(authorizeUrl("google"))})`);
      await (await opened).getByTestId("account-ada").waitFor();
      expect(await attemptHere("popup.document.title")).toBe("SecurityError");

      async function attemptHere(script: string): Promise<unknown> {
        return page.evaluate(`(() => { try { return ${script} } catch (error) { return error.name } })()`);
      }
    });
  });

  describe("The home page", () => {
    it("leads through a sign-in to what the token says", async () => {
      await page.goto(svc.url);
      await page.getByTestId("try-acme-github").click();
      await page.getByTestId("account-sofya").click();
      await page.getByTestId("token").waitFor();
      expect(await page.locator("h1").textContent()).toBe("Welcome, Софья Ковалевская");
      expect(await page.getByTestId("claim-iss").textContent()).toContain("svc");
      expect(await page.getByTestId("claim-email").textContent()).toContain("sofya@stockholm.test");
    });

    it("leads back from a sign-in that was cancelled, which it explains", async () => {
      await page.goto(svc.url);
      await page.getByTestId("try-acme-google").click();
      await page.getByTestId("cancel").click();
      expect(await page.getByTestId("error").textContent()).toBe("access_denied");
      await page.getByRole("link", { name: "Back" }).click();
      await page.getByTestId("instance-globex").waitFor();
      expect(page.url()).toBe(`${svc.url}/`);
    });

    it("shows no secret", async () => {
      await page.goto(svc.url);
      const content = await page.content();
      expect(content).toContain(svc.instances[0]!.publishable_key);
      for (const { secret_key } of svc.instances) expect(content).not.toContain(secret_key);
    });
  });

  describe("Every page", () => {
    const PAGES: [name: string, open: () => Promise<unknown>][] = [
      ["picker-google", () => page.goto(authorizeUrl("google"))],
      ["picker-github", () => page.goto(authorizeUrl("github"))],
      ["picker-twitter", () => page.goto(authorizeUrl("twitter"))],
      [
        "picker-other",
        async () => {
          await page.goto(authorizeUrl("google"));
          await page.getByTestId("other-account").click();
        },
      ],
      [
        "picker-no-match",
        async () => {
          await page.goto(authorizeUrl("google"));
          await page.goto(`${page.url()}&q=nobody`);
        },
      ],
      ["error-state", () => page.goto(`${svc.url}/oauth/google/callback?state=x&code=y`)],
      [
        "error-redirect-uri",
        () => page.goto(`${svc.url}/oauth/authorize?provider=google&redirect_uri=javascript:alert(1)`),
      ],
      ["error-not-found", () => page.goto(`${svc.url}/nowhere`)],
      ["home", () => page.goto(svc.url)],
      [
        "signed-in",
        async () => {
          await page.goto(svc.url);
          await page.getByTestId("try-acme-google").click();
          await page.getByTestId("account-ada").click();
          await page.getByTestId("claim-iss").waitFor();
        },
      ],
      [
        "not-signed-in",
        async () => {
          await page.goto(svc.url);
          await page.getByTestId("try-acme-google").click();
          await page.getByTestId("cancel").click();
          await page.getByTestId("error").waitFor();
        },
      ],
    ];
    it.each(PAGES)("%s fits a wide and a narrow window and can be read, in light and in dark", async (name, open) => {
      await open();
      expect(await all("html", "each.lang")).toEqual(["en"]);
      expect([await page.locator("main").count(), await page.locator("h1").count()]).toEqual([1, 1]);
      expect(await all("input:not([type=hidden])", "Boolean(each.ariaLabel || each.labels.length)")).not.toContain(
        false,
      );
      expect(await page.locator("img:not([alt])").count()).toBe(0);
      const faults: unknown[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [1280, 360]) {
          await page.setViewportSize({ width, height: 800 });
          const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
          const faint = await page.evaluate<string[]>(FAINT_TEXTS);
          if (overflow > 0 || faint.length > 0) faults.push({ colorScheme, width, overflow, faint });
          const picture = `${name}-${colorScheme}-${width}.png`;
          if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, picture), fullPage: true });
        }
      }
      expect(faults).toEqual([]);
    });
  });
});

/** Texts, and placeholders, whose contrast is below 4.5 (WCAG 2.2, 1.4.3), run in the page. */
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
