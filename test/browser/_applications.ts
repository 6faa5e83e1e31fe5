import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { launchChromium } from "../_browser.ts";
import { decodePart } from "../_setup.ts";

/** An application that shows its callback's parameters. */
export interface App {
  readonly server: Server;
  readonly origin: string;
  readonly callback: string;
}

export async function startApp(html: string): Promise<App> {
  const server = createServer((_, response) => void response.setHeader("content-type", "text/html").end(html));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { server, origin, callback: `${origin}/callback` };
}

/** A new browser, server and application for each test of the enclosing `describe`. */
export class Visit {
  svc!: RunningServer;
  app!: App;
  context!: BrowserContext;
  page!: Page;
  #browser!: Browser;
  readonly #contexts: BrowserContext[] = [];

  constructor() {
    beforeAll(async () => {
      this.#browser = await launchChromium();
    });
    afterAll(() => this.#browser?.close());
    beforeEach(async () => {
      this.svc = await serve({ port: 0, store: "memory" });
      this.app = await startApp("<!doctype html><title>app</title><h1>app</h1>");
      this.context = await this.newContext();
      this.page = await this.context.newPage();
    });
    afterEach(async () => {
      await Promise.all(this.#contexts.splice(0).map((each) => each.close()));
      this.app.server.close().closeAllConnections();
      await this.svc.close();
    });
  }

  async newContext(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    const made = await this.#browser.newContext(options);
    this.#contexts.push(made);
    return made;
  }

  authorizeUrl(provider: string, at = this.svc.url): string {
    return `${at}/oauth/authorize?${new URLSearchParams({ provider, redirect_uri: this.app.callback }).toString()}`;
  }

  /** The value of an expression for each element, `each`, on the page. */
  all(selector: string, expression: string): Promise<unknown[]> {
    return this.page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => ${expression})`,
    );
  }

  /** What the application received. */
  async arrived(page = this.page): Promise<URLSearchParams> {
    await page.waitForURL((url) => url.origin === this.app.origin);
    return new URL(page.url()).searchParams;
  }

  async claimsAt(page = this.page): Promise<Record<string, unknown>> {
    const query = await this.arrived(page);
    return decodePart(query.get("token") ?? query.toString(), 1);
  }
}
