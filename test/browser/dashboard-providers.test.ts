import { afterAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";
import { APP } from "../_setup.ts";

const CLIENT = { client_id: "our-client", client_secret: "our-secret" };
const BLOG = { name: "Blog", subdomain: "blog", redirect_uris: [APP] };

describe.skipIf(CHROMIUM === undefined)("The dashboard of a server with --providers real", () => {
  let dashboard: Dashboard;
  useFresh(
    async () => {
      const shop = { ...BLOG, name: "Shop", subdomain: "shop", connections: { twitter: CLIENT } };
      dashboard = await openDashboard({
        providers: "real",
        credentials: { github: CLIENT },
        seed: {
          instances: [
            { ...BLOG, default_provider: "github" },
            { ...shop, default_provider: "twitter" },
          ],
        },
      });
    },
    () => dashboard?.close(),
  );
  afterAll(() => expect(dashboard.faults).toEqual([]));

  it("tries the providers of the chosen instance only", async () => {
    const { page, visit } = dashboard;
    await visit("try-it");
    const provider = page.getByLabel("Provider", { exact: true });
    const offered = (): Promise<string[]> => provider.locator("option").allTextContents();
    expect(await offered()).toEqual(["GitHub"]);
    await page.getByLabel("Instance", { exact: true }).selectOption({ label: "Shop" });
    await expect.poll(offered).toEqual(["GitHub", "Twitter"]);
    await provider.selectOption("twitter");
    await page.getByLabel("Instance", { exact: true }).selectOption({ label: "Blog" });
    await expect.poll(offered).toEqual(["GitHub"]);
    expect(await provider.inputValue()).toBe("github");
  });

  it("shows which providers are off, and has nothing to test there", async () => {
    const { page, visit, svc } = dashboard;
    await visit(`instances/${svc.instances[0]!.id}`);
    const google = page.getByTestId("connection-google");
    await google.getByText("off", { exact: true }).waitFor();
    expect(await google.getByRole("button").allTextContents()).toEqual(["Use own credentials…"]);
    expect(await page.getByTestId("connection-github").getByRole("button", { name: "Test" }).count()).toBe(1);
  });
});
