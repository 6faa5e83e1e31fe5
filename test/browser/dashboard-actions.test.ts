import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../_browser.ts";
import { followSignIn } from "../_control.ts";
import { openDashboard, settled, signIn, type Dashboard } from "../_dashboard.ts";
import { useFresh } from "../_fresh.ts";

const run = promisify(execFile);

describe.skipIf(CHROMIUM === undefined)("The dashboard", () => {
  let dashboard: Dashboard;
  let acme: { id: string; secret_key: string };

  useFresh(
    async () => {
      dashboard = await openDashboard();
      acme = dashboard.svc.instances.find(({ subdomain }) => subdomain === "acme")!;
    },
    () => dashboard?.close(),
  );
  afterAll(() => expect(dashboard.faults).toEqual([]));

  const button = (name: string | RegExp): ReturnType<Dashboard["page"]["getByRole"]> =>
    dashboard.page.getByRole("button", { name, exact: typeof name === "string" });
  const copied = (): Promise<string> => dashboard.page.evaluate("navigator.clipboard.readText()");
  const userId = async (email: string): Promise<string> =>
    (await dashboard.control(`GET /users?query=email:${email}`)).body[0]?.id as string;

  it("reveals, hides, copies and rotates a secret key, and says what stops working", async () => {
    const { page, visit } = dashboard;
    await visit(`instances/${acme.id}`);
    const key = page.getByTestId("secret-key");
    expect(await key.textContent()).toMatch(/^sk_•+$/);
    expect(await page.content()).not.toContain(acme.secret_key);
    await button("Reveal the secret key").click();
    await expect.poll(() => key.textContent()).toBe(acme.secret_key);
    await button("Hide").click();
    await expect.poll(() => key.textContent()).toMatch(/^sk_•+$/);
    await button("Copy: Secret key").click();
    await expect.poll(copied).toBe(acme.secret_key);

    const { token } = await signIn(dashboard.svc);
    await button("Rotate the secret key…").click();
    expect(await page.getByRole("dialog").textContent()).toContain("the new one. Every token issued so far");
    await page.getByTestId("confirm").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await button("Reveal the secret key").click();
    await expect.poll(() => key.textContent()).toMatch(/^sk_[\w-]{20,}$/);
    expect(await key.textContent()).not.toBe(acme.secret_key);
    const report = await dashboard.control("POST /tokens/verify", { token, instance: acme.id });
    expect(report.body.status).toBe(401);
  });

  it("keeps an old secret key for an hour when asked, and revokes it", async () => {
    const { page, visit } = dashboard;
    await visit(`instances/${acme.id}`);
    const { token } = await signIn(dashboard.svc);
    const status = async (): Promise<number> =>
      (await dashboard.control("POST /tokens/verify", { token, instance: acme.id })).body.status as number;
    await button("Rotate the secret key…").click();
    await page.getByLabel("Old secret key").selectOption("Verify its tokens for 1 hour");
    await page.getByTestId("confirm").click();
    await page.getByText("verifies until").waitFor();
    expect(await status()).toBe(200);
    await button("Revoke the old secret key").click();
    await page.getByText("verifies until").waitFor({ state: "detached" });
    expect(await status()).toBe(401);
  });

  it("asks before it deactivates an instance, and activates it at once", async () => {
    const { page, visit, control } = dashboard;
    await visit(`instances/${acme.id}`);
    const active = async (): Promise<boolean> =>
      (await control(`GET /instances/${acme.id}`)).body.data.active as boolean;
    await button("Deactivate…").click();
    expect(await page.getByRole("dialog").textContent()).toContain("can't sign in");
    expect(await active()).toBe(true);
    await page.getByTestId("confirm").click();
    await expect.poll(active).toBe(false);
    await button("Activate").click();
    await expect.poll(active).toBe(true);
  });

  it("adds and removes a redirect URI, and shows the server's error for an invalid one", async () => {
    const { page, visit, control } = dashboard;
    await visit(`instances/${acme.id}`);
    const panel = page.getByTestId("redirect-uris");
    const uris = async (): Promise<string[]> =>
      (await control(`GET /instances/${acme.id}`)).body.data.redirect_uris as string[];
    const before = await uris();
    await panel.getByRole("textbox").fill("https://app.example.com/callback");
    await panel.getByRole("button", { name: "Add" }).click();
    await expect.poll(uris).toEqual([...before, "https://app.example.com/callback"]);
    await panel.getByText("https://app.example.com/callback", { exact: true }).waitFor();

    const bad = "https://app.example.com/#fragment";
    const { body } = await control(`PATCH /instances/${acme.id}`, { redirect_uris: [bad] });
    await panel.getByRole("textbox").fill(bad);
    await panel.getByRole("button", { name: "Add" }).click();
    const sentence = await panel.getByRole("alert").textContent();
    expect(sentence?.toLowerCase()).toContain(String(body.error).split(": ").at(-1));
    expect(await panel.getByRole("textbox").inputValue(), "kept for correction").toBe(bad);

    await panel.getByRole("button", { name: "Remove https://app.example.com/callback" }).click();
    await expect.poll(uris).toEqual(before);
  });

  it("tests a connection, sets its credentials and removes them after a confirmation", async () => {
    const { page, visit } = dashboard;
    await visit(`instances/${acme.id}`);
    const github = page.getByTestId("connection-github");
    await github.getByRole("button", { name: "Test" }).click();
    await github.getByRole("status").waitFor();
    expect(await github.locator(".good-text").count()).toBe(1);
    await github.getByRole("button", { name: "Use own credentials…" }).click();
    await page.getByLabel("Client id").fill("an-own-client");
    await page.getByLabel("Client secret").fill("its-secret");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await github.getByText("an-own-client").waitFor();
    expect(await page.content()).not.toContain("its-secret");
    const dialog = page.getByRole("dialog");
    await github.getByRole("button", { name: "Remove…" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await github.getByText("an-own-client").count(), "kept until it is confirmed").toBe(1);
    await github.getByRole("button", { name: "Remove…" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await github.getByRole("button", { name: "Use own credentials…" }).waitFor();
  });

  it("keeps the addresses of a company's own server when its credentials change", async () => {
    const { page, visit, control } = dashboard;
    const endpoints = {
      authorize: "https://ghe.corp.test/login/oauth/authorize",
      token: "https://ghe.corp.test/login/oauth/access_token",
      user: "https://ghe.corp.test/api/v3/user",
      emails: "https://ghe.corp.test/api/v3/user/emails",
    };
    const path = `/instances/${acme.id}/connections/github`;
    await control(`PUT ${path}`, { client_id: "corp", client_secret: "old-secret", endpoints });
    await visit(`instances/${acme.id}`);
    await page.getByTestId("connection-github").getByRole("button", { name: "Change…" }).click();
    expect(await page.getByLabel("token", { exact: true }).inputValue()).toBe(endpoints.token);
    expect(await page.getByLabel("Client id").inputValue()).toBe("corp");
    await page.getByLabel("Client id").fill("corp-2");
    await page.getByLabel("Client secret").fill("new-secret");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByTestId("connection-github").getByText("corp-2").waitFor();
    const { body } = await control(`GET /instances/${acme.id}`);
    expect((body["data"] as { connections: object }).connections).toMatchObject({
      github: { client_id: "corp-2", endpoints },
    });
    await control(`DELETE ${path}`);
  });

  it("creates a user, shows an error beside its field, and deletes after a confirmation", async () => {
    const { page, visit } = dashboard;
    await visit("users");
    for (const expected of ["created", "refused"]) {
      await button("New user").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("<b>Mary</b>");
      await dialog.getByLabel("E-mail address").fill("mary@example.test");
      await dialog.getByRole("button", { name: "Create" }).click();
      if (expected === "created") await dialog.waitFor({ state: "detached" });
      else {
        await dialog.getByRole("alert").waitFor();
        await dialog.getByRole("button", { name: "Cancel" }).click();
      }
    }
    await page.getByTestId("row").filter({ hasText: "mary@example.test" }).getByRole("link").click();
    await page.getByRole("heading", { name: "Mary" }).waitFor();
    const id = await userId("mary@example.test");
    expect(page.url()).toContain(`#/users/${id}`);
    await page.getByTestId("delete-user").click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await userId("mary@example.test")).toBe(id);
    await page.getByTestId("delete-user").click();
    expect(await page.getByRole("dialog").textContent()).toContain("mary@example.test");
    await page.getByTestId("confirm").click();
    await expect.poll(() => userId("mary@example.test")).toBeUndefined();
    await expect.poll(() => page.evaluate("location.hash")).toBe("#/users");
  });

  it("revokes a session and restores it", async () => {
    const { page, visit, svc, control } = dashboard;
    const { user_id } = await signIn(svc, { provider: "google" });
    const query = `user_id:${user_id} provider:google ip_address:127.0.0.1`;
    await visit(`sessions?query=${encodeURIComponent(query)}`);
    const active = async (): Promise<boolean[]> =>
      ((await control(`GET /sessions?query=${encodeURIComponent(query)}`)).body as { data: { active: boolean } }[]).map(
        ({ data }) => data.active,
      );
    await page.getByTestId("row").first().waitFor();
    const before = await active();
    await page.getByTestId("row").first().getByRole("button", { name: "Revoke" }).click();
    await page.getByTestId("row").first().getByText("revoked").waitFor();
    expect(await active()).toEqual([false, ...before.slice(1)]);
    await page.getByTestId("row").first().getByRole("button", { name: "Restore" }).click();
    await page.getByTestId("row").first().getByText("revoked").waitFor({ state: "detached" });
    expect(await active()).toEqual(before);
  });

  it("exports the result of a search, without formulas in the CSV", async () => {
    const { page, visit, control } = dashboard;
    await control("POST /users", { name: '=HYPERLINK("https://evil.test")', email: "formula@export.test" });
    await control("POST /users", { name: "x\n=cmd|' /C calc'!A1;y", email: "lines@export.test" });
    await visit("users?query=email:*@export.test");
    const [download] = await Promise.all([page.waitForEvent("download"), button("Export CSV").click()]);
    const lines = (await readFile(await download.path(), "utf8")).trim().split(/[\r\n]+/);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`"x\\u{a}=cmd|' /C calc'!A1;y"`);
    expect(lines[2]).toContain(`"'=HYPERLINK(""https://evil.test"")"`);
    expect(download.suggestedFilename()).toBe("users.csv");
  });

  it("sets up a scenario that applies to the next sign-in", async () => {
    const { page, visit, svc } = dashboard;
    await visit("control?section=scenarios");
    await page.getByLabel("What happens").selectOption("access_denied");
    await page.getByLabel("At the provider").selectOption("github");
    await page.getByTestId("outcome-description").getByText("error=access_denied").waitFor();
    await page.getByTestId("create-scenario").click();
    await page.getByRole("row").getByText("provider github").waitFor();
    const redirect = encodeURIComponent(`${svc.url}/__svc/signed-in`);
    const end = await followSignIn(`${svc.url}/oauth/authorize?provider=github&redirect_uri=${redirect}`);
    expect(String(end)).toContain("error=access_denied");
    await page.getByRole("row").getByText("1 of 1").waitFor();
  });

  it("freezes and advances the clock, and shows on every view that it is not real time", async () => {
    const { page, visit, control } = dashboard;
    await visit("control?section=clock");
    await page.getByTestId("clock-chip").waitFor({ state: "detached" });
    await button("Freeze").click();
    await page.getByTestId("clock-chip").getByText("Frozen at").waitFor();
    const before = (await control("GET /clock")).body.now as string;
    await button("+1 h").click();
    await expect
      .poll(async () => Date.parse((await control("GET /clock")).body.now as string) - Date.parse(before))
      .toBe(3_600_000);
    for (const view of ["overview", "users", "flows", "requests", "try-it"]) {
      await visit(view);
      expect(await page.getByTestId("clock-chip").isVisible(), view).toBe(true);
    }
    await visit("control?section=clock");
    await button("Back to real time").click();
    await page.getByTestId("clock-chip").waitFor({ state: "detached" });
    expect((await control("GET /clock")).body.mode).toBe("real");
  });

  it("shows that another client moved the clock", async () => {
    const { page, visit, control } = dashboard;
    await visit("overview");
    await control("POST /clock/advance", { by: "10m" });
    await page.getByTestId("clock-chip").waitFor();
    await control("POST /clock/reset");
    await page.getByTestId("clock-chip").waitFor({ state: "detached" });
  });

  it("generates users, saves and restores a snapshot, and resets", async () => {
    const { page, visit, control } = dashboard;
    const count = async (): Promise<number> => (await control("GET /state")).body.users as number;
    await visit("control?section=data");
    await page.getByLabel("Save everything as").fill("before");
    await page.getByTestId("save-snapshot").click();
    await page.getByRole("row").getByText("before", { exact: true }).waitFor();
    const before = await count();
    await page.getByLabel("How many").fill("3000");
    await page.getByTestId("generate").click();
    await page.getByText("3,000 users made").waitFor();
    expect(await count()).toBe(before + 3000);
    await page.getByRole("row", { name: "before" }).getByRole("button", { name: "Restore…" }).click();
    await page.getByTestId("confirm").click();
    await expect.poll(count).toBe(before);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByLabel("What to reset").selectOption({ label: "Users and sessions of Globex" });
    await page.getByTestId("reset").click();
    await page.getByText("To undo this, restore Globex alone from it.").waitFor();
    await page.getByTestId("confirm").click();
    await expect.poll(async () => (await control("GET /users?instance=globex")).body).toEqual([]);
    await control("POST /users", { instance: "acme", email: "meanwhile@acme.test" });
    await page.getByRole("row", { name: "previous-2" }).getByRole("button", { name: "Restore…" }).click();
    await page.getByLabel("What to restore").selectOption({ label: "Users and sessions of Globex" });
    await page.getByTestId("confirm").click();
    await expect.poll(count).toBe(before + 1);
    expect(await userId("meanwhile@acme.test")).toMatch(/^[0-9a-f-]{36}$/);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByLabel("What to reset").selectOption({ label: "Everything" });
    await page.getByTestId("reset").click();
    await page.getByTestId("confirm").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await userId("formula@export.test")).toBeUndefined();
    expect(await userId("ada@acme.test")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("runs a sign-in from Try it, and verifies a pasted token and a forged one", async () => {
    const { page, visit } = dashboard;
    await visit("try-it");
    await page.getByTestId("run-sign-in").click();
    await page.getByTestId("sign-in-result").getByText("signed in").waitFor();
    await page.getByTestId("verdict").getByText("Valid.", { exact: true }).waitFor();
    const { token } = await signIn(dashboard.svc);
    const panel = page.getByTestId("token-panel");
    await panel.getByTestId("token").fill(token as string);
    await panel.getByText("Valid.", { exact: true }).waitFor();
    expect(await panel.getByTestId("verdict").textContent()).toContain("ada@acme.test");
    await panel.getByTestId("token").fill(`${String(token).slice(0, -4)}AAAA`);
    await panel.getByText("Not valid.", { exact: true }).waitFor();
    await page.getByLabel("Outcome").selectOption("access_denied");
    await page.getByTestId("run-sign-in").click();
    await page.getByTestId("sign-in-result").getByText("access_denied").first().waitFor();
  });

  it("copies a request as a curl command that runs unchanged and contains no key", async () => {
    const { page, visit, svc, control } = dashboard;
    const key = ((await control(`POST /instances/${acme.id}/reveal`)).body as { secret_key: string }).secret_key;
    const url = `${svc.url}/api/v1/users/search?query=${encodeURIComponent("name:*o'* email:*@acme.test")}`;
    const headers = { "x-service-secret-key": key };
    const answer = await fetch(url, { headers });
    await answer.text();
    await visit(`requests/${answer.headers.get("request-id")}`);
    expect(await page.content()).not.toContain(key);
    await button("Copy as curl").click();
    await expect.poll(copied).toMatch(/^curl /);
    const command = await copied();
    expect(command).not.toContain(key);
    const { stdout } = await run("sh", ["-c", `${command} -s -w '%{http_code}'`], {
      env: { PATH: process.env["PATH"], SVC_SECRET_KEY: key },
    });
    expect(stdout).toMatch(/^\[.*\]200$/s);
  });

  it("finds an old request, because the server filters", async () => {
    const { page, visit, svc } = dashboard;
    await fetch(`${svc.url}/needle-in-log`);
    for (let n = 0; n < 120; n++) await (await fetch(`${svc.url}/.well-known/openid-configuration`)).text();
    await visit("requests?path=needle&status=4xx&method=GET");
    await expect.poll(() => page.getByTestId("row").count()).toBe(1);
    await visit(`requests?instance=${acme.id}`);
    await settled(page);
    expect(await page.getByTestId("row").count()).toBeGreaterThan(0);
  });

  it("pauses while sign-ins arrive until told to resume", async () => {
    const { page, visit, svc } = dashboard;
    await signIn(svc);
    await visit("flows");
    await page.getByTestId("row").first().getByRole("link").focus();
    const top = await page.getByTestId("row").first().getAttribute("data-id");
    const place = await page.getByTestId("row").first().boundingBox();
    await signIn(svc);
    await signIn(svc);
    await page.getByTestId("resume").getByText("2 new sign-ins, resume").waitFor();
    expect(await page.getByTestId("row").first().getAttribute("data-id")).toBe(top);
    expect(await page.getByTestId("row").first().boundingBox()).toEqual(place);
    await page.getByTestId("resume").click();
    await expect.poll(() => page.getByTestId("row").nth(2).getAttribute("data-id")).toBe(top);
  });
});
