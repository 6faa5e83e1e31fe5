// Below the faces: what the picture of an account is drawn from is a rule of names, and the demo has more than a page.

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { drawnName, pictureOf } from "../../src/server/simulator/personas.ts";
import { typedPersona } from "../../src/server/simulator/typed-account.ts";
import type { GithubAccount } from "../../src/server/simulator/github.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { callbackUrl } from "../_picker.ts";
import { REAL } from "../providers/_real.ts";
import { APP, decodePart, FRONT, SEED, setup, START, type Service } from "../_setup.ts";

const HOSTILE = {
  id: "hostile",
  name: `"><script>alert(1)</script>'&`,
  email: `"><img/src=x>@evil.test`,
  avatar_url: "https://evil.test/x.png?a=1&b='onerror=alert(1)",
  google: { sub: "666", email_verified: false },
  github: { id: 666, login: `"><b>x`, emails: [] },
};

interface Picker {
  service: Service;
  url: URL;
  html: string;
  /** Values that the picker must not show. */
  toProvider: URL;
}

/** A sign-in up to the account picker. */
async function openPicker(provider: Provider, personas: object[] = SEED.personas, hint?: string): Promise<Picker> {
  const service = await setup({ seed: { ...SEED, personas } });
  const query = new URLSearchParams({
    provider,
    redirect_uri: APP,
    ...(hint === undefined ? {} : { login_hint: hint }),
  });
  const toProvider = locationOf(await service.fetch(`/oauth/authorize?${query.toString()}`));
  expect(toProvider.origin + toProvider.pathname).toBe(`${FRONT}/__svc/simulator/${provider}/authorize`);
  const response = await service.fetch(toProvider.href);
  expect(response.status).toBe(200);
  const html = await response.text();
  return { service, url: requestOn(html, toProvider), toProvider, html };
}

/** A further picker of a service. */
async function openPickerOf({ fetch }: Service): Promise<string> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
  const toProvider = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
  return (await fetch(toProvider.href)).text();
}

function attribute(html: string, testId: string, name: string): string {
  const tag = new RegExp(`<[^<>]*data-testid="${testId}"[^<>]*>`).exec(html)?.[0] ?? "";
  return (new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? "").replaceAll("&amp;", "&");
}

/** The address that a button of the picker's form leads to. */
function addressOf({ html, url }: Picker, testId: string): string {
  expect(attribute(html, testId, "form")).toBe("choice");
  expect(html).toMatch(/<form [^>]*id="choice"[^>]*>\s*<input [^>]*name="request" [^>]*>\s*<\/form>/);
  const address = new URL(url);
  address.searchParams.set(attribute(html, testId, "name"), attribute(html, testId, "value"));
  return address.href;
}

function accountsOn(html: string): string[] {
  return [...html.matchAll(/data-testid="account-([^"]*)"/g)].map(([, id]) => id!);
}

/** From the picker to the application. */
async function choose({ service, url }: Picker, link: string): Promise<URL> {
  const toCallback = locationOf(await service.fetch(new URL(link, url).href));
  return locationOf(await service.fetch(toCallback.href));
}

function claimsOf(url: URL): Record<string, unknown> {
  return decodePart(url.searchParams.get("token")!, 1);
}

