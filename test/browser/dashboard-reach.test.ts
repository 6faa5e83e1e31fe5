import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { generate, linkOf, openDashboard, signIn, until, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

const run = promisify(execFile);

describe.skipIf(CHROMIUM === undefined)("The dashboard", () => {
  let on: Dashboard;

  useFresh(
    async () => {
      on = await openDashboard();
      await generate(on, 120);
      await signIn(on.svc, { provider: "github", as: "grace@acme.test" });
      await signIn(on.svc);
      await (await fetch(on.svc.url)).text();
    },
    () => on?.close(),
  );

  const active = (expression: string): Promise<string> =>
    on.page.evaluate<string>(`document.activeElement.${expression}`);

  it("signs in by a link that is opened in a tab with the dashboard's own page", async () => {
    const context = await on.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${on.svc.url}/__svc/`);
    const gate = page.getByTestId("gate");
    await gate.waitFor();
    const [top, height] = await page.evaluate<number[]>(
      "(({ top, height }) => [top, height])(document.querySelector('.gate .panel').getBoundingClientRect())",
    );
    const middle = await page.evaluate<number>("innerHeight / 2");
    expect(Math.abs(top! + height! / 2 - middle), "pixels from the middle of the window").toBeLessThan(2);
    await page.goto(await linkOf(on.svc));
    await page.getByTestId("stream-status").getByText("Live").waitFor();
    await page.goto(`${on.svc.url}/__svc/#code=used`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.evaluate("localStorage.setItem('svc_dashboard_key', 'dsh_0.0.0')");
    await page.reload();
    await gate.getByText("refused this browser's key").waitFor();
    await page.goto(`${on.svc.url}/__svc/#code=used`);
    await gate.getByText("This link was already used").waitFor();
    expect(await page.evaluate("location.hash")).toBe("#/");
    await context.close();
  });

  it("has no link in its navigation that leads nowhere", async () => {
    await on.visit("overview");
    const addresses = await on.page.evaluate<string[]>(
      "[...document.querySelectorAll('nav a')].map(({ href }) => href)",
    );
    expect(addresses.length).toBeGreaterThan(8);
    for (const address of addresses) expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    for (const address of addresses.filter((one) => one.includes("#"))) {
      await on.page.goto(address);
      await on.page.getByRole("heading", { level: 1 }).waitFor();
      expect(await on.page.getByText("not found").count(), address).toBe(0);
    }
  });

  it("ends below the last panel of the overview", async () => {
    const { page, visit } = on;
    await visit("overview");
    await page.getByTestId("row").first().waitFor();
    const below =
      "document.documentElement.scrollHeight - scrollY - document.querySelector('main').getBoundingClientRect().bottom";
    await expect.poll(() => page.evaluate<number>(below)).toBeLessThan(1);
  });

  it.each(["flows", "requests", "instances", "users", "sessions"])(
    "has a link in every row of %s, to open it in another tab",
    async (view) => {
      const { page, visit, context } = on;
      await visit(view);
      const row = page.getByTestId("row").first();
      await row.waitFor();
      const before = page.url();
      const opened = context.waitForEvent("page");
      await row
        .getByRole("link")
        .first()
        .click({ modifiers: ["Control"] });
      const other = await opened;
      await other.getByRole("link", { name: "Back to the list" }).waitFor();
      await other.close();
      expect(page.url()).toBe(before);
      await row.getByRole("link").first().focus();
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Back to the list" }).waitFor();
    },
  );

  it("signs in as a user, and says so when the sign-in fails", async () => {
    const { page, visit, control } = on;
    await visit("users?query=email:3001@twitter.invalid");
    await page.getByTestId("row").first().click();
    await page.getByRole("button", { name: "Sign in with Twitter" }).click();
    await page.getByTestId("notice-good").getByText("Signed in").waitFor();
    const unverified = [{ email: "grace@acme.test", primary: true, verified: false }];
    await control("PATCH /personas/grace", { github: { id: 2101, login: "ghopper", emails: unverified } });
    await visit("users?query=email:grace@acme.test");
    await page.getByTestId("row").first().click();
    await page.getByRole("button", { name: "Sign in with GitHub" }).click();
    await page.getByTestId("notice-bad").getByText("Not signed in: email_not_verified").waitFor();
    await page.getByRole("heading", { name: /^Sign-in with GitHub/ }).waitFor();
  });

  it("has its views behind a button in a narrow window, and what is live beside it", async () => {
    const { page, visit } = on;
    await page.setViewportSize({ width: 375, height: 700 });
    await visit("users");
    const menu = page.getByRole("button", { name: "Menu" });
    const links = page.locator(".nav-link");
    expect([await menu.getAttribute("aria-expanded"), await links.first().isVisible()]).toEqual(["false", false]);
    await page.getByTestId("stream-status").getByText("Live").waitFor();
    await menu.focus();
    await page.keyboard.press("Enter");
    for (let n = 0; n < (await links.count()); n++) await page.keyboard.press("Tab");
    expect(await active("textContent")).toBe("Try it");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Try it" }).waitFor();
    expect(await links.first().isVisible()).toBe(false);
    await visit("flows");
    const result = page.getByRole("combobox", { name: "Result" });
    expect(await result.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filters" }).click();
    await result.selectOption("error");
    await page.getByRole("button", { name: "Filters (1)" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await until(page, "location.hash === '#/flows'");
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("has the sections of Control at addresses of their own", async () => {
    const { page, visit } = on;
    await visit("control");
    const sections = page.getByRole("navigation", { name: "Sections" });
    await sections.getByRole("link", { name: "Data" }).press("Enter");
    await until(page, "location.hash === '#/control?section=data'");
    await page.getByTestId("save-snapshot").waitFor();
    expect(await sections.locator("[aria-current=page]").textContent()).toBe("Data");
    await page.goBack();
    await page.getByTestId("create-scenario").waitFor();
    expect(await sections.locator("[aria-current=page]").textContent()).toBe("Scenarios");
  });

  it("shows what is chosen with forced colors", async () => {
    const { page, visit } = on;
    await page.emulateMedia({ forcedColors: "active" });
    await visit("control");
    for (const chosen of [".nav-link", ".tabs a"]) {
      const colors = await page.evaluate<string[]>(
        `[...document.querySelectorAll("${chosen}")].map((one) => getComputedStyle(one).backgroundColor)`,
      );
      expect(new Set(colors).size, chosen).toBe(2);
    }
    await page.emulateMedia({ forcedColors: "none" });
  });

  it("cuts a name off at its end, in a script from right to left too", async () => {
    const { page, visit, control, svc } = on;
    const [first, name] = ["نورة", "نورة بنت عبد العزيز آل سعود صاحبة الاسم الطويل جدا في كل القوائم"];
    const email = "noura@riyadh.test";
    await control("POST /personas", { name, email, google: { sub: "9001", email_verified: true } });
    await signIn(svc, { as: email });
    const showsItsStart = `(() => {
      const element = [...document.querySelectorAll("main b")].find(({ textContent }) => textContent === "${name}");
      const range = document.createRange();
      range.setStart(element.firstChild, 0);
      range.setEnd(element.firstChild, ${first.length});
      const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
      return text.left >= box.left - 1 && text.right <= box.right + 1 && element.scrollWidth > element.clientWidth;
    })()`;
    await page.setViewportSize({ width: 360, height: 800 });
    await visit(`users?query=email:${email}`);
    await page.getByTestId("row").getByText(name).waitFor();
    expect(await page.evaluate<boolean>(showsItsStart)).toBe(true);
    await page.goto(`${svc.url}/oauth/authorize?provider=google&redirect_uri=${encodeURIComponent(`${svc.url}/x`)}`);
    expect(await page.evaluate<boolean>(showsItsStart)).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("names a field by its label alone, and describes it by its hint or its error", async () => {
    const { page, visit, control } = on;
    const instances = (await control("GET /instances")).body as { id: string }[];
    await visit(`instances/${instances[0]!.id}`);
    const field = page.getByRole("textbox", { name: "Add an address", exact: true });
    const described = (): Promise<string> =>
      page.evaluate<string>(
        "document.getElementById(document.querySelector('[data-testid=redirect-uris] input').getAttribute('aria-describedby')).textContent",
      );
    expect(await described()).toContain("Matched exactly.");
    expect(await field.getAttribute("aria-invalid")).toBe(null);
    await field.fill("https://app.example.com/#fragment");
    await page.keyboard.press("Enter");
    await page.getByTestId("redirect-uris").getByRole("alert").waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await described()).toContain("fragment");
  });

  it("asks before it deletes a snapshot", async () => {
    const { page, visit, control } = on;
    await control("POST /snapshots", { name: "kept" });
    const count = async (): Promise<number> => ((await control("GET /snapshots")).body as unknown[]).length;
    const before = await count();
    await visit("control?section=data");
    const row = page.getByRole("row", { name: "kept" });
    await row.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog", { name: "Delete the snapshot kept?" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await count()).toBe(before);
    await row.getByRole("button", { name: "Delete…" }).click();
    await page.getByTestId("confirm").click();
    await row.waitFor({ state: "detached" });
    expect(await count()).toBe(before - 1);
  });

  it("copies a request to the control API as a curl command that runs with the keys of svc env", async () => {
    const { page, visit, svc, control } = on;
    const { headers } = await control("GET /clock");
    await visit(`requests/${headers.get("request-id")}`);
    await page.getByText("Its body was not recorded.").waitFor();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("curl: copied").waitFor();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(command).not.toContain(svc.control_key);
    const { stdout } = await run("sh", ["-c", `${command} -s`], {
      env: { PATH: process.env["PATH"], SVC_CONTROL_KEY: svc.control_key },
    });
    expect(JSON.parse(stdout)).toMatchObject({ mode: "real" });
  });
});
