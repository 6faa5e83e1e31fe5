import { describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { linkOf, openDashboard, signIn, until, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

describe.skipIf(CHROMIUM === undefined)("Everyday work in the dashboard", () => {
  let on: Dashboard;
  useFresh(
    async () => {
      on = await openDashboard();
    },
    () => on?.close(),
  );

  const hash = (): Promise<string> => on.page.evaluate<string>("location.hash");
  const focused = (): Promise<string> => on.page.evaluate<string>("document.activeElement.textContent");

  it("shows a failure that is older than the sign-ins of the first page, and counts all sign-ins in the chart", async () => {
    await signIn(on.svc, { as: "charles@acme.test", outcome: "rate_limited" });
    await signIn(on.svc, { as: "charles@acme.test", outcome: "access_denied" });
    await signIn(on.svc, { as: "alan", provider: "github" });
    for (let n = 0; n < 101; n++) await signIn(on.svc);
    await on.visit("overview");
    await on.page.getByTestId("failures").getByText("GitHub has no verified primary e-mail address").waitFor();
    await on.page.getByText("1 of 102 sign-ins failed unexpectedly, last hour · 2 failed as asked").waitFor();
    expect(await on.page.getByTestId("failures").locator("li").count(), "what was asked for is none").toBe(1);
    await on.page
      .getByTestId("asked-for")
      .getByText(/Google limits the rate: try again in \d+ seconds\.$/)
      .waitFor();
  });

  it("names each time of its chart once, for every time span", async () => {
    await on.visit("overview");
    const labels = "[...document.querySelectorAll('.chart title')].map((one) => one.textContent.slice(0, 5))";
    for (const span of ["Last 15 minutes", "Last hour", "Last day"]) {
      await on.page.getByLabel("Time span").selectOption(span);
      await until(
        on.page,
        `document.querySelector("[aria-label='Time span']").selectedOptions[0].textContent === "${span}"`,
      );
      const all = await on.page.evaluate<string[]>(labels);
      expect(new Set(all).size, span).toBe(all.length);
    }
  });

  it("shows a sign-in on the overview that arrived while someone had scrolled down", async () => {
    await on.visit("overview");
    await on.page.setViewportSize({ width: 1280, height: 400 });
    await on.page.evaluate("scrollTo(0, 300)");
    await until(on.page, "scrollY > 24");
    await signIn(on.svc, { as: "scrolled@acme.test" });
    await on.page.getByText("scrolled@acme.test").first().waitFor();
    await on.page.setViewportSize({ width: 1280, height: 800 });
  });

  it("keeps the focus on a button that works or becomes unavailable", async () => {
    await signIn(on.svc);
    await on.visit("sessions?query=email:ada@acme.test");
    await on.page.getByRole("button", { name: "Revoke" }).first().focus();
    await on.page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Restore");
    await on.visit("control?section=clock");
    await on.page.getByRole("button", { name: "+10 min" }).click();
    const back = on.page.getByRole("button", { name: "Back to real time" });
    await back.focus();
    await on.page.keyboard.press("Enter");
    await until(
      on.page,
      "document.activeElement.ariaDisabled === 'true' && document.activeElement.ariaBusy === 'false'",
    );
    expect(await focused()).toBe("Back to real time");
  });

  it("leaves the focus in the content when the row that had it is removed", async () => {
    await on.control("POST /scenarios", { outcome: "access_denied", match: { browser: "no such" } });
    await on.visit("control?section=scenarios");
    await on.page.getByTestId("row").getByRole("button", { name: "Remove" }).focus();
    await on.page.keyboard.press("Enter");
    await expect.poll(() => on.page.evaluate<string>("document.activeElement.id")).toBe("main");
  });

  it("shows exact times in UTC or in local time, in every view, and remembers which", async () => {
    const context = await on.browser.newContext({ timezoneId: "Asia/Tokyo" });
    const page = await context.newPage();
    await page.goto(await linkOf(on.svc));
    await page.getByTestId("stream-status").getByText("Live").waitFor();
    await on.control("POST /sign-ins", { provider: "github", as: "ada" });
    const [{ data }] = (await on.control("GET /flows?limit=1")).body as [{ data: { started_at: string } }];
    const at = (hours: number): string =>
      new Date(Date.parse(data.started_at) + hours * 3_600_000).toISOString().slice(11, 19);
    await page.goto(`${on.svc.url}/__svc/#/flows`);
    const first = page.locator("tbody .stacked").first();
    await first.getByText(`${at(0)} UTC`).waitFor();
    await page.getByTestId("zone").click();
    await first.getByText(`${at(9)} GMT+9`).waitFor();
    await page.reload();
    await first.getByText(`${at(9)} GMT+9`).waitFor();
    await page.goto(`${on.svc.url}/__svc/#/control?section=clock`);
    await page.getByTestId("clock").getByText("GMT+9").waitFor();
    await page.getByLabel("Set it to (GMT+9)").fill("2030-01-31T12:00:00");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await expect.poll(async () => (await on.control("GET /clock")).body.now).toMatch(/^2030-01-31T03:00/);
    await on.control("POST /clock/reset");
    await page.getByTestId("zone").click();
    await page.getByTestId("clock").getByText("UTC").waitFor();
    await context.close();
  });

  it("finds users by a word, by the beginning of an address, and by a query, and says what is wrong with one", async () => {
    await on.visit("users");
    const search = on.page.getByTestId("filter-query");
    const names = (): Promise<string[]> => on.page.locator("tbody .person b").allTextContents();
    for (const text of ["Lovelace", "ada@acme", "email:ada@acme.test"]) {
      await search.fill("nobody");
      await on.page.getByTestId("empty").waitFor();
      await search.fill(text);
      await expect.poll(names).toContain("Ada Lovelace");
    }
    await search.fill("nmae:ada");
    await on.page.getByTestId("problem").getByText('Unknown field "nmae"').waitFor();
    await expect.poll(hash).toBe("#/users?query=nmae%3Aada");
  });

  it("shows beside a field what the server refuses there, and sets the focus on it", async () => {
    await on.visit("users");
    await on.page.getByRole("button", { name: "New user" }).click();
    await on.page.getByLabel("Name", { exact: true }).fill("Ada");
    const email = on.page.getByLabel("E-mail address");
    await email.fill("ada@acme.test");
    await on.page.getByRole("button", { name: "Create", exact: true }).click();
    await expect.poll(() => email.getAttribute("aria-invalid")).toBe("true");
    const explained = await on.page.evaluate<string>(
      "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent",
    );
    expect(explained).toBe('Another user of the instance has "ada@acme.test".');
    expect(await on.page.getByRole("dialog").getByRole("alert").count()).toBe(1);
    await on.page.keyboard.press("Escape");
  });

  it("names the record in the title of the page", async () => {
    await on.visit("users?query=email:ada@acme.test");
    await expect.poll(() => on.page.title()).toBe("Users · svc");
    await on.page.getByTestId("row").first().click();
    await expect.poll(() => on.page.title()).toBe("Ada Lovelace · svc");
  });

  it("follows the text size that is set in the browser, as the other pages do", async () => {
    const size = "parseFloat(getComputedStyle(document.body).fontSize)";
    const page = await on.context.newPage();
    const session = await on.context.newCDPSession(page);
    await session.send("Page.enable");
    for (const path of ["/__svc/", "/"]) {
      await page.goto(on.svc.url + path);
      await session.send("Page.setFontSizes", { fontSizes: { standard: 16 } });
      const normal = await page.evaluate<number>(size);
      await session.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
      await expect.poll(() => page.evaluate<number>(size), { message: path }).toBe(normal * 2);
    }
    await page.close();
  });
});

describe.skipIf(CHROMIUM === undefined)("The dashboard before it is there", () => {
  let on: Dashboard;
  useFresh(
    async () => {
      on = await openDashboard();
    },
    () => on?.close(),
  );

  it("draws its frame before its script has come", async () => {
    const page = await on.context.newPage();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/dashboard.js", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${on.svc.url}/__svc/`, { waitUntil: "commit" });
    await page.locator(".sidebar .brand").waitFor();
    answer();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await page.locator(".sidebar").count()).toBe(1);
    await page.close();
  });

  it("says without JavaScript what to use instead, and nothing else", async () => {
    const context = await on.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${on.svc.url}/__svc/`);
    await page.getByRole("heading", { name: "The dashboard needs JavaScript" }).waitFor();
    expect(await page.locator(".placeholder").isVisible()).toBe(false);
    await context.close();
  });

  it("asks in the middle of the window to be opened by a link, with the command to copy", async () => {
    const context = await on.browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${on.svc.url}/__svc/`);
    const box = await page.getByTestId("gate").boundingBox();
    expect(box!.x + box!.width / 2).toBeCloseTo(640, 0);
    await page.getByRole("button", { name: "Copy: Command" }).waitFor();
    await context.close();
  });
});