describe("The account picker", () => {
  it.each(PROVIDERS)("of %s shows no state, code, challenge or destination of the sign-in", async (provider) => {
    const { html, toProvider } = await openPicker(provider);
    const secrets = ["state", "code_challenge", "redirect_uri"].flatMap(
      (name) => toProvider.searchParams.get(name) ?? [],
    );
    expect(secrets).toHaveLength(REAL[provider].pkce ? 3 : 2);
    expect([...secrets, APP].filter((secret) => html.includes(secret))).toEqual([]);
    expect(html).not.toMatch(/name="(?:state|code|code_challenge|redirect_uri)"/);
  });

  it("loads nothing from other hosts and runs only its own script", async () => {
    const { service, url, html } = await openPicker("google", [...SEED.personas, HOSTILE]);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/<style|<script>|\s(?:on\w+|style)=/i);
    const outside = [...html.matchAll(/\s(?:href|src|action)="([^"]*)"/g)]
      .map(([, address]) => address!)
      .filter((address) => !/^(?:data:,|\?|http:\/\/localhost:7820\/)/.test(address));
    expect(
      outside.filter((address) => !/^(?:authorize\?|\.\.\/avatars\/[\w-]+\.svg$|\/__svc\/pages\/)/.test(address)),
    ).toEqual([]);
    const { headers } = await service.fetch(url.href);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    );
  });

  it.each([
    [
      "google",
      ["&#34;&#62;&#60;img/src=x&#62;@evil.test", "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;"],
    ],
    ["github", ["@&#34;&#62;&#60;b&#62;x", "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;"]],
  ] as const)("of %s escapes a hostile account's texts", async (provider, texts) => {
    const { html } = await openPicker(provider, [HOSTILE]);
    expect(texts.filter((text) => !html.includes(text))).toEqual([]);
    expect(html).not.toMatch(/<(?:script>alert|img\/|b>x)/);
  });

  it("escapes a hostile search and a hostile address", async () => {
    const { service, url } = await openPicker("google");
    const hostile = encodeURIComponent(`"><script>alert(1)</script>`);
    const searched = await (await service.fetch(`${url.href}&q=${hostile}`)).text();
    expect(attribute(searched, "search", "value")).toBe("&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;");
    expect(searched).not.toContain("<script>alert");
    const typed = await (await service.fetch(`${url.href}&email=${hostile}`)).text();
    expect(typed).toContain(
      'data-testid="problem">&#34;&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#34; is not an e-mail address.</p>',
    );
    expect(typed).not.toContain("<script>alert");
  });

  it("is sent as ASCII if names and addresses are, without encoding", async () => {
    const ada = { ...SEED.personas[0]!, name: "Ada" };
    // oxlint-disable-next-line no-control-regex
    for (const provider of PROVIDERS) expect((await openPicker(provider, [ada])).html).toMatch(/^[\0-\x7f]*$/);
  });

  it("names its request once for each form, however many buttons answer it", async () => {
    const { html, url } = await openPicker("github");
    expect(html.split(url.searchParams.get("request")!)).toHaveLength(4);
    expect(html.match(/<form /g)).toHaveLength(3);
    expect(html.match(/<button [^>]*form="choice"/g)!.length).toBeGreaterThan(10);
  });

  it("lists the personas with an account at the provider", async () => {
    const personas = [...SEED.personas, HOSTILE];
    expect(accountsOn((await openPicker("google", personas)).html)).toEqual(["ada", "alan", "mary", "hostile"]);
    expect(accountsOn((await openPicker("twitter", personas)).html)).toEqual(["ada", "alan", "mary"]);
  });

  it.each([
    ["google", "e-mail not verified", 2],
    ["github", "no verified e-mail", 2],
    ["twitter", '<small class="warn">', 0],
  ] as const)("of %s marks accounts that get no token: %s", async (provider, note, count) => {
    const { html } = await openPicker(provider, [...SEED.personas, HOSTILE]);
    expect(html.split(note)).toHaveLength(count + 1);
  });

  it.each([
    ["google", "ada", ["ada"]],
    ["google", "LOVELACE", ["ada"]],
    ["google", "bletchley", ["alan"]],
    ["google", "a", ["ada", "alan", "mary"]],
    ["google", "mary@geneva", ["mary"]],
    ["github", "mshelley", ["mary"]],
    ["twitter", "@aturing", ["alan"]],
    ["google", "", ["ada", "alan", "mary"]],
    ["google", "nobody", []],
  ] as const)("of %s finds %j", async (provider, search, ids) => {
    const { service, url } = await openPicker(provider);
    const html = await (await service.fetch(`${url.href}&q=${encodeURIComponent(search)}`)).text();
    expect(accountsOn(html)).toEqual(ids);
    expect(html.includes('data-testid="no-match"')).toBe(ids.length === 0);
    expect(attribute(html, "search", "value")).toBe(search);
  });

  it("signs in the address that was searched for, if no account has it", async () => {
    const picker = await openPicker("google");
    const html = await (await picker.service.fetch(`${picker.url.href}&q=new@acme.test`)).text();
    expect(attribute(html, "use-search", "name")).toBe("email");
    const claims = claimsOf(await choose(picker, addressOf({ ...picker, html }, "use-search")));
    expect(claims["email"]).toBe("new@acme.test");
    const nobody = await (await picker.service.fetch(`${picker.url.href}&q=nobody`)).text();
    expect(nobody).not.toContain("use-search");
  });

  it.each(PROVIDERS)("of %s asks about the typed address what it sends of it", async (provider) => {
    const { html } = await openPicker(provider);
    expect(html.includes("does not send the address")).toBe(!REAL[provider].givesEmail);
  });

  it.each(PROVIDERS)("of %s signs in the chosen account", async (provider) => {
    const picker = await openPicker(provider);
    const claims = claimsOf(await choose(picker, addressOf(picker, "account-mary")));
    expect([claims["provider"], claims["avatar_url"]]).toEqual([provider, `${FRONT}/__svc/simulator/avatars/mary.svg`]);
  });

  it.each(PROVIDERS)(
    "of %s signs in another account that is typed in, and the same one each time",
    async (provider) => {
      const picker = await openPicker(provider);
      const other = `?request=${picker.url.searchParams.get("request")}&email=new%40acme.test&name=New+One`;
      const first = claimsOf(await choose(picker, other));
      expect([first["name"], first["email"]]).toEqual([
        "New One",
        REAL[provider].givesEmail ? "new@acme.test" : (expect.stringMatching(/^\d+@\w+\.invalid$/) as string),
      ]);
      const query = new URLSearchParams({ provider, redirect_uri: APP });
      const toProvider = locationOf(await picker.service.fetch(`/oauth/authorize?${query.toString()}`));
      const url = requestOn(await (await picker.service.fetch(toProvider.href)).text(), toProvider);
      const again = await choose({ ...picker, url }, `${url.search}&email=NEW%40acme.test`);
      expect(claimsOf(again)["sub"]).toBe(first["sub"]);
      expect(
        (await (await picker.service.fetch(url.href)).text()).match(/data-testid="account-new@acme\.test"/g),
      ).toHaveLength(1);
    },
  );

  it("treats an existing account's address as that account", async () => {
    const picker = await openPicker("google");
    const claims = claimsOf(await choose(picker, `${picker.url.search}&email=ADA%40acme.test&name=Somebody`));
    expect([claims["sub"], claims["name"]]).toEqual(["00000000-0000-4000-8000-0000000000a1", "Ada Lovelace"]);
  });

  it.each(["", "ada", "a b@acme.test", "ada@acme.test@evil.test", "ada@"])(
    "asks again when %j is typed in as an address",
    async (email) => {
      const { service, url } = await openPicker("google");
      const response = await service.fetch(`${url.href}&email=${encodeURIComponent(email)}`);
      expect([response.status, attribute(await response.text(), "problem", "role")]).toEqual([200, "alert"]);
    },
  );

  it.each(PROVIDERS)("of %s can be cancelled", async (provider) => {
    const picker = await openPicker(provider);
    const toCallback = locationOf(await picker.service.fetch(addressOf(picker, "cancel")));
    expect(toCallback.href).toBe(
      `${callbackUrl(provider)}?error=access_denied&state=${picker.toProvider.searchParams.get("state")}`,
    );
    expect(locationOf(await picker.service.fetch(toCallback.href)).searchParams.get("error")).toBe("access_denied");
  });

  it("answers for ten minutes, and at its own provider only", async () => {
    const { service, url } = await openPicker("google");
    const error = "this request is no longer valid; start again from the application";
    const elsewhere = await service.fetch(url.href.replace("/google/", "/github/"));
    expect([elsewhere.status, await elsewhere.json()]).toEqual([
      400,
      { error: `Bad request: GitHub (simulated): ${error}` },
    ]);
    service.clock.advance(599);
    expect((await service.fetch(url.href)).status).toBe(200);
    service.clock.advance(2);
    const late = await service.fetch(url.href);
    expect([late.status, await late.json()]).toEqual([400, { error: `Bad request: Google (simulated): ${error}` }]);
  });
});

