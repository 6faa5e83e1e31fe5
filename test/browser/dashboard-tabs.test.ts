import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { CHROMIUM } from "../_browser.ts";
import { controlOf, generate, linkOf, openDashboard, settled, signIn } from "../_dashboard.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";

describe.skipIf(CHROMIUM === undefined)("The dashboard in many tabs", () => {
  it("uses one event stream, so that an application can sign in beside eight of them", async () => {
    const dashboard = await openDashboard();
    onTestFinished(() => dashboard.close());
    const { context, svc } = dashboard;
    const pages = [dashboard.page];
    let streams = 0;
    context.on("request", (request) => (streams += request.url().includes("/v1/events") ? 1 : 0));
    for (let n = 0; n < 7; n++) {
      const page = await context.newPage();
      await page.goto(`${svc.url}/__svc/#/flows`);
      await page.getByTestId("stream-status").getByText("Live").waitFor({ state: "attached" });
      pages.push(page);
    }
    expect(streams, "opened by the first tab alone").toBe(0);
    const app = await context.newPage();
    const redirect = encodeURIComponent(`${svc.url}/__svc/signed-in`);
    await app.goto(`${svc.url}/oauth/authorize?provider=google&redirect_uri=${redirect}`);
    await app.getByTestId("account-ada").click();
    await app.getByTestId("token").waitFor();
    for (const page of pages.slice(1)) await page.getByTestId("row").getByText("signed in").first().waitFor();

    // When the tab that reads the stream closes, another takes over.
    await pages[0]!.close();
    await expect.poll(() => streams).toBe(1);
    await signIn(svc, { provider: "github" });
    await pages[1]!.getByTestId("row").getByText("github").first().waitFor();
  });

  it("reports that the server is gone and recovers by itself with the same key, in two browsers", async () => {
    const directory = temporaryDirectory();
    const store = join(directory, "store.json");
    // Not one of the system's choice, which another program could be given while the server is stopped.
    const port = await freePort();
    const dashboard = await openDashboard({ store, port });
    onTestFinished(() => dashboard.browser.close());
    const other = await (await dashboard.browser.newContext()).newPage();
    await other.goto(await linkOf(dashboard.svc));
    const both = [dashboard.page, other];
    for (const page of both) await page.getByTestId("stream-status").getByText("Live").waitFor({ state: "attached" });
    await dashboard.svc.close();
    for (const page of both) await page.getByTestId("reconnecting").waitFor();
    const again = await serve({ port, store, providers: "simulated" });
    onTestFinished(() => again.close());
    for (const page of both) await page.getByTestId("reconnecting").waitFor({ state: "detached" });
    expect((await controlOf(again, "POST /users", { name: "New", email: "new@example.test" })).status).toBe(201);
    for (const page of both) {
      await page.goto(`${again.url}/__svc/#/users`);
      await page.getByText("new@example.test").first().waitFor();
    }
  });

  it("lists, searches and pages 100,000 users without loading them all", async () => {
    const dashboard = await openDashboard();
    onTestFinished(() => dashboard.close());
    const { page, visit } = dashboard;
    await generate(dashboard, 100_000);
    await visit("users");
    for (let number = 2; number <= 5; number++) {
      await page.getByTestId("next-page").click();
      await page.getByText(`Page ${number} · 50 of 10,000+ users`).waitFor();
      await settled(page);
    }
    expect(await page.getByTestId("row").count()).toBe(50);
    await page.getByTestId("query").fill("email:ada@acme.test");
    await page.getByTestId("row").getByText("ada@acme.test").waitFor();
    expect(await page.getByTestId("row").count()).toBe(1);
    if (process.env["SVC_MEASURE"]) {
      await page.goto("about:blank");
      await page.goto(`${dashboard.svc.url}/__svc/#/users`);
      await settled(page);
      const times = await page.evaluate(
        "[performance.now(), performance.memory.usedJSHeapSize, performance.getEntriesByType('navigation')[0].domInteractive]",
      );
      console.log("ms until the first page of users, heap in bytes, ms until interactive:", times);
    }
  });
});
