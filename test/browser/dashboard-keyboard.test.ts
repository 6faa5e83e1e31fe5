import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { generate, linkOf, openDashboard, settled, signIn, type Dashboard } from "../_dashboard.ts";
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

  const focusedRow = (): Promise<string | null> =>
    dashboard.page.evaluate("document.activeElement?.closest('tr')?.dataset.id ?? null");
  const hash = (): Promise<string> => dashboard.page.evaluate("location.hash");

  it("focuses the search on / and lists the keys on ?", async () => {
    const { page, visit } = dashboard;
    await visit("users");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.dataset.testid")).toBe("query");
    expect(await page.getByTestId("query").inputValue()).toBe("");
    await page.keyboard.type("?");
    expect(await page.getByTestId("query").inputValue(), "typed, not taken as a shortcut").toBe("?");
    await page.getByTestId("query").fill("");
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  const KEYS: [key: string, init: string, focused: string][] = [
    ["Ctrl+K", `{ key: "k", ctrlKey: true }`, "palette"],
    ["/", `{ key: "/" }`, "query"],
    ["?", `{ key: "?" }`, "close-dialog"],
  ];

  it.each(KEYS)("sends the key after %s to what it opened, however soon it comes", async (_, init, focused) => {
    const { page, visit } = dashboard;
    await visit("users");
    // Between two keys a browser finishes its microtasks, but need not paint.
    const active = await page.evaluate<string>(`(async () => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { ...${init}, bubbles: true, cancelable: true }));
      for (let n = 0; n < 10; n++) await undefined;
      return document.activeElement.dataset.testid;
    })()`);
    expect(active).toBe(focused);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("opens the first match when keys follow each other without a pause", async () => {
    const { page, visit } = dashboard;
    await visit("overview");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("requ");
    await page.keyboard.press("Enter");
    await expect.poll(hash).toBe("#/requests");
  });

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
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(hash).toBe("#/overview");
  });

  it.each(["Control+k", "Meta+k"])("opens every view from the palette with %s", async (keys) => {
    const { page, visit } = dashboard;
    await visit("overview");
    await page.keyboard.press(keys);
    await page.getByTestId("palette").fill("move the cl");
    await page.keyboard.press("Enter");
    await expect.poll(hash).toBe("#/control?section=clock");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("offers a search for a typed e-mail address, and moves in the palette by arrows", async () => {
    const { page, visit } = dashboard;
    await visit("overview");
    await page.keyboard.press("Control+k");
    await page.getByTestId("palette").fill("ada@acme.test");
    // The users that are found come above it.
    await page.getByRole("option", { name: /^Ada Lovelace/ }).waitFor();
    await page.getByRole("option", { name: "Search users for ada@acme.test" }).click();
    await expect.poll(hash).toBe("#/users?query=email%3Aada%40acme.test");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(hash).toBe("#/instances");
  });

  it("moves through rows with the arrows, opens one with Enter and returns to it with Escape", async () => {
    const { page, visit } = dashboard;
    await visit("users?query=email:*@acme.test");
    await page.getByTestId("row").first().focus();
    const first = await focusedRow();
    await page.keyboard.press("ArrowDown");
    const second = await focusedRow();
    expect(second).not.toBe(first);
    await page.keyboard.press("Enter");
    await page.getByTestId("delete-user").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(focusedRow).toBe(second);
    expect(await hash(), "with the search that was made").toBe("#/users?query=email:*@acme.test");
  });

  it("returns to the row's page too", async () => {
    const { page, visit } = dashboard;
    await visit("overview");
    await visit("users");
    await page.getByTestId("next-page").click();
    await page.getByText("Page 2 ·").waitFor();
    await settled(page);
    await page.getByTestId("row").nth(3).focus();
    const row = await focusedRow();
    await page.keyboard.press("Enter");
    await page.getByTestId("delete-user").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Page 2 ·").waitFor();
    await expect.poll(focusedRow).toBe(row);
  });

  it.each([
    ["Macintosh; Intel Mac OS X 10_15_7", "⌘K"],
    ["X11; Linux x86_64", "Ctrl K"],
    ["Windows NT 10.0; Win64; x64", "Ctrl K"],
  ])("names the keys of %s", async (platform, keys) => {
    const { browser, svc } = dashboard;
    const context = await browser.newContext({ userAgent: `Mozilla/5.0 (${platform}) Chrome/130.0.0.0` });
    const page = await context.newPage();
    await page.goto(await linkOf(svc));
    expect(await page.getByTestId("open-palette").locator("kbd").textContent()).toBe(keys);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText(keys, { exact: true }).waitFor();
    await context.close();
  });

  it("leaves the arrows for scrolling when no row has the focus", async () => {
    const { page, visit } = dashboard;
    await visit("users");
    await page.locator("h1").click();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(0);
  });

  it("completes fields, explains the search in words and reports its errors", async () => {
    const { page, visit } = dashboard;
    await visit("sessions");
    const words = page.getByTestId("query-words");
    await page.keyboard.press("/");
    await page.keyboard.type("prov");
    await page.getByRole("option", { name: /^provider/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByTestId("query").inputValue()).toBe("provider:");
    await page.keyboard.type("git");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByTestId("query").inputValue()).toBe("provider:github");
    await expect.poll(() => words.textContent()).toMatch(/^Shows sessions .*provider.*github/);
    await page.getByTestId("query").fill("nmae:ada");
    await expect.poll(() => words.textContent()).toMatch(/^Unknown field "nmae"\..* Did you mean "name"\?$/);
    await page.getByTestId("query").fill("ada");
    await page.getByRole("option", { name: "name:*ada*" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => words.textContent()).toMatch(/^"ada" is not .* To find it within a name: name:\*ada\*$/);
    expect(await page.getByTestId("query").getAttribute("aria-invalid")).toBe("true");
  });

  it("completes the providers of users, and says whether two bounds are a range", async () => {
    const { page, visit } = dashboard;
    await visit("users");
    const words = page.getByTestId("query-words");
    await page.keyboard.press("/");
    await page.keyboard.type("provider:n");
    await page.getByRole("option", { name: /^null/ }).waitFor();
    await page.getByTestId("query").fill("provider:git");
    await page.getByRole("option", { name: /^github/ }).click();
    await expect.poll(() => words.textContent()).toBe('Shows users whose providers include "github".');
    await page.getByTestId("query").fill("created_at<2026-01-10 created_at>2026-03-04");
    await expect.poll(() => words.textContent()).toMatch(/these do not overlap, so either is enough/);
    await page.getByTestId("query").fill("created_at>2026-01-10 created_at<2026-03-04");
    await expect.poll(() => words.textContent()).toMatch(/\(a range\)\.$/);
  });

  it("has its views behind a button named Menu below 700 px", async () => {
    const { page, visit } = dashboard;
    await page.setViewportSize({ width: 699, height: 800 });
    await visit("overview");
    await page.getByRole("link", { name: "Flows", exact: true }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Flows", exact: true }).click();
    await expect.poll(hash).toBe("#/flows");
    await page.getByRole("link", { name: "Flows", exact: true }).waitFor({ state: "hidden" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("link", { name: "Flows", exact: true }).waitFor();
  });
});
