import { beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, settled, signIn, type Dashboard } from "../_dashboard.ts";

describe.skipIf(CHROMIUM === undefined && !process.env["CI"])("Why did Ada's sign-in fail?", () => {
  let on: Dashboard;
  beforeAll(async () => {
    on = await openDashboard();
    await signIn(on.svc, { provider: "github", as: "ada", outcome: "email_primary_not_verified" });
    for (const as of ["grace", "charles", "grace"])
      await signIn(on.svc, { provider: "google", as, outcome: "token_error" });
    return () => on.close();
  });

  it("is answered in two actions: a name on the overview, and a click on the row", async () => {
    const { page } = on;
    await on.visit("overview");
    await page.keyboard.press("/");
    await page.keyboard.type("Ada Lovelace");
    await page.keyboard.press("Enter");
    await settled(page);
    await page.getByRole("link", { name: "sessions", exact: true }).waitFor();
    await page.getByRole("link", { name: "users", exact: true }).click();
    await settled(page);
    await page.getByTestId("row").getByText("ada@acme.test").waitFor();
    await page.goBack();
    await settled(page);
    expect(await page.getByTestId("row").count()).toBe(1);
    await page
      .getByTestId("row")
      .getByText("As the outcome email_primary_not_verified asked: GitHub has no verified primary e-mail address")
      .waitFor();
    await page.getByTestId("row").getByRole("link").first().click();
    await settled(page);
    const failed = page.locator("li.failed");
    expect(await failed.locator("details[open] summary strong").textContent()).toBe("emails");
    const address = failed.locator(".facts > div").filter({ hasText: "ada@acme.test" });
    expect(await address.locator(".pill").allTextContents()).toEqual(["primary", "not verified"]);

    await page.getByText("Copy for an issue").click();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toMatch(/^```text\n[^]+failed here: As the outcome \w+ asked: GitHub has/);
  });

  it("the failures of a reason are counted, and lead to their sign-ins", async () => {
    const { page } = on;
    await on.visit("overview");
    const group = page
      .getByTestId("asked-for")
      .locator("a")
      .filter({ hasText: "Google's token endpoint answered 500" });
    expect(await group.locator(".pill").textContent()).toBe("3 ×");
    expect(await page.getByTestId("failure-rate").textContent()).toBe("–");
    await group.click();
    await settled(page);
    await expect.poll(() => page.getByTestId("row").count()).toBe(3);
    expect(on.faults).toEqual([]);
  });

  it("is on her page, with the sign-ins that failed before there was a user", async () => {
    const { page, control, visit } = on;
    const { user_id } = await signIn(on.svc);
    await visit(`users/${String(user_id)}`);
    // While the pointer is on a row, new ones wait.
    await page.mouse.move(0, 0);
    const results = page.getByTestId("user-sign-ins").locator(".pill");
    await expect.poll(() => results.allTextContents()).toEqual(["signed in", "email_not_verified"]);
    await signIn(on.svc, { outcome: "rate_limited" });
    await expect.poll(async () => (await results.allTextContents()).length).toBe(3);
    await page.getByText("All sign-ins of this user").click();
    await settled(page);
    await expect.poll(() => page.getByTestId("row").count()).toBe(3);
    await control("POST /sign-ins", { provider: "google", as: "grace" });
  });

  it("says that a scenario asked for it, and every view says that one waits", async () => {
    const { page, control, visit } = on;
    const banner = page.getByTestId("waiting-scenarios");
    await visit("requests");
    expect(await banner.count()).toBe(0);
    await control("POST /scenarios", { match: { provider: "github" }, outcome: "token_garbage" });
    await banner.getByText("A scenario waits. The next sign-in with GitHub ends with token_garbage.").waitFor();
    await visit("try-it");
    await banner.getByRole("link").click();
    await page.getByRole("heading", { name: "New scenario" }).waitFor();
    const { flow_id } = (await control("POST /sign-ins", { provider: "github" })).body as { flow_id: string };
    await banner.waitFor({ state: "detached" });
    await visit(`flows/${flow_id}`);
    await page.getByText("As the scenario token_garbage asked: GitHub's token endpoint answered 200").first().waitFor();
  });
});
