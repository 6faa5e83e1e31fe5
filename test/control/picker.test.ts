import { expect, it } from "vitest";
import { ID_TOKEN_OUTCOMES, OUTCOMES } from "../../src/wire/outcomes.ts";
import { requestOn } from "../_answers.ts";
import { startServer } from "../_control.ts";

const APP = "http://localhost:3000/callback";

/** A browser without scripts: it keeps cookies, and uses links and the buttons of the form by their `data-testid`. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async open(url: string): Promise<{ url: URL; status: number; text: string }> {
    for (let at = new URL(url); ;) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { "user-agent": "Mozilla/5.0", accept: "text/html", cookie };
      if (at.href.startsWith(APP)) return { url: at, status: 0, text: "" };
      const response = await fetch(at, { redirect: "manual", headers });
      for (const set of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
        this.#cookies.set(name!, value!);
      }
      const next = response.headers.get("location");
      if (next === null) return { url: at, status: response.status, text: await response.text() };
      at = new URL(next, at);
    }
  }

  /** Follows a link of a page, or sends its form. */
  async click(page: { url: URL; text: string }, testId: string): ReturnType<Browser["open"]> {
    const tag = new RegExp(`<(?:a|button) [^>]*data-testid="${testId}"[^>]*>`).exec(page.text)?.[0] ?? "";
    const request = requestOn(page.text, page.url).search;
    const [, name, value] = /form="choice" name="([^"]*)" value="([^"]*)"/.exec(tag) ?? [];
    const [, href = name && `${request}&${name}=${value}`] = /href="([^"]*)"/.exec(tag) ?? [];
    if (href === undefined) throw new Error(`the page has no ${testId}: ${page.text.slice(0, 300)}`);
    return this.open(new URL(href.replaceAll("&amp;", "&"), page.url).href);
  }
}

it.each(
  OUTCOMES.filter(({ id }) => id !== "success" && !ID_TOKEN_OUTCOMES.includes(id)).map(
    ({ id, application_sees }) => [id, application_sees] as const,
  ),
)("The picker offers %s as a button that works without a script", async (outcome, application_sees) => {
  const server = await startServer();
  const all = (await server.control("GET /outcomes")).body as { id: string; providers: string[] }[];
  const { providers } = all.find(({ id }) => id === outcome)!;
  const provider = providers.includes("github") ? "github" : providers[0]!;
  const browser = new Browser();
  const picker = await browser.open(`${server.url}/oauth/authorize?provider=${provider}&redirect_uri=${APP}`);
  expect(picker.text).toContain("Something goes wrong&hellip;");
  const chosen = await browser.click(picker, `outcome-${outcome}`);
  const end = chosen.text.includes('data-testid="chosen-outcome"')
    ? await browser.click(chosen, "account-ada")
    : chosen;
  if (application_sees.startsWith("No redirect")) expect(end.status).toBe(400);
  else if (application_sees === "token") expect(end.url.searchParams.get("token")).toMatch(/^ey/);
  else expect(`error=${end.url.searchParams.get("error")}`).toBe(application_sees);
  const [flow] = (await server.control("GET /flows")).body;
  expect(flow.data.requested_outcome).toBe(outcome);
});

it("The picker can take a choice back, and applies scenarios without a choice", async () => {
  const server = await startServer();
  const browser = new Browser();
  const start = `${server.url}/oauth/authorize?provider=google&redirect_uri=${APP}`;
  const chosen = await browser.click(await browser.open(start), "outcome-token_error");
  const back = await browser.click(chosen, "outcome-success");
  expect((await browser.click(back, "account-ada")).url.searchParams.get("token")).toMatch(/^ey/);
  await server.control("POST /scenarios", { outcome: "token_error" });
  expect((await browser.open(start)).url.searchParams.get("error")).toBe("temporarily_unavailable");
});

it("The picker names an account that was typed in by its address in the flow", async () => {
  const server = await startServer();
  const browser = new Browser();
  const picker = await browser.open(`${server.url}/oauth/authorize?provider=google&redirect_uri=${APP}`);
  await browser.open(`${requestOn(picker.text, picker.url).href}&email=Mary@example.test`);
  const [flow] = (await server.control("GET /flows")).body;
  expect(flow.data).toMatchObject({ result: "token", as: "Mary@example.test" });
  const again = await server.control(`POST /flows/${flow.id}/replay`, {});
  expect(again.body.user_id).toBe(flow.data.user_id);
});
