import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { CHROMIUM } from "../_browser.ts";
import { controlOf, generate, linkOf, openDashboard, settled, signIn } from "../_dashboard.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";

describe.skipIf(CHROMIUM === undefined)("The dashboard in many tabs", () => {
  it("has an event stream in each visible tab, none in a hidden one, and shows what that one missed", async () => {
    const dashboard = await openDashboard();
    onTestFinished(() => dashboard.close());
    const { page, svc } = dashboard;
    await page.goto(`${svc.url}/__svc/#/flows`);
    await settled(page);
    let open = 0;
    const isStream = (url: string): boolean => url.includes("/v1/events");
    page.on("request", (request) => (open += isStream(request.url()) ? 1 : 0));
    for (const event of ["requestfailed", "requestfinished"] as const)
      page.on(event as "requestfailed", (request) => (open -= isStream(request.url()) ? 1 : 0));
    const see = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(`{
        Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }`);
    await see(true);
    await expect.poll(() => open).toBe(-1);
    await signIn(svc, { provider: "github" });
    expect(await page.getByTestId("row").count()).toBe(0);
    await see(false);
    await page.getByTestId("row").getByText("GitHub").first().waitFor();
    expect(open).toBe(0);
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

  it("lists, searches and pages 20,000 users without loading them all", async () => {
    const dashboard = await openDashboard();
    onTestFinished(() => dashboard.close());
    const { page, visit } = dashboard;
    await generate(dashboard, 20_000);
    await visit("users");
    for (let number = 2; number <= 5; number++) {
      await page.getByTestId("next-page").click();
      const first = 50 * (number - 1) + 1;
      await page.getByText(new RegExp(`^${first}–${first + 49} of 20,0\\d\\d users$`)).waitFor();
      await settled(page);
    }
    expect(await page.getByTestId("row").count()).toBe(50);
    await page.getByTestId("filter-query").fill("email:ada@acme.test");
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
