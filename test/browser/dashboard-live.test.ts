import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, signIn, until, violations, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

describe.skipIf(CHROMIUM === undefined)("The live dashboard", () => {
  let dashboard: Dashboard;

  useFresh(
    async () => {
      dashboard = await openDashboard();
    },
    () => dashboard?.close(),
  );
  afterAll(() => expect(dashboard.faults).toEqual([]));

  it("leads to a first sign-in and shows users once there are some", async () => {
    const { page, visit, svc } = dashboard;
    const steps = page.getByRole("heading", { name: "Your first sign-in" });
    await visit("overview");
    await steps.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByTestId("first-sign-in").click();
    await page.getByTestId("what-it-did").getByText("Valid.").waitFor();
    await page.getByText("Add it to your application").click();
    expect(await violations(page)).toEqual([]);
    await signIn(svc);
    await page.getByTestId("row").first().waitFor();
    await visit("users");
    await visit("overview");
    await page.getByTestId("row").first().waitFor();
    expect(await steps.count()).toBe(0);
  });

  it("pages back through the requests", async () => {
    const { page, visit, svc } = dashboard;
    for (let n = 0; n < 130; n++) await (await fetch(`${svc.url}/walked/${n}`)).text();
    await visit("requests?path=/walked/");
    const rows = page.getByTestId("row");
    await expect.poll(() => rows.count()).toBe(100);
    await page.getByTestId("show-older").click();
    await expect.poll(() => rows.count()).toBe(130);
    expect(await rows.last().textContent()).toContain("/walked/0");
    expect(await page.getByTestId("show-older").isDisabled()).toBe(true);
    await (await fetch(`${svc.url}/walked/last`)).text();
    await page.getByTestId("resume").click();
    await expect.poll(() => rows.first().textContent()).toContain("/walked/last");
    expect(await rows.count(), "nothing falls off the end").toBe(131);
  });

  it("filters the requests while the user types a part of the path", async () => {
    const { page, visit, svc } = dashboard;
    for (let n = 1; n < 30; n++) await (await fetch(`${svc.url}/typed/${n}`)).text();
    await visit("requests");
    await page.keyboard.press("/");
    await page.keyboard.type("typed/2");
    await expect.poll(() => page.getByTestId("row").count()).toBe(11);
    expect(page.url()).toContain("path=typed%2F2");
  });

  it("shows a sign-in that ended while the list was loading", async () => {
    const { page, visit, svc } = dashboard;
    await visit("overview");
    await page.evaluate(`{
      window.ended = 0;
      window.events = new BroadcastChannel("svc_events");
      events.onmessage = ({ data }) => { if (data.event?.data.result === "token") ended++; };
    }`);
    let id: unknown;
    await page.route(
      (url) => url.pathname.endsWith("/v1/flows"),
      async (route) => {
        const answer = await route.fetch();
        // After this response was made, and before the page has it.
        id ??= (await signIn(svc)).flow_id;
        await until(page, "ended > 0");
        await route.fulfill({ response: answer });
      },
    );
    await visit("flows");
    await expect.poll(() => id).toBeDefined();
    await page.locator(`tr[data-id="${String(id)}"]`).waitFor();
    await page.unrouteAll({ behavior: "wait" });
  });

  it("requests the state in a visible tab only, and in another one when it becomes visible", async () => {
    const { page, visit, control } = dashboard;
    await visit("overview");
    const count = page.getByTestId("count-users");
    await expect.poll(() => count.textContent()).toMatch(/^\d+$/);
    const before = Number(await count.textContent());
    const see = (isHidden: boolean): Promise<unknown> =>
      page.evaluate(`{
        Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }`);
    const asked: string[] = [];
    await see(true);
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await control("POST /users", { name: "Hidden", email: "hidden@example.test" });
    // Longer than the dashboard waits for further changes.
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 1000))");
    expect(asked.filter((path) => path.endsWith("/state"))).toEqual([]);
    await see(false);
    await expect.poll(async () => Number(await count.textContent())).toBe(before + 1);
  });

  describe("in its sign-in window", () => {
    const opened = async (): Promise<Page> => {
      const { page, visit } = dashboard;
      await visit("try-it");
      await page.getByLabel("Provider").selectOption("github");
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.getByTestId("open-window").click()]);
      await popup.getByTestId("account-ada").waitFor();
      return popup;
    };

    it("signs in as the chosen account and shows the redirect, the claims and the verification", async () => {
      const { page } = dashboard;
      const popup = await opened();
      await popup.getByTestId("account-ada").click();
      const result = page.getByTestId("sign-in-result");
      await result.getByText("Valid.", { exact: true }).waitFor();
      const text = await result.textContent();
      expect(text).toContain("/__svc/signed-in?token=eyJ");
      expect(text).toContain("ada@acme.test");
      expect(text).toContain('"provider": "github"');
      await popup.close();
    });

    it("shows the error of a cancelled sign-in", async () => {
      const { page } = dashboard;
      const popup = await opened();
      await popup.getByTestId("cancel").click();
      const result = page.getByTestId("sign-in-result");
      await result.getByText("?error=access_denied").waitFor();
      await popup.close();
    });

    it("ends at the application if the instance lists one, which alone gets the token", async () => {
      const { page, visit, context } = dashboard;
      await context.route("http://localhost:4000/**", (route) =>
        route.fulfill({ contentType: "text/html", body: "<h1>The application</h1>" }),
      );
      await visit("try-it");
      await page.getByLabel("Instance", { exact: true }).selectOption({ label: "Globex" });
      await page.getByText("The window ends at your application").waitFor();
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.getByTestId("open-window").click()]);
      await popup.getByTestId("account-ada").click();
      await popup.getByText("The application").waitFor();
      await page.getByTestId("sign-in-result").getByText("signed in", { exact: true }).waitFor();
      expect(await page.getByTestId("sign-in-result").textContent()).not.toContain("eyJ");
      await popup.close();
    });

    it("can be reopened after the window was closed early", async () => {
      const { page } = dashboard;
      await (await opened()).close();
      await expect.poll(() => page.getByTestId("open-window").isEnabled()).toBe(true);
      await (await opened()).close();
    });
  });
});
