import { setTimeout as delay } from "node:timers/promises";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { serve, type RunningServer, type ServeOptions } from "../src/server/index.ts";
import { launchChromium } from "./_browser.ts";
import { call, type Answered } from "./_control.ts";

/** A server, a browser with its dashboard, and the errors in the page. */
export interface Dashboard {
  readonly svc: RunningServer;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors on the console: exceptions, blocked scripts and styles, requests to other hosts. */
  readonly faults: string[];
  control(route: string, body?: unknown): Promise<Answered>;
  /** Goes to a view, such as `users?query=name:ada`, and waits until it is shown and live. */
  visit(address: string): Promise<void>;
  close(): Promise<void>;
}

/** Signs a browser in by a one-time link, as `svc open dashboard` does. */
export async function openDashboard(options: ServeOptions = {}): Promise<Dashboard> {
  const [browser, svc] = await Promise.all([
    launchChromium(),
    serve({ port: 0, store: "memory", providers: "simulated", ...options }),
  ]);
  const context = await browser.newContext({
    permissions: ["clipboard-read", "clipboard-write"],
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  watch(page, svc.url, faults);
  const control = (route: string, body?: unknown): Promise<Answered> => controlOf(svc, route, body);
  await page.goto(await linkOf(svc));
  await page.getByTestId("stream-status").getByText("Live").waitFor({ state: "attached" });
  return {
    svc,
    browser,
    context,
    page,
    faults,
    control,
    async visit(address) {
      const url = `${svc.url}/__svc/#/${address}`;
      // The same address again would load nothing and keep the view's old state.
      await (page.url() === new URL(url).href ? page.reload() : page.goto(url));
      await page.getByTestId("stream-status").getByText("Live").waitFor({ state: "attached" });
      await settled(page);
    },
    async close() {
      await browser.close();
      await svc.close();
    },
  };
}

/** One request to the control API, with the server's key. @param route such as `POST /clock/freeze` */
export function controlOf(svc: RunningServer, route: string, body?: unknown): Promise<Answered> {
  return call(svc.url, route, body, { authorization: `Bearer ${svc.control_key}` });
}

/** A link that signs one browser in. */
export async function linkOf(svc: RunningServer): Promise<string> {
  const { body } = await controlOf(svc, "POST /dashboard-links");
  return (body as { url: string }).url;
}

/** Collects what the page does wrong. */
export function watch(page: Page, origin: string, faults: string[]): void {
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // The console reports refused requests too; the page shows their message.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(?:blob|data):/.test(request.url()) && new URL(request.url()).origin !== origin) faults.push(request.url());
  });
}

/** Waits until the view of the current address is shown and fully loaded. */
export async function settled(page: Page): Promise<void> {
  await until(page, "document.querySelector('main')?.dataset.address === location.hash");
  await page.locator("h1").first().waitFor();
  await page.locator(".placeholder, .stale").first().waitFor({ state: "detached" });
}

/** Waits for an expression. `waitForFunction` would evaluate it inside the page, whose policy forbids that. */
export async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate<boolean>(expression))) await delay(20);
}

/** The number of pixels by which the page is wider than its window, or a table in it than its place. */
export async function overflow(page: Page): Promise<number> {
  const tables = "[...document.querySelectorAll('.table-scroll')].map((one) => one.scrollWidth - one.clientWidth)";
  return page.evaluate<number>(`Math.max(document.documentElement.scrollWidth - innerWidth, ...${tables})`);
}

/** The violations that axe-core finds in the page. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, to which the page's CSP does not apply.
  await page.evaluate(`window.axe || (() => { ${axe.source} })()`);
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    "axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`);
}

/** A complete sign-in. */
export async function signIn(svc: RunningServer, body: Record<string, unknown> = {}): Promise<Answered["body"]> {
  return (await controlOf(svc, "POST /sign-ins", { provider: "google", as: "ada@acme.test", ...body })).body;
}

export async function generate({ control }: Dashboard, users: number): Promise<void> {
  await control("POST /seed", { generate: { users, seed: 7 } });
}
