import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, settled, type Dashboard } from "../_dashboard.ts";
import { failTenTimes, type Failed } from "../_ten-failures.ts";

describe.skipIf(CHROMIUM === undefined && !process.env["CI"])("Of ten failures, five asked for, the dashboard", () => {
  let on: Dashboard;
  let failed: readonly Failed[];
  beforeAll(async () => {
    on = await openDashboard();
    failed = await failTenTimes(on.svc);
    return () => on.close();
  });

  it("says on the overview which were asked for, by whom, and why each failed", async () => {
    const { page, visit } = on;
    await visit("overview");
    const reasons = async (list: string): Promise<string[]> =>
      (await page.getByTestId(list).locator(".reason > span").allTextContents()).toSorted();
    const begins = (isAsked: boolean): string[] =>
      failed
        .filter(({ asker }) => (asker !== undefined) === isAsked)
        .map(({ asker, why }) => (asker === undefined ? why : `${asker}: ${why}`))
        .toSorted();
    for (const [list, isAsked] of [
      ["failures", false],
      ["asked-for", true],
    ] as const) {
      const wanted = begins(isAsked);
      const shown = (await reasons(list)).map((reason, n) => reason.slice(0, wanted[n]?.length));
      expect(shown).toEqual(wanted);
    }
    // One of six that were to succeed did.
    expect(await page.getByTestId("failure-rate").textContent()).toBe("83 %");
    await page.getByText("5 of 6 sign-ins failed unexpectedly").waitFor();
  });

  it("lists the unexpected ones alone", async () => {
    const { page, visit } = on;
    await visit("overview");
    await page.getByRole("link", { name: "All failures" }).click();
    await settled(page);
    await expect.poll(() => page.getByTestId("row").count()).toBe(5);
  });

  it("finds a failed callback among the requests, and svc's own only if asked", async () => {
    const { page, visit } = on;
    await visit("requests?status=failed");
    const callback = page.getByTestId("row").filter({ hasText: "/oauth/github/callback" }).first();
    expect(await callback.locator(".pill").textContent()).toBe("302 failed");
    expect(await callback.textContent()).toContain("GitHub · Acme");
    const own = page.getByTestId("row").filter({ hasText: "/__svc/v1/" });
    await visit("requests");
    expect(await own.count()).toBe(0);
    await page.getByRole("combobox", { name: "svc's own" }).selectOption("true");
    await own.first().waitFor();
  });

  it("has a refused start's request on its page, and says when a sign-in was abandoned", async () => {
    const { page, control, visit } = on;
    const refused = failed.find(({ why }) => why.startsWith("The redirect_uri was refused"))!;
    await visit(`flows/${refused.id}`);
    await page.getByTestId("row").filter({ hasText: "/oauth/authorize" }).waitFor();
    const start = `${on.svc.url}/oauth/authorize?provider=google&redirect_uri=http://localhost:3000/callback`;
    await fetch(start, { redirect: "manual" });
    await visit("flows");
    await page.getByTestId("row").getByText("in progress").first().waitFor();
    await control("POST /clock/advance", { by: "61m" });
    await visit("overview");
    const row = page.getByTestId("row").first();
    expect(await row.locator(".pill").textContent()).toBe("abandoned");
    expect(await row.locator("td").last().textContent()).toBe("–");
    await page.getByText("No sign-ins in this period").waitFor();
    await page
      .getByTestId("clock-chip")
      .getByText(/61 min ahead.*seems 61 min older/)
      .waitFor();
    expect(on.faults).toEqual([]);
  });

  it("adds, changes and removes a client of one's own, with what a library needs", async () => {
    const { page, control, visit } = on;
    await visit("instances/acme");
    await page.getByTestId("new-client").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("At the simulated").selectOption("github");
    await dialog.getByLabel("Client id").fill("web");
    await dialog.getByLabel("Client secret").fill("web-secret");
    await dialog.getByLabel("Callbacks").fill("http://localhost:3000/a\nhttp://localhost:3000/b");
    await dialog.getByRole("button", { name: "Save" }).click();
    const row = page.getByTestId("row").filter({ hasText: "web" });
    await row.getByText("back to http://localhost:3000/a, http://localhost:3000/b").waitFor();
    expect(await row.textContent()).not.toContain("web-secret");
    await row.getByText("Copy for a library").click();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toMatch(/^GITHUB_CLIENT_ID=web\nGITHUB_CLIENT_SECRET=web-secret\n[^]+GITHUB_TOKEN_URL=http/);
    await row.getByRole("button", { name: "Edit…" }).click();
    await dialog.getByLabel("Callbacks").fill("http://localhost:3000/c");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("back to http://localhost:3000/c").waitFor();
    await row.getByRole("button", { name: "Remove…" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await row.waitFor({ state: "detached" });
    expect((await control("GET /instances/acme/clients")).body.map(({ id }: { id: string }) => id)).toEqual(["shop"]);
  });
});