describe("The login_hint parameter", () => {
  it.each([
    ["google", "ada"],
    ["google", "ada@acme.test"],
    ["google", "ADA@Acme.Test"],
    ["github", "mary@home.test"],
    ["github", "mary@geneva.test"],
    ["twitter", "mary@home.test"],
  ] as const)("at %s signs %s in without a page", async (provider, hint) => {
    const { signIn } = await setup();
    const claims = claimsOf(await signIn(provider, hint));
    const id = hint.startsWith("mary") ? "mary" : "ada";
    expect(claims["avatar_url"]).toBe(`${FRONT}/__svc/simulator/avatars/${id}.svg`);
  });

  it.each(["nobody", "ADA", "Ada Lovelace", "ada@acme", "", "__proto__"])(
    "with the unknown account %j is ignored",
    async (hint) => {
      const { html } = await openPicker("google", SEED.personas, hint);
      expect(accountsOn(html)).toEqual(["ada", "alan", "mary"]);
    },
  );

  it("with a persona that has no account at the provider is ignored", async () => {
    const { html } = await openPicker("twitter", [...SEED.personas, HOSTILE], "hostile");
    expect(accountsOn(html)).toEqual(["ada", "alan", "mary"]);
  });
});

describe("A generated picture", () => {
  it("is drawn from the name without any of its markup", async () => {
    const personas = [{ ...HOSTILE, name: `<a> &b`, avatar_url: null }];
    const { fetch } = await setup({ seed: { ...SEED, personas } });
    const response = await fetch("/__svc/simulator/avatars/hostile.svg");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    const text = await response.text();
    expect([text.match(/<\w+/g), text.includes(">AB</text>")]).toEqual([["<svg", "<rect", "<text"], true]);
  });

  it("T61: of a typed account exists whether its address was typed in or not", async () => {
    const email = "secret@acme.test";
    const person = typedPersona(email, null);
    const status = async (file: string): Promise<number> =>
      (await fetch(`/__svc/simulator/avatars/${file}.svg`)).status;
    const picker = await openPicker("google");
    const { fetch } = picker.service;
    const drawn = drawnName(pictureOf(person));
    const before = [await status(person.id), await status(drawn)];
    const claims = claimsOf(await choose(picker, `${picker.url.search}&email=${email}`));
    expect(claims["avatar_url"]).toBe(`${FRONT}/__svc/simulator/avatars/${drawn}.svg`);
    expect([await status(person.id), await status(drawn)]).toEqual(before);
    expect(before).toEqual([404, 200]);
  });

  it("T61: exists in every color and for any initials, for pages of every origin", async () => {
    const { fetch } = await setup();
    for (const hue of [0, 180, 359])
      for (const initials of ["Z", "QX", "ÄŁ"]) {
        const path = `/__svc/simulator/avatars/${drawnName({ hue, initials })}.svg`;
        const { status, headers } = await fetch(path, { headers: { origin: "https://evil.example" } });
        expect([path, status, headers.get("cross-origin-resource-policy")]).toEqual([path, 200, "cross-origin"]);
      }
  });

  it("of a typed account shows its initials, on the picker too", async () => {
    const picker = await openPicker("google");
    const { fetch } = picker.service;
    const claims = claimsOf(await choose(picker, `${picker.url.search}&email=zoe@acme.test&name=Zoe+%C3%84ther`));
    expect(await (await fetch(String(claims["avatar_url"]))).text()).toContain(">ZÄ</text>");
    const again = await openPickerOf(picker.service);
    expect(again).toContain(`src="../avatars/${/~[^/]+\.svg$/.exec(String(claims["avatar_url"]))![0]}"`);
  });

  it.each([
    "nobody.svg",
    "ada",
    "ada.png",
    "..svg",
    "~.svg",
    "~1.svg",
    "~1-.svg",
    "~1-110000.svg",
    "~1-3c.svg",
    "~1-202e.svg",
    "~1-41-41-41-41-41-41-41.svg",
  ])("does not exist for %s", async (file) => {
    const { fetch } = await setup();
    const response = await fetch(`/__svc/simulator/avatars/${file}`);
    expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
  });
});

