import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, type Dashboard } from "../_dashboard.ts";

describe.skipIf(CHROMIUM === undefined)("The dashboard's wording", () => {
  let on: Dashboard;
  beforeAll(async () => {
    on = await openDashboard();
  });
  afterAll(() => on?.close());

  it("says that the overview counts the users of all instances, while the list shows one instance", async () => {
    await on.visit("overview");
    const card = on.page.getByRole("link", { name: /^Users of all instances/ });
    expect(Number(await on.page.getByTestId("count-users").textContent())).toBeGreaterThan(0);
    await card.click();
    await on.page.getByTestId("row").first().waitFor();
    expect(await on.page.getByLabel("Instance").inputValue()).toBe(on.svc.instances[0]!.id);
  });

  it("distinguishes the account picker from the choice made there, and writes provider names in their own spelling", async () => {
    const redirect = encodeURIComponent(`${on.svc.url}/__svc/signed-in`);
    const application = await on.context.newPage();
    await application.goto(`${on.svc.url}/oauth/authorize?provider=github&redirect_uri=${redirect}`);
    await application.getByTestId("account-ada").click();
    await application.close();
    await on.visit("flows");
    await on.page.getByTestId("row").first().click();
    await on.page.getByRole("heading", { name: /^Sign-in with GitHub/ }).waitFor();
    const steps = on.page.getByTestId("step").filter({ hasText: "provider" });
    await expect
      .poll(async () => (await steps.allTextContents()).join())
      .toMatch(/shows the account picker.*signs in/s);
  });
});
