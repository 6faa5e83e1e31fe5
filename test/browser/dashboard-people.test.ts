import { afterAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { generate, openDashboard, settled, signIn, violations, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

interface Listed {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe.skipIf(CHROMIUM === undefined)("In the dashboard, users, instances and personas", () => {
  let on: Dashboard;

  useFresh(
    async () => {
      on = await openDashboard();
      await generate(on, 120);
      await on.control("POST /users", { name: "हिन्दी नाम", email: "hindi@acme.test" });
    },
    () => on?.close(),
  );
  afterAll(() => expect(on.faults).toEqual([]));

  const names = (): Promise<string[]> => on.page.locator("tbody .person b").allTextContents();
  const list = async (path: string): Promise<Listed[]> => (await on.control(`GET ${path}`)).body as unknown as Listed[];

  it.each([
    ["Ada Lovelace", "Ada Lovelace"],
    ["lovelace ada", "Ada Lovelace"],
    ["हिन्दी नाम", "हिन्दी नाम"],
  ])("are found by the words %s", async (typed, name) => {
    const { page, visit } = on;
    await visit("overview");
    await visit("users");
    await page.keyboard.press("/");
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
    await expect.poll(names).toEqual([name]);
    expect(await page.getByTestId("query").inputValue()).toBe(typed);
    expect(await page.getByTestId("query").getAttribute("aria-invalid")).toBe("false");
    await page.getByTestId("query-words").getByText("whose name contains").waitFor();
  });

  it("are sorted by a column, over all pages, and counted", async () => {
    const { page, visit } = on;
    await visit("overview");
    await visit("users");
    const all = await list("/users?limit=1000");
    await page.getByTestId("page-info").getByText(`50 of ${all.length} users`).waitFor();
    const sorted = all
      .map(({ data }) => data["name"] as string)
      .toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    await page.getByRole("button", { name: "User", exact: true }).click();
    await expect.poll(async () => (await names())[0]).toBe(sorted[0]);
    await page.getByTestId("next-page").click();
    await expect.poll(async () => (await names())[0]).toBe(sorted[50]);
    await page.getByRole("button", { name: "User", exact: true }).click();
    await expect.poll(async () => (await names())[0]).toBe(sorted.at(-1));
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
    expect(await violations(page)).toEqual([]);
  });

  it("are deleted several at once", async () => {
    const { page, visit } = on;
    await visit("users?query=email:*example*");
    const before = (await list("/users?limit=1000")).length;
    const rows = page.getByTestId("row");
    const kept = await rows.nth(2).getAttribute("data-id");
    const boxes = rows.getByRole("checkbox", { checked: true });
    await page.getByLabel("Select all rows of this page").check();
    await expect.poll(() => boxes.count()).toBe(await rows.count());
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => boxes.count()).toBe(0);
    await rows.nth(0).getByRole("checkbox").check();
    await rows.nth(1).focus();
    await page.keyboard.press("Space");
    await page.getByTestId("selection").getByText("2 users selected").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByTestId("delete-selected").click();
    await page.getByTestId("confirm").click();
    await expect.poll(() => rows.first().getAttribute("data-id")).toBe(kept);
    expect((await list("/users?limit=1000")).length).toBe(before - 2);
    expect(await page.getByTestId("selection").count()).toBe(0);
  });

  it("are edited, show their sign-ins, and lose all their sessions", async () => {
    const { page, visit, svc } = on;
    await signIn(svc, { as: "grace@acme.test" });
    await signIn(svc, { as: "grace@acme.test", provider: "github" });
    const [grace] = await list("/users?query=email:grace@acme.test");
    await visit(`users/${grace!.id}`);
    expect(await page.getByTestId("user-sign-ins").getByTestId("row").count()).toBe(2);
    await page.getByTestId("edit-user").click();
    await page.getByLabel("Name", { exact: true }).fill("Grace Brewster Hopper");
    await page.getByLabel("The address is verified").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Grace Brewster Hopper" }).waitFor();
    const { data } = (await on.control(`GET /users/${grace!.id}`)).body as unknown as Listed;
    expect([data["email_verified"], data["avatar_url"]]).toEqual([true, grace!.data["avatar_url"]]);
    await page.getByTestId("revoke-all").click();
    await page.getByTestId("confirm").click();
    await page.getByText("sessions revoked").waitFor();
    const sessions = await list(`/sessions?query=${encodeURIComponent(`user_id:${grace!.id} active:true`)}`);
    expect(sessions).toEqual([]);
  });

  it("are renamed and deleted as instances", async () => {
    const { page, visit } = on;
    await on.control("POST /instances", { name: "Initech", subdomain: "initech" });
    await on.control("POST /users", { instance: "initech", email: "peter@initech.test" });
    await visit("instances");
    await page.getByRole("link", { name: "Initech" }).click();
    await page.getByTestId("edit-instance").click();
    await page.getByLabel("Name", { exact: true }).fill("Initrode");
    await page.getByLabel("Subdomain").fill("initrode");
    await page.getByLabel("For preview deployments").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Initrode" }).getByText("previews").waitFor();
    const added = page.getByTestId("redirect-uris");
    await added.getByLabel("Add an address").fill("https://app-*-team.vercel.app/callback");
    await added.getByRole("button", { name: "Add", exact: true }).click();
    await added.getByText("anyone can claim a name under vercel.app").waitFor();
    await added.getByLabel("Add an address").fill("https://*.preview.acme.dev/callback");
    await added.getByRole("button", { name: "Add", exact: true }).click();
    await added.getByRole("button", { name: "Remove https://*.preview.acme.dev/callback" }).waitFor();
    await page.getByTestId("delete-instance").click();
    await page.getByRole("dialog").getByText("With 1 user,").waitFor();
    await page.getByTestId("confirm").click();
    await page.getByRole("heading", { name: "Instances" }).waitFor();
    expect((await list("/instances")).map(({ data }) => data["name"])).not.toContain("Initrode");
  });

  it("sends credentials to addresses that are typed in", async () => {
    const { page, visit } = on;
    const [{ id }] = (await list("/instances?limit=1")) as [Listed];
    await visit(`instances/${id}`);
    await page.getByTestId("connection-github").getByRole("button", { name: "Use own credentials…" }).click();
    await page.getByLabel("Client id").fill("own");
    await page.getByLabel("Client secret").fill("secret");
    await page.getByText("Addresses of the provider").click();
    await page.getByLabel("token", { exact: true }).fill("https://ghe.corp.test/token");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { data } = (await on.control(`GET /instances/${id}`)).body as unknown as Listed;
    expect(data["connections"]).toMatchObject({ github: { endpoints: { token: "https://ghe.corp.test/token" } } });
    await on.control(`DELETE /instances/${id}/connections/github`);
  });

  it("are added, changed and deleted as personas, without JSON", async () => {
    const { page, visit } = on;
    await visit("control?section=personas");
    await page.getByTestId("new-persona").click();
    await page.getByLabel("Name", { exact: true }).fill("Mary Shelley");
    await page.getByLabel("E-mail address").fill("mary@example.test");
    await page.getByLabel("Has an account at Twitter").uncheck();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const row = page.getByTestId("row").filter({ hasText: "Mary Shelley" });
    await row.waitFor();
    await settled(page);
    expect(await row.locator(".pill").allTextContents()).toEqual(["Google", "GitHub"]);
    await row.getByRole("button", { name: "Edit…" }).click();
    await page.getByRole("button", { name: "Add to GitHub emails" }).click();
    await page.getByLabel("GitHub emails 2 email").fill("second@example.test");
    await page.getByLabel("GitHub emails 2 verified").check();
    await page.getByLabel("Google email_verified").uncheck();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const personas = await list("/personas?limit=200");
    expect(personas.find(({ data }) => data["email"] === "mary@example.test")!.data).toMatchObject({
      google: { email_verified: false },
      github: { emails: [{ verified: true }, { email: "second@example.test", primary: false, verified: true }] },
    });
    await row.getByRole("button", { name: "Delete…" }).click();
    await page.getByTestId("confirm").click();
    await row.waitFor({ state: "detached" });
  });
});