describe("The demo's personas", () => {
  it("are eight, one for each kind of failure", async () => {
    const demo = await readFile(new URL("../../fixtures/demo.json", import.meta.url), "utf8");
    const { personas } = parseSeed(demo, "demo", START);
    const emails = personas.map(({ accounts }) => (accounts.github as unknown as GithubAccount).emails);
    expect(personas).toHaveLength(8);
    expect(emails.some((list) => list.length > 1)).toBe(true);
    expect(emails.some((list) => list.every(({ verified }) => !verified))).toBe(true);
    expect(
      emails.some((list) => list.some(({ primary, verified }) => primary && !verified) && list.some((e) => e.verified)),
    ).toBe(true);
    expect(personas.some(({ accounts }) => accounts.google?.["email_verified"] === false)).toBe(true);
    expect(personas.some(({ name }) => name === null)).toBe(true);
    expect(personas.some(({ name }) => /\p{Script=Cyrillic}/u.test(name ?? ""))).toBe(true);
    expect(personas.some(({ name }) => name?.includes("<script>"))).toBe(true);
  });
});

it("The picker marks characters in names that change the direction of text", async () => {
  const [persona] = SEED.personas;
  const { html } = await openPicker("google", [{ ...persona, name: "\u202Egro.lagel" }]);
  expect(html).toContain("<b>[U+202E]gro.lagel</b>");
  expect(html).not.toContain("\u202E");
});
