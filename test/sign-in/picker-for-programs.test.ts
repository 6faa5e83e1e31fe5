import { describe, expect, it } from "vitest";
import type { AccountChoices } from "../../src/wire/outcomes.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { locationOf } from "../_answers.ts";
import { BROWSER } from "../_cookie-jar.ts";
import { APP, decodePart, FRONT, SEED, setup, type Service, type SetupOptions } from "../_setup.ts";

/** The account picker, as a program gets it that follows redirects. */
async function openPicker(
  provider: Provider,
  { accept = "*/*", login_hint, ...options }: SetupOptions & { accept?: string; login_hint?: string } = {},
): Promise<{ service: Service; response: Response }> {
  const service = await setup(options);
  const query = new URLSearchParams({ provider, redirect_uri: APP, ...(login_hint !== undefined && { login_hint }) });
  const toPage = locationOf(await service.fetch(`/oauth/authorize?${query.toString()}`));
  return { service, response: await service.fetch(toPage.href, { headers: { accept } }) };
}

async function choicesOf(...request: Parameters<typeof openPicker>): Promise<{
  service: Service;
  choices: AccountChoices;
}> {
  const [provider, options] = request;
  const { service, response } = await openPicker(provider, { accept: "application/json, text/plain, */*", ...options });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  return { service, choices: (await response.json()) as AccountChoices };
}

/** Follows an address to the application. */
async function end({ fetch }: Service, url: string): Promise<URLSearchParams> {
  let location = new URL(url);
  while (location.origin === FRONT) location = locationOf(await fetch(location.href));
  expect(location.href.startsWith(APP)).toBe(true);
  return location.searchParams;
}

const emailIn = (query: URLSearchParams): unknown => decodePart(query.get("token")!, 1)["email"];

describe("A program that comes to the account picker and asks for JSON", () => {
  it.each(PROVIDERS)("gets the accounts of %s, each with an address that signs in", async (provider) => {
    const { service, choices } = await choicesOf(provider);
    expect(choices).toMatchObject({ provider, next_url: null });
    expect(choices.message).toBe(
      "No account was chosen. Follow the url of an account, or begin again with login_hint=<id or e-mail address>.",
    );
    const mary = choices.accounts.find(({ id }) => id === "mary")!;
    expect([mary.email, Object.keys(mary)]).toEqual(["mary@geneva.test", ["id", "name", "email", "url"]]);
    expect((await end(service, mary.url)).get("token")).toMatch(/^ey/);
  });

  it("gets addresses for an account that is typed in, and to cancel", async () => {
    const typed = await choicesOf("google");
    expect(emailIn(await end(typed.service, `${typed.choices.url}&email=new%40acme.test`))).toBe("new@acme.test");
    const cancelled = await choicesOf("google");
    expect((await end(cancelled.service, cancelled.choices.cancel_url)).get("error")).toBe("access_denied");
  });

  it("gets the next page of many accounts", async () => {
    const personas = Array.from({ length: 25 }, (_, n) => ({
      id: `p${n}`,
      name: `Person ${n}`,
      email: `p${n}@acme.test`,
      google: { sub: `${n}`, email_verified: true },
    }));
    const { service, choices } = await choicesOf("google", { seed: { ...SEED, personas } });
    const ids = [];
    for (let page = choices; ;) {
      ids.push(...page.accounts.map(({ id }) => id));
      if (page.next_url === null) break;
      page = (await (
        await service.fetch(page.next_url, { headers: { accept: "application/json" } })
      ).json()) as AccountChoices;
    }
    expect(ids).toEqual(personas.map(({ id }) => id));
  });

  it("is told that its login_hint names no account", async () => {
    const { choices } = await choicesOf("github", { login_hint: "nobody" });
    expect(choices.message).toMatch(/^The simulated GitHub has no account for this login_hint\. Follow/);
  });

  it("shows neither the state nor another sign-in's accounts to a browser that takes the address over", async () => {
    const { service, choices } = await choicesOf("google");
    expect(JSON.stringify(choices)).not.toMatch(/state/);
    const taken = await service.fetch(choices.accounts[0]!.url, { headers: BROWSER });
    expect([taken.status, taken.headers.get("location")]).toEqual([400, null]);
  });
});

it.each(["text/html", "application/json", "*/*"])(
  "A browser gets the page alone, whatever it accepts: %s",
  async (accept) => {
    const { fetch } = await setup();
    const headers = { ...BROWSER, accept };
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
    const toPage = locationOf(await fetch(`/oauth/authorize?${query.toString()}`, { headers }));
    expect(await (await fetch(toPage.href, { headers })).text()).toMatch(/^<!doctype html>/);
  },
);
