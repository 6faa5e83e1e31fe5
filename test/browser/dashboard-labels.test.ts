import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, overflow, signIn, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

describe.skipIf(CHROMIUM === undefined)("The dashboard's wording", () => {
  let on: Dashboard;
  useFresh(
    async () => {
      on = await openDashboard();
    },
    () => on?.close(),
  );

  it("says that the list of instances counts the users of all instances, while the list shows one instance", async () => {
    await on.visit("instances");
    await on.page.getByText("Users of all instances").waitFor();
    const count = on.page.getByTestId("count-users");
    expect(Number(await count.textContent())).toBeGreaterThan(0);
    await count.click();
    await on.page.getByTestId("row").first().waitFor();
    expect(await on.page.getByLabel("Instance").inputValue()).toBe(on.svc.instances[0]!.id);
  });

  it("distinguishes the account picker from the choice made there, and writes provider names in their own spelling", async () => {
    const redirect = encodeURIComponent(`${on.svc.url}/__svc/signed-in`);
    const application = await on.context.newPage();
    await application.goto(`${on.svc.url}/oauth/authorize?provider=github&redirect_uri=${redirect}`);
    await application.getByTestId("account-ada").click();
    await application.getByTestId("token").waitFor();
    await application.close();
    await on.visit("flows");
    await on.page.getByTestId("row").first().click();
    await on.page.getByRole("heading", { name: /^Sign-in with GitHub/ }).waitFor();
    const steps = on.page.getByTestId("step").filter({ hasText: "provider" });
    await expect
      .poll(async () => (await steps.allTextContents()).join())
      .toMatch(/shows the account picker.*signs in/s);
  });

  it("shows where a refused sign-in was to lead, and that its account will not be chosen any more", async () => {
    const app = "https://app.example.com/callback";
    const query = new URLSearchParams({ provider: "google", redirect_uri: `${app}#fragment` });
    await (await fetch(`${on.svc.url}/oauth/authorize?${query.toString()}`)).text();
    await on.visit("flows");
    const row = on.page.getByTestId("row").filter({ hasText: "invalid_redirect_uri" });
    expect(await row.textContent()).not.toContain("not chosen yet");
    await row.click();
    await on.page.getByText(`"redirect_uri": "${app}"`).waitFor();
    const shown = on.page.locator(".facts > div").filter({ hasText: app }).locator("dt");
    expect(await shown.allTextContents()).toEqual(["Asked", "Redirect URI"]);
  });

  it("lists the accounts in the order of the picker", async () => {
    await on.visit("try-it");
    const options = on.page.getByLabel("Account").locator("option");
    const first = async (): Promise<string[]> => (await options.allTextContents()).slice(0, 2);
    await expect.poll(first).toEqual(["The first one", "Ada Lovelace (ada@acme.test)"]);
  });

  it("counts one row as one, and shows no rows of the search before when a search is refused", async () => {
    await on.visit("users?query=email:ada@acme.test");
    expect(await on.page.getByTestId("page-info").textContent()).toBe("1 user");
    await on.visit("users?query=nickname:ada");
    await on.page.getByTestId("problem").getByText('Unknown field "nickname"').waitFor();
    await expect.poll(() => on.page.getByTestId("row").count()).toBe(0);
    await (await fetch(on.svc.url)).text();
    await on.visit("requests");
    await on.page.getByTestId("row").first().waitFor();
    await on.visit("requests?instance=deleted");
    await on.page.getByTestId("problem").getByText("Instance not found").waitFor();
    expect(await on.page.locator("[data-testid=row], [data-testid=empty]").count()).toBe(0);
  });

  it("darkens the whole window behind a dialog", async () => {
    await on.visit("users");
    await on.page.getByRole("button", { name: "New user" }).click();
    await on.page.getByRole("dialog").waitFor();
    const root = await on.page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    await on.page.keyboard.press("Escape");
    await on.page.getByRole("dialog").waitFor({ state: "detached" });
    const before = await on.page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    expect(root).not.toBe(before);
  });

  it("keeps a request and its reason in two lines each at 1280 px", async () => {
    const query = new URLSearchParams({ provider: "google", redirect_uri: `http://localhost/${"path/".repeat(40)}` });
    await (await fetch(`${on.svc.url}/oauth/authorize?${query.toString()}`, { redirect: "manual" })).text();
    await (await fetch(`${on.svc.url}/.well-known/openid-configuration?${"error=x&".repeat(8)}`)).text();
    await on.visit("requests");
    const measured = (expression: string): Promise<number[]> =>
      on.page.evaluate<number[]>(`[...document.querySelectorAll("tbody tr")].map((row) => ${expression})`);
    const heights = await measured("row.offsetHeight");
    expect(heights.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...heights)).toBeLessThan(96);
    const lines =
      "{ const text = new Range(); text.selectNodeContents(row.lastChild); return text.getClientRects().length; }";
    expect(new Set(await measured(lines)), "lines of its duration").toEqual(new Set([1]));
  });

  it.each([320, 360, 900, 1280])(
    "fits its pages into a window of %i px, where wide tables scroll by themselves",
    async (width) => {
      const as = "a.very.long.name.indeed@subdomain.example.test";
      // No time is written in more letters than one that is some ten minutes ago.
      await on.control("POST /clock/freeze", { at: new Date(Date.now() - 58 * 60_000).toISOString() });
      for (const outcome of ["success", "temporarily_unavailable"]) await signIn(on.svc, { as, outcome });
      await on.control("POST /clock/reset");
      await on.control("POST /scenarios", {
        outcome: "temporarily_unavailable",
        as,
        match: { browser: "long ".repeat(9) },
      });
      await on.page.setViewportSize({ width, height: 800 });
      for (const view of ["overview", "flows", "users", "sessions", "instances", "control?section=scenarios"]) {
        await on.visit(view);
        await on.page.getByTestId("row").first().waitFor();
        expect(await overflow(on.page), view).toBe(0);
        const strip = "innerWidth - document.querySelector('.topbar').getBoundingClientRect().right";
        expect(await on.page.evaluate<number>(strip), view).toBe(0);
      }
      await on.page.setViewportSize({ width: 1280, height: 800 });
    },
  );
});
