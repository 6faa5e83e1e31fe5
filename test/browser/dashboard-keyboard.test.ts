import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { generate, openDashboard, settled, signIn, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

describe.skipIf(CHROMIUM === undefined)("The dashboard, by keyboard,", () => {
  let dashboard: Dashboard;

  useFresh(
    async () => {
      dashboard = await openDashboard();
      for (const provider of ["google", "github"]) await signIn(dashboard.svc, { provider });
      await generate(dashboard, 120);
    },
    () => dashboard?.close(),
  );

  const hash = (): Promise<string> => dashboard.page.evaluate("location.hash");

  const FORMS: [view: string, opener: string | RegExp, title: RegExp, field: string][] = [
    ["users", "New user", /^New user$/, "Name"],
    ["instances", "New instance", /^New instance$/, "Name"],
    ["instances/acme", /^Use own credentials/, /^Own credentials for/, "Client id"],
    ["flows/latest", "Replay…", /^Run this sign-in again$/, "Outcome"],
  ];

  /** Opens a list, or a record of it: an instance by its subdomain, otherwise the latest. */
  async function open(view: string): Promise<void> {
    const { control, visit } = dashboard;
    const [list = "", record] = view.split("/");
    if (record === undefined) return visit(view);
    const rows = (await control(`GET /${list}`)).body as unknown as { id: string; data: { subdomain?: string } }[];
    await visit(`${list}/${(rows.find(({ data }) => data.subdomain === record) ?? rows[0]!).id}`);
  }

  it.each(FORMS)("puts the focus into the first field of a dialog in %s, and closes it on Escape", async (...form) => {
    const [view, opener, title, field] = form;
    const { page } = dashboard;
    await open(view);
    await page.getByRole("button", { name: opener }).first().click();
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.waitFor();
    expect(await dialog.locator(":focus").and(dialog.getByLabel(field)).count()).toBe(1);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("creates a user with Enter, and keeps what was typed if it is refused", async () => {
    const { page, visit } = dashboard;
    await visit("users");
    const dialog = page.getByRole("dialog", { name: "New user" });
    for (const expected of ["created", "refused"]) {
      await page.getByRole("button", { name: "New user" }).click();
      await page.keyboard.type("Mary Shelley");
      await page.keyboard.press("Tab");
      await page.keyboard.type("mary@keyboard.test");
      await page.keyboard.press("Enter");
      if (expected === "created") await page.getByTestId("row").getByText("mary@keyboard.test").waitFor();
      else await dialog.getByRole("alert").waitFor();
      expect(await dialog.count()).toBe(expected === "created" ? 0 : 1);
    }
    expect(await dialog.getByLabel("E-mail address").inputValue()).toBe("mary@keyboard.test");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("keeps the focus on Cancel where a dialog asks for confirmation, so that Enter deletes no one", async () => {
    const { page, visit } = dashboard;
    await visit("users?query=email:ada@acme.test");
    await page.getByTestId("row").first().click();
    await page.getByTestId("delete-user").click();
    await page.getByTestId("confirm").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await visit("users?query=email:ada@acme.test");
    await page.getByTestId("row").first().waitFor();
  });

  it("closes a dialog when the browser goes back", async () => {
    const { page, visit } = dashboard;
    await visit("overview");
    await visit("users");
    await page.getByTestId("row").first().getByRole("link").click();
    await page.getByTestId("edit-user").click();
    await page.getByRole("dialog", { name: "Edit user" }).waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(hash).toBe("#/users");
  });

  it("opens a row by its link, and comes back to the page of the list", async () => {
    const { page, visit } = dashboard;
    await visit("overview");
    await visit("users");
    await page.getByTestId("next-page").click();
    await page.getByText("51–100 of").waitFor();
    await settled(page);
    const id = await page.getByTestId("row").nth(3).getAttribute("data-id");
    await page.getByTestId("row").nth(3).getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("delete-user").waitFor();
    await page.goBack();
    await page.getByText("51–100 of").waitFor();
    await page.locator(`tr[data-id="${id!}"]`).waitFor();
  });

  it("reaches every row of a list with Tab, and shows where the focus is", async () => {
    const { page, visit } = dashboard;
    await visit("users");
    const link = page.getByTestId("row").first().getByRole("link");
    await link.focus();
    await page.keyboard.press("Tab");
    expect(await page.locator("tr:focus-within").count()).toBe(1);
    const second = await page.getByTestId("row").nth(1).getAttribute("data-id");
    expect(await page.evaluate("document.activeElement.closest('tr').dataset.id")).toBe(second);
    const outline = "getComputedStyle(document.activeElement, '::after').outlineStyle";
    expect(await page.evaluate(outline)).toBe("solid");
  });
});
