import { afterAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { generate, linkOf, openDashboard, overflow, settled, signIn, until, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

describe.skipIf(CHROMIUM === undefined)("The dashboard keeps", () => {
  let on: Dashboard;

  useFresh(
    async () => {
      on = await openDashboard();
      await generate(on, 60);
      for (const as of ["ada@acme.test", "grace@acme.test", "sofya"]) await signIn(on.svc, { as, provider: "github" });
      await (await fetch(on.svc.url)).text();
    },
    () => on?.close(),
  );
  afterAll(() => expect(on.faults).toEqual([]));

  it.each(["flows", "requests", "users", "sessions", "control?section=scenarios"])(
    "to one request for each list when %s opens",
    async (view) => {
      await on.visit(view);
      const asked: string[] = [];
      on.page.on("request", (request) => asked.push(request.url()));
      await on.page.reload();
      await settled(on.page);
      // What is asked again comes after the state, which is read when events arrive.
      await on.page.getByTestId("stream-status").getByText("Live").waitFor();
      await until(on.page, "performance.getEntriesByName(location.origin + '/__svc/v1/instances').length > 0");
      on.page.removeAllListeners("request");
      const lists = asked.filter((url) => url.includes("/v1/") && !url.includes("/v1/state"));
      expect(lists.filter((url, n) => lists.indexOf(url) !== n)).toEqual([]);
      expect(lists.some((url) => url.includes(`/v1/${/\w+$/.exec(view)![0]}`))).toBe(true);
    },
  );

  it("each row of a live list under the pointer until its reader resumes", async () => {
    const { page, visit, svc } = on;
    await visit("flows");
    const row = page.getByTestId("row").nth(1);
    const id = await row.getAttribute("data-id");
    await row.hover();
    for (let n = 0; n < 3; n++) await signIn(svc);
    await page.getByTestId("resume").getByText("3 new").waitFor();
    expect(await page.evaluate("document.querySelector('tbody tr:hover').dataset.id")).toBe(id);
    await page.getByTestId("resume").click();
    expect(await page.getByTestId("row").nth(4).getAttribute("data-id")).toBe(id);
    await page.mouse.move(0, 0);
  });

  it("the instance that was chosen, from a list to a form and to another list", async () => {
    const { page, visit } = on;
    await visit("users");
    const instance = page.getByLabel("Instance", { exact: true });
    await instance.selectOption({ label: "Globex" });
    await settled(page);
    await page.getByRole("button", { name: "New user" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.locator("select option:checked").textContent()).toBe("Globex");
    await dialog.getByLabel("Name").fill("Hank Scorpio");
    await dialog.getByLabel("E-mail address").fill("hank@globex.test");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByTestId("row").getByText("Hank Scorpio").waitFor();
    await page.getByRole("link", { name: "Sessions" }).click();
    await settled(page);
    expect(await page.locator(".filters select option:checked").textContent()).toBe("Globex");
    await page.locator(".filters select").selectOption({ label: "Acme" });
  });

  it("the search and the place in a list after a deletion", async () => {
    const { page, visit } = on;
    await visit("users?query=email:*example*");
    const rows = page.getByTestId("row");
    const [deleted, next] = [await rows.nth(4).getAttribute("data-id"), await rows.nth(5).getAttribute("data-id")];
    await rows.nth(4).getByRole("link").click();
    await page.getByTestId("delete-user").click();
    await page.getByTestId("confirm").click();
    await page.locator(`tr[data-id="${next!}"]`).waitFor();
    expect(decodeURIComponent(page.url())).toContain("query=email:*example*");
    expect(await page.locator(`tr[data-id="${deleted!}"]`).count()).toBe(0);
  });

  it("the address that was asked for without a key", async () => {
    const context = await on.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${on.svc.url}/__svc/#/users?query=name:ada`);
    await page.getByTestId("gate").waitFor();
    await page.goto(await linkOf(on.svc));
    await page.getByRole("heading", { name: "Users" }).waitFor();
    expect(await page.evaluate("location.hash")).toBe("#/users?query=name:ada");
    await context.close();
  });

  it("a token out of the address and the history", async () => {
    const { page, visit } = on;
    await visit("users?query=email:ada@acme.test");
    await page.getByTestId("row").getByRole("link").click();
    await page.getByTestId("mint").click();
    await page.getByRole("link", { name: "See why" }).click();
    await page.getByTestId("verdict").getByText("Valid.").waitFor();
    expect(await page.getByTestId("token").inputValue()).toMatch(/^eyJ/);
    expect(page.url()).toMatch(/#\/try-it$/);
  });

  it.each(["instances", "control?section=clock"])("a way on when %s can't be read", async (view) => {
    const { page } = on;
    const isState = (url: URL): boolean => url.pathname.endsWith("/v1/state");
    await page.route(isState, (route) => route.fulfill({ status: 500, json: { error: "Internal error" } }));
    await page.goto(`${on.svc.url}/__svc/#/${view}`);
    await page.reload();
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.unroute(isState);
    await again.click();
    await again.waitFor({ state: "detached" });
    await page.locator("table, [data-testid=clock]").waitFor();
  });

  it("its navigation and a way on when a view fails", async () => {
    const { page, visit } = on;
    await visit("overview");
    const isUsers = (url: URL): boolean => url.pathname.endsWith("/v1/users");
    await page.route(isUsers, (route) => route.fulfill({ json: [{ id: "1", data: {} }] }));
    await page.getByRole("link", { name: "Users", exact: true }).click();
    await page.getByText("This view failed").waitFor();
    await page.unroute(isUsers);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByTestId("row").first().waitFor();
  });

  it.each(["users", "sessions", "flows", "requests", "instances"])(
    "every column of %s in a narrow window that the row's page does not have, each with its title",
    async (view) => {
      const { page, visit } = on;
      await visit(view);
      await page.getByTestId("row").first().waitFor();
      const titles = "[...document.querySelectorAll('th:not(.spare)')].map((each) => each.textContent)";
      const wide = await page.evaluate<string[]>(titles);
      for (const width of [375, 768, 900]) {
        await page.setViewportSize({ width, height: 800 });
        const shown = await page.evaluate<number>(
          "[...document.querySelector('tbody tr').children].filter((cell) => cell.checkVisibility()).length",
        );
        expect([width, shown, await overflow(page)]).toEqual([width, wide.length, 0]);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  );
});
