import { describe, expect, it } from "vitest";
import { serve } from "../../src/server/index.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, SEED, setup } from "../_setup.ts";

const BROWSER = { "user-agent": "Mozilla/5.0", "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };

const NONCE = "nonce=" + "aZ09-_".repeat(7) + "x";

const MISSPELT = [
  `?${NONCE}x`,
  `?${NONCE.slice(0, -1)}`,
  `?${NONCE}&a=1`,
  `?a=1&${NONCE}`,
  `?${NONCE}&${NONCE}`,
  `/?${NONCE}`,
  `?&${NONCE}`,
  `?N${NONCE.slice(1)}`,
  `?%6e${NONCE.slice(1)}`,
  `?${NONCE}#`,
  "?nonce",
  "?nonce=",
];

function withEntries(...redirect_uris: string[]): object {
  return { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris }] };
}

describe("An entry of redirect_uris in a seed", () => {
  it.each([
    [["*"]],
    [["https://app.test/cb?*", "com.example.app:/callback", "http://LOCALHOST:80/cb"]],
    [["http://sub.localhost:3000/cb", "http://127.0.0.2/cb?tenant=1"]],
  ])("may be %j", async (entries) => {
    expect((await setup({ seed: withEntries(...entries) })).acme.redirect_uris).toEqual(entries);
  });

  it.each([
    [["*", APP], '"*" must be the only entry'],
    [["https://app.test/cb?a=1?*"], "?* matches the whole query"],
    [["myapp:/callback"], "it is not an absolute address"],
    [["https://*.app.test/cb#x"], "it has a fragment"],
  ])("may not be %j", async (entries, why) => {
    await expect(setup({ seed: withEntries(...entries) })).rejects.toThrow(why);
  });

  it.each([
    [
      "https://app.test/cb?*",
      ["https://app.test/cb", "https://app.test/cb?", "https://app.test/cb?a=1&b"],
      ["https://app.test/cb/x?a=1"],
    ],
    [
      "http://sub.localhost:3000/cb",
      ["http://sub.localhost:9/cb"],
      ["http://localhost:3000/cb", "http://sub.localhost:3000/cb?a"],
    ],
    ["http://127.0.0.2/cb", ["http://127.0.0.2:8080/cb"], ["http://127.0.0.1/cb", "https://127.0.0.2/cb"]],
    [
      "com.example.app:/cb",
      ["com.example.app:/cb", "COM.example.app:/cb"],
      ["com.example.app:/cb?a", "com.example.other:/cb"],
    ],
    [
      "https://app.test/cb",
      [`https://app.test/cb?${NONCE}`, `https://APP.test:443/cb?${NONCE}`],
      MISSPELT.map((more) => `https://app.test/cb${more}`),
    ],
    [
      "https://app.test/cb?tenant=1",
      [`https://app.test/cb?tenant=1&${NONCE}`],
      [`?${NONCE}`, `?${NONCE}&tenant=1`, `?tenant=1?${NONCE}`, `?tenant=1&&${NONCE}`, `?tenant=2&${NONCE}`].map(
        (query) => `https://app.test/cb${query}`,
      ),
    ],
    ["https://app.test/cb?", [`https://app.test/cb?&${NONCE}`], [`https://app.test/cb?a&${NONCE}`]],
    // An application could read either of the two.
    ["https://app.test/cb?nonce=1", ["https://app.test/cb?nonce=1"], [`https://app.test/cb?nonce=1&${NONCE}`]],
    ["com.example.app:/cb", [`com.example.app:/cb?${NONCE}`], [`com.example.app:/cb/?${NONCE}`]],
    ["http://127.0.0.1/cb", [`http://127.0.0.1:8080/cb?${NONCE}`], [`http://127.0.0.2/cb?${NONCE}`]],
  ])("%s matches %j and not %j", async (entry, good, bad) => {
    const { fetch } = await setup({ seed: withEntries(entry), isLocal: false });
    const statusOf = async (redirect_uri: string): Promise<number> =>
      (await fetch(`/sign-in?${new URLSearchParams({ redirect_uri }).toString()}`, { headers: BROWSER })).status;
    expect(await Promise.all(good.map(statusOf))).toEqual(good.map(() => 302));
    expect(await Promise.all(bad.map(statusOf))).toEqual(bad.map(() => 400));
  });

  it("that matches any address logs a warning at each start", async () => {
    const seed = seedFile(withEntries("*"));
    const warnings: string[] = [];
    const server = await serve({ port: 0, store: "memory", seed, warn: (message) => warnings.push(message) });
    await server.close();
    expect(warnings).toContain(
      'Acme sends tokens to any address, because its redirect_uris are "*". List its addresses before you expose this server.',
    );
  });
});

it("A refusal names the entry to add without the nonce, which changes with each sign-in", async () => {
  const { fetch } = await setup({ seed: withEntries("https://app.test/cb"), isLocal: false });
  const start = async (redirect_uri: string): Promise<string> =>
    (await fetch(`/sign-in?${new URLSearchParams({ redirect_uri }).toString()}`)).text();
  expect(await start(`https://app.test/other?${NONCE}`)).toContain('Add \\"https://app.test/other\\" to');
  expect(await start(`https://app.test/other?a=1&${NONCE}`)).toContain('Add \\"https://app.test/other?*\\" to');
});

describe("The account picker's request", () => {
  const asked = `/oauth/authorize?${new URLSearchParams({ provider: "google", redirect_uri: APP }).toString()}`;

  it("works only in the browser that received it", async () => {
    const { fetch } = await setup();
    const toProvider = locationOf(await fetch(asked, { headers: BROWSER }));
    const given = await fetch(toProvider.href, { headers: BROWSER });
    const cookie = given.headers.getSetCookie()[0]!.split(";")[0]!;
    const typed = `${requestOn(await given.text(), toProvider).href}&email=boss@corp.test&name=Boss`;
    for (const headers of [{}, BROWSER, { ...BROWSER, cookie: `svc_simulator=${"A".repeat(22)}` }])
      expect((await fetch(typed, { headers })).status).toBe(400);
    expect((await fetch(typed, { headers: { ...BROWSER, cookie } })).status).toBe(302);
  });

  it("does not work in a browser if a program received it", async () => {
    const { fetch } = await setup();
    const toProvider = locationOf(await fetch(asked));
    const picker = requestOn(await (await fetch(toProvider.href)).text(), toProvider).href;
    expect((await fetch(`${picker}&login_hint=ada`, { headers: BROWSER })).status).toBe(400);
    expect((await fetch(`${picker}&login_hint=ada`)).status).toBe(302);
  });

  it("is required to sign in with a typed address", async () => {
    const { fetch } = await setup();
    const toProvider = locationOf(await fetch(asked));
    const answer = await fetch(`${toProvider.href}&email=boss@corp.test&name=Boss`);
    expect(answer.status).toBe(200);
    const picker = requestOn(await answer.text(), toProvider);
    expect(await (await fetch(`${picker.href}&q=boss@corp.test`)).text()).toContain('data-testid="no-match"');
  });
});
