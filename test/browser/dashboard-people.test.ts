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
    await page.getByTestId("filter-query").fill(typed);
    await page.keyboard.press("Enter");
    await expect.poll(names).toEqual([name]);
    expect(await page.getByTestId("filter-query").inputValue()).toBe(typed);
  });

  it("are counted, and paged", async () => {
    const { page, visit } = on;
    await visit("overview");
    await visit("users");
    const all = (await list("/users?limit=1000")).length;
    await page.getByTestId("page-info").getByText(`1–50 of ${all} users`).waitFor();
    await page.getByTestId("next-page").click();
    await page.getByTestId("page-info").getByText(`51–100 of ${all} users`).waitFor();
    await page.getByTestId("next-page").click();
    await page.getByTestId("page-info").getByText(`101–${all} of ${all} users`).waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByTestId("page-info").getByText(`51–100 of ${all} users`).waitFor();
    expect(await violations(page)).toEqual([]);
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
    await page.getByLabel("To confirm, type initrode").fill("initech");
    await page.getByTestId("confirm").click();
    expect(
      (await list("/instances")).map(({ data }) => data["name"]),
      "only by its name",
    ).toContain("Initrode");
    await page.getByLabel("To confirm, type initrode").fill("initrode");
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

  it("are added, changed and deleted as personas, as JSON that the server checks", async () => {
    const { page, visit } = on;
    await visit("control?section=personas");
    await page.getByTestId("new-persona").click();
    const field = page.getByLabel("Persona", { exact: true });
    await field.fill('{ "name": "Mary Shelley" ');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").getByText("This is not JSON").waitFor();
    await field.fill('{ "name": "Mary Shelley", "email": "mary" }');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("alert").getByText("must be an e-mail address").waitFor();
    await field.fill('{ "name": "Mary Shelley", "email": "mary@example.test" }');
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const row = page.getByTestId("row").filter({ hasText: "Mary Shelley" });
    await row.waitFor();
    await settled(page);
    expect(await row.locator(".pill").allTextContents()).toEqual(["Google", "GitHub", "Twitter"]);
    await row.getByRole("button", { name: "Edit…" }).click();
    const { twitter: _, ...rest } = JSON.parse(await field.inputValue()) as Record<string, object>;
    await field.fill(JSON.stringify({ ...rest, google: { ...rest["google"], email_verified: false } }));
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const personas = await list("/personas?limit=200");
    const { data } = personas.find((one) => one.data["email"] === "mary@example.test")!;
    expect([data["google"], data["twitter"]]).toEqual([expect.objectContaining({ email_verified: false }), undefined]);
    await row.getByRole("button", { name: "Delete…" }).click();
    await page.getByTestId("confirm").click();
    await row.waitFor({ state: "detached" });
  });
});
