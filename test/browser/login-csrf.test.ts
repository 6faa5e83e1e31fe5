import { writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { GET as nextCallback } from "../../examples/next/app/callback/route.ts";
import { GET as nextMe } from "../../examples/next/app/me/route.ts";
import { GET as nextSignIn } from "../../examples/next/app/sign-in/route.ts";
import { beginSignIn, finishSignIn } from "../../src/client/sign-in.ts";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { CHROMIUM, launchChromium } from "../_browser.ts";
import { blocks, installed, run } from "../_documents.ts";
import { freePort } from "../_free-port.ts";

const EVIL = "evil.test";
const HOME = '<!doctype html><a href="/sign-in">Sign in</a>';

type Fetch = (request: Request) => Promise<Response> | Response;

async function listen(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

async function listenTo(routesAt: (origin: string) => Readonly<Record<string, Fetch>>): Promise<string> {
  const port = await listen((request, response) => void listener(request, response));
  const origin = `http://localhost:${port}`;
  const routes = routesAt(origin);
  const listener = getRequestListener(
    (request) => (routes[new URL(request.url).pathname] ?? (() => new Response(null, { status: 404 })))(request),
    { overrideGlobalObjects: false },
  );
  return origin;
}

const html = (text: string): Response => new Response(text, { headers: { "content-type": "text/html" } });

describe.skipIf(CHROMIUM === undefined)("T52: a page of another site, in a browser,", () => {
  let browser: Browser;
  let svc: RunningServer;
  let victim: BrowserContext;
  let page: Page;
  let secretKey: string;

  beforeAll(async () => {
    svc = await serve({ port: 0, store: "memory" });
    secretKey = svc.instances[0]!.secret_key;
    browser = await launchChromium([
      `--host-resolver-rules=MAP ${EVIL} 127.0.0.1`,
      "--disable-popup-blocking",
      // The attacker's page is on this machine for the test; elsewhere the browser would ask its user first.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await svc?.close();
  });
  beforeEach(async () => {
    victim = await browser.newContext();
    page = await victim.newPage();
    onTestFinished(() => victim.close());
  });

  /** Applications whose `/me` shows who is signed in. */
  const applications: Record<string, () => Promise<string>> = {
    async "the README's application"() {
      const directory = await installed();
      await writeFile(join(directory, "package.json"), '{ "type": "module" }');
      const [{ code } = { code: "" }] = blocks.filter((block) => block.code.startsWith("// app.js"));
      await writeFile(join(directory, "app.js"), code);
      const env = { SVC_SECRET_KEY: secretKey, SVC_BASE_URL: svc.url, PORT: String(await freePort()) };
      return run(directory, [process.execPath, "app.js"], env).until(/(http:\/\/localhost:\d+)/);
    },
    "the Next.js example": () => {
      Object.assign(process.env, { SVC_SECRET_KEY: secretKey, SVC_BASE_URL: svc.url });
      return listenTo((origin) => {
        process.env["APP_ORIGIN"] = origin;
        const home: Fetch = () => html(HOME);
        return { "/": home, "/sign-in": nextSignIn, "/callback": nextCallback, "/me": nextMe };
      });
    },
  };

  /** What a page that lies in wait knows: its own token, and the nonce of a sign-in that it began itself. */
  async function loot(origin: string): Promise<{ token: string; nonce: string }> {
    const begun = await fetch(`${origin}/sign-in`, { redirect: "manual" });
    const callback = new URL(new URL(begun.headers.get("location")!).searchParams.get("redirect_uri")!);
    const query = { provider: "github", redirect_uri: callback.href, login_hint: "grace" };
    let url = `${svc.url}/oauth/authorize?${new URLSearchParams(query).toString()}`;
    while (!url.startsWith(origin)) url = (await fetch(url, { redirect: "manual" })).headers.get("location")!;
    const { searchParams } = new URL(url);
    return { token: searchParams.get("token")!, nonce: searchParams.get("nonce") ?? "" };
  }

  /** Ways to open an address in the victim's browser. */
  type Delivery = [way: string, script: (url: string) => string];
  const DELIVERIES: [Delivery, ...Delivery[]] = [
    ["a redirect", (url) => `location.href = ${JSON.stringify(url)}`],
    ["a popup", (url) => `open(${JSON.stringify(url)})`],
    ["a frame", (url) => `document.body.append(Object.assign(document.createElement("iframe"), { src: "${url}" }))`],
    ["a fetch", (url) => `fetch(${JSON.stringify(url)}, { mode: "no-cors", credentials: "include" })`],
    ["a WebSocket", (url) => `new WebSocket(${JSON.stringify(url.replace("http:", "ws:"))})`],
  ];

  async function deliver(script: string): Promise<void> {
    const done = "<!doctype html><body><script>onload = () => { SCRIPT }</script>".replace("SCRIPT", () => script);
    const port = await listen((_, response) => void response.setHeader("content-type", "text/html").end(done));
    const evil = await victim.newPage();
    const arrived = victim.waitForEvent("request", (request) => request.url().includes("/callback")).catch(() => {});
    await evil.goto(`http://${EVIL}:${port}/`).catch(() => {});
    if (!script.includes("WebSocket")) await arrived;
    // Whatever it is answered with: the cookies of the answer are what counts.
    await evil.waitForTimeout(300);
    for (const each of victim.pages()) if (each !== page) await each.close();
  }

  /** How the application may have come to wait for a callback. */
  const BEFORE: Record<string, (origin: string) => Promise<unknown>> = {
    "no sign-in": async (origin) => page.goto(`${origin}/`),
    async "an abandoned sign-in"(origin) {
      await page.goto(`${origin}/`);
      await page.getByRole("link", { name: "Sign in" }).click();
      await page.getByTestId("account-ada").waitFor();
    },
    async "a prefetch and a prerender of its own"(origin) {
      await page.goto(`${origin}/`);
      const rules = JSON.stringify({ prerender: [{ urls: ["/sign-in"], eagerness: "immediate" }] });
      await page.evaluate(`(async () => {
        document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href: "/sign-in" }));
        const script = Object.assign(document.createElement("script"), { type: "speculationrules" });
        script.textContent = ${JSON.stringify(rules)};
        document.head.append(script);
        await fetch("/sign-in", { redirect: "manual" });
      })()`);
      await page.waitForTimeout(500);
      expect(await victim.cookies()).toEqual([]);
    },
  };

  async function signedInAs(origin: string): Promise<string | undefined> {
    // With the cookies of the browser.
    const response = await victim.request.get(`${origin}/me`);
    return response.status() === 401 ? undefined : /[\w.]+@[\w.]+/.exec(await response.text())![0];
  }

  describe.each(Object.entries(applications))("signs nobody in as itself at %s", (application, start) => {
    // All applications begin and finish a sign-in by the same two calls, so one of them meets every attack.
    const isFirst = application === Object.keys(applications)[0];
    const before = Object.entries(BEFORE).filter(([name]) => isFirst || name === "an abandoned sign-in");
    it.each(before)("after %s", async (_before, prepare) => {
      const origin = await start();
      const { token, nonce } = await loot(origin);
      await prepare(origin);
      const [[, redirect], ...others] = DELIVERIES;
      const callback = (query: string): string => `${origin}/callback?${query}`;
      const attacks = [
        ...[`token=${token}`, `nonce=&token=${token}`].map((query) => redirect(callback(query))),
        ...[redirect, ...others.map(([, script]) => script)].map((script) =>
          script(callback(`nonce=${nonce}&token=${token}`)),
        ),
      ];
      for (const attack of attacks) {
        await deliver(attack);
        expect(await signedInAs(origin), attack).toBeUndefined();
      }
    });

    it("with a sign-in that it began itself in the user's browser", async () => {
      const origin = await start();
      const { token, nonce } = await loot(origin);
      await deliver(`open("${origin}/sign-in"); setTimeout(() => open("${origin}/callback?token=${token}"), 300)`);
      await deliver(`location.href = "${origin}/callback?nonce=${nonce}&token=${token}"`);
      expect([await signedInAs(origin), await victim.cookies(origin)]).toEqual([undefined, []]);
    });

    it("and does not end a sign-in that the user has open in two tabs", async () => {
      const origin = await start();
      const other = await victim.newPage();
      for (const tab of [page, other]) {
        await tab.goto(`${origin}/`);
        await tab.getByRole("link", { name: "Sign in" }).click();
        await tab.getByTestId("account-ada").waitFor();
      }
      const { token, nonce } = await loot(origin);
      const evil = await victim.newPage();
      await evil.goto(`${origin}/callback?nonce=${nonce}&token=${token}`);
      for (const tab of [page, other]) {
        await tab.getByTestId("account-ada").click();
        await tab.waitForURL((url) => url.origin === origin && url.search === "");
      }
      expect(await signedInAs(origin)).toBe("ada@acme.test");
      // Only the user's own session is left: each nonce is used up.
      expect((await victim.cookies(origin)).map(({ name }) => name)).toEqual(["token"]);
    });
  });

  // Shows that the attack is one: this is what an application by hand used to look like.
  it("signs a user in as itself where a constant stands in for the nonce", async () => {
    const origin = await listenTo(() => ({
      "/": () => html(HOME),
      "/sign-in": () => {
        const query = new URLSearchParams({ provider: "github", redirect_uri: `${origin}/callback` });
        const location = `${svc.url}/oauth/authorize?${query.toString()}`;
        return new Response(null, { status: 302, headers: { location, "set-cookie": "signing_in=1; HttpOnly" } });
      },
      "/callback": (request) => {
        const began = (request.headers.get("cookie") ?? "").includes("signing_in=1");
        const token = new URL(request.url).searchParams.get("token") ?? "";
        return new Response(null, { headers: began ? { "set-cookie": `token=${token}; HttpOnly` } : {} });
      },
      "/me": nextMe,
    }));
    Object.assign(process.env, { SVC_SECRET_KEY: secretKey, SVC_BASE_URL: svc.url });
    const { token } = await loot(origin);
    await BEFORE["an abandoned sign-in"]!(origin);
    await deliver(`location.href = "${origin}/callback?token=${token}"`);
    expect(await signedInAs(origin)).toBe("grace@acme.test");
  });

  it("is told from the application's own service worker, which passes a click on", async () => {
    const worker = `onactivate = (event) => event.waitUntil(clients.claim());
      onfetch = (event) => event.respondWith(fetch(event.request));`;
    const asked: string[] = [];
    const origin = await listenTo((own) => {
      const options = { secretKey, baseUrl: svc.url, redirectUri: `${own}/callback` };
      return {
        "/": () => html(HOME),
        "/sw.js": () => new Response(worker, { headers: { "content-type": "text/javascript" } }),
        "/sign-in": async (request) => {
          asked.push(`${request.headers.get("sec-fetch-mode")} ${request.headers.get("sec-fetch-dest")}`);
          const begun = await beginSignIn(request, options);
          return new Response(null, { status: begun.ok ? 302 : 400, headers: begun.headers });
        },
        "/callback": async (request) => {
          const finished = await finishSignIn(request, options);
          return new Response(finished.ok ? finished.claims.email : finished.error.message);
        },
      };
    });
    await page.goto(`${origin}/`);
    await page.evaluate(`(async () => {
      const claimed = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
      await navigator.serviceWorker.register("/sw.js");
      await claimed;
    })()`);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByTestId("account-ada").click();
    await page.waitForURL((url) => url.origin === origin);
    expect([asked, await page.locator("body").textContent()]).toEqual([["navigate empty"], "ada@acme.test"]);
  });
});
