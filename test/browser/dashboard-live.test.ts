import { afterAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, signIn, violations, type Dashboard } from "../_dashboard.ts";
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
    const steps = page.getByText("No sign-ins yet");
    await visit("overview");
    await steps.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "try it", exact: true }).click();
    await page.getByTestId("run-sign-in").click();
    await page.getByRole("link", { name: "See every step" }).click();
    await page.getByRole("heading", { name: /^Sign-in with Google/ }).waitFor();
    await page.getByTestId("step").first().waitFor();
    await visit("overview");
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
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByTestId("show-older").click();
    await expect.poll(() => rows.count()).toBe(100);
    await page.getByTestId("show-older").click();
    await expect.poll(() => rows.count()).toBe(130);
    expect(await rows.last().textContent()).toContain("/walked/0");
    expect(await page.getByTestId("show-older").isDisabled()).toBe(true);
    await (await fetch(`${svc.url}/walked/last`)).text();
    await page.getByTestId("resume").click();
    await expect.poll(() => rows.first().textContent()).toContain("/walked/last");
    expect(await rows.count(), "what is older is a click away again").toBe(50);
    await page.getByTestId("show-older").click();
    await expect.poll(() => rows.count()).toBe(100);
  });

  it("filters the requests while the user types a part of the path", async () => {
    const { page, visit, svc } = dashboard;
    for (let n = 1; n < 30; n++) await (await fetch(`${svc.url}/typed/${n}`)).text();
    await visit("requests");
    await page.getByTestId("filter-path").pressSequentially("typed/2");
    await expect.poll(() => page.getByTestId("row").count()).toBe(11);
    expect(page.url()).toContain("path=typed%2F2");
  });

  it("shows a sign-in that ended while the list was loading", async () => {
    const { page, visit, svc } = dashboard;
    await visit("overview");
    let id: unknown;
    await page.route(
      (url) => url.pathname.endsWith("/v1/flows"),
      async (route) => {
        const answer = await route.fetch();
        // After this response was made, and before the page has it: its event comes first.
        id ??= (await signIn(svc)).flow_id;
        await page.evaluate("new Promise((resolve) => setTimeout(resolve, 700))");
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
    await visit("instances");
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

  it("leads from Try it to the account picker, and shows the sign-in under Sign-ins", async () => {
    const { page, visit, context, control } = dashboard;
    await visit("try-it");
    await page.getByLabel("Provider").selectOption("github");
    const [tab] = await Promise.all([context.waitForEvent("page"), page.getByTestId("open-window").click()]);
    await tab.getByTestId("account-grace").click();
    await tab.getByTestId("token").waitFor();
    await tab.close();
    await visit("flows");
    await page.getByTestId("row").first().getByText("Grace Hopper").waitFor();
    await page.getByTestId("row").first().getByText("signed in").waitFor();
    await visit("try-it");
    await page.getByLabel("Instance", { exact: true }).selectOption({ label: "Globex" });
    const [{ data }] = (await control("GET /instances/globex").then(({ body }) => [body])) as [
      { data: { redirect_uris: string[] } },
    ];
    await page.getByText("the sign-in ends at your application").getByText(data.redirect_uris[0]!).waitFor();
  });
});
