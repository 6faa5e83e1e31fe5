import { afterAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { openDashboard, signIn, violations, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

describe.skipIf(CHROMIUM === undefined)("The palette", () => {
  let on: Dashboard;

  useFresh(
    async () => {
      on = await openDashboard();
      await on.control("POST /users", { name: "Zoë O’Neill-शर्मा", email: "zoe@acme.test" });
    },
    () => on?.close(),
  );
  afterAll(() => expect(on.faults).toEqual([]));

  const open = async (text: string): Promise<void> => {
    await on.visit("overview");
    await on.page.keyboard.press("Control+k");
    await on.page.getByTestId("palette").fill(text);
  };
  const option = (name: string) => on.page.getByRole("option", { name });

  it.each(["zoë", "O’Neill", "शर्मा", "o’neill zoë", "zoe@"])("finds a user by %s", async (text) => {
    await open(text);
    await option("zoe@acme.test").click();
    await on.page.getByRole("heading", { name: "Zoë O’Neill-शर्मा" }).waitFor();
  });

  it("finds an entry by letters that are not together, before others", async () => {
    await open("frz");
    await option("Freeze the clock").waitFor();
    expect(await violations(on.page)).toEqual([]);
    await on.page.getByTestId("palette").fill("ada");
    await option("ada@acme.test").first().waitFor();
    const first = on.page.locator("#palette-list [role=option]").first();
    expect(await first.textContent(), "users before letters that are far apart").toContain("Ada");
    await on.page.getByTestId("palette").fill("inst");
    expect(await on.page.locator("#palette-list [role=option]").first().textContent()).toContain("Instances");
  });

  it("stops the clock, moves it and starts it", async () => {
    await open("freeze");
    await on.page.keyboard.press("Enter");
    const chip = on.page.getByTestId("clock-chip");
    await chip.getByText("Frozen at").waitFor();
    const before = Date.parse(String((await on.control("GET /clock")).body["now"]));
    await on.page.keyboard.press("Control+k");
    await on.page.getByTestId("palette").fill("+2h");
    await on.page.keyboard.press("Enter");
    await expect
      .poll(async () => Date.parse(String((await on.control("GET /clock")).body["now"])) - before)
      .toBe(7_200_000);
    await on.page.keyboard.press("Control+k");
    await on.page.getByTestId("palette").fill("real time");
    await on.page.keyboard.press("Enter");
    await chip.waitFor({ state: "detached" });
  });

  it("offers to revoke the sessions of whom is named after the verb", async () => {
    await on.visit("overview");
    await on.page.keyboard.press("Control+k");
    await on.page.getByTestId("palette").fill("revoke ada");
    await on.page.locator("#palette-list [role=option]").first().getByText("Revoke all sessions of Ada").click();
    await on.page.getByRole("heading", { name: "Revoke all sessions of ada@acme.test?" }).waitFor();
    await on.page.keyboard.press("Escape");
  });

  it("lets a token expire that is on the page", async () => {
    await on.visit("try-it");
    await on.page.getByTestId("run-sign-in").click();
    const verdict = on.page.getByTestId("verdict");
    await verdict.getByText("Valid.", { exact: true }).waitFor();
    await on.page.keyboard.press("Control+k");
    await on.page.getByTestId("palette").fill("advance 2 h");
    await on.page.keyboard.press("Enter");
    await verdict.getByText("Not valid.").waitFor();
    expect(await verdict.innerText()).toContain("Token expired");
    await on.control("POST /clock/reset");
  });

  it("opens the form of a new user, and runs a sign-in", async () => {
    await open("new user");
    await on.page.keyboard.press("Enter");
    await on.page.getByRole("dialog", { name: "New user" }).waitFor();
    await on.page.keyboard.press("Escape");
    await on.page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await on.page.evaluate("location.hash")).toBe("#/users");
    await open("run a sign");
    await on.page.keyboard.press("Enter");
    await on.page.getByRole("heading", { name: /^Sign-in with/ }).waitFor();
  });

  it("revokes the sessions of a user that it found", async () => {
    await signIn(on.svc);
    await open("ada@");
    await option("Revoke all sessions of Ada Lovelace").click();
    await on.page.getByTestId("confirm").click();
    await on.page.getByText(/sessions? of ada@acme\.test revoked/).waitFor();
    const active = await on.control(`GET /sessions?query=${encodeURIComponent("email:ada@acme.test active:true")}`);
    expect(active.body).toEqual([]);
  });
});
