import { describe, expect, it } from "vitest";
import { type Simulator } from "../../src/server/simulator/simulator.ts";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import {
  addressOf,
  authorization,
  authorize,
  basic,
  begun,
  callbackUrl,
  CHALLENGE,
  CLIENT,
  codeFor,
  create,
  exchange,
  type Fields,
  get,
  jsonOf,
  OTHER,
  VERIFIER,
} from "../_picker.ts";
import { FRONT, SEED, setup } from "../_setup.ts";
import { REAL } from "./_real.ts";

const PICTURE = `${FRONT}/__svc/simulator/avatars/ada.svg`;

async function accessTokenFor(simulator: Simulator, provider: Provider, changed?: Fields): Promise<string> {
  const [, body] = await jsonOf(await exchange(simulator, provider, await codeFor(simulator, provider, changed)));
  return (body as { access_token: string }).access_token;
}

const NO_BASIC = [401, { error: "unauthorized_client", error_description: "Missing valid authorization header" }];

describe("A simulated authorize endpoint", () => {
  const CHALLENGE_MISSING = "a code_challenge with code_challenge_method=S256 is required";
  const OTHER_REDIRECT = "redirect_uri ";

  it.each(PROVIDERS)("returns a code and the state: %s", async (provider) => {
    const { simulator } = create();
    const outcome = await authorize(simulator, provider, await begun(simulator, provider));
    const code = expect.stringMatching(/^[\w-]{32,512}$/) as string;
    const { origin, pathname, searchParams } = new URL((outcome as { location: string }).location);
    expect(origin + pathname).toBe(callbackUrl(provider));
    expect(Object.fromEntries(searchParams)).toEqual({ code, state: "the-state" });
  });

  it.each([
    ["google", { client_id: undefined }, "unknown client_id"],
    ["google", { client_id: "stranger" }, "unknown client_id"],
    ["github", { redirect_uri: undefined }, OTHER_REDIRECT],
    ["github", { redirect_uri: "https://evil.test/" }, OTHER_REDIRECT],
    ["github", { redirect_uri: `${callbackUrl("github")}/more` }, OTHER_REDIRECT],
    ["github", { redirect_uri: `${callbackUrl("github")}?x` }, OTHER_REDIRECT],
    ["github", { redirect_uri: callbackUrl("google") }, OTHER_REDIRECT],
    ["google", { response_type: undefined }, "response_type must be code"],
    ["google", { response_type: "token" }, "response_type must be code"],
    ["google", { scope: undefined }, "scope must include openid"],
    ["google", { scope: "email profile" }, "scope must include openid"],
    ["google", { scope: "openidx email" }, "scope must include openid"],
    ["twitter", { code_challenge: undefined }, CHALLENGE_MISSING],
    ["twitter", { code_challenge_method: undefined }, CHALLENGE_MISSING],
    ["twitter", { code_challenge_method: "plain" }, CHALLENGE_MISSING],
    ["twitter", { code_challenge: "short" }, CHALLENGE_MISSING],
    ["twitter", { request: "never-given-out" }, "this request is no longer valid; start again from the application"],
  ] as const)("of %s rejects %o without a redirect", async (provider, changed, why) => {
    const { fetch } = await setup();
    const query = new URLSearchParams([...authorization(provider, changed)]);
    const response = await fetch(`/__svc/simulator/${provider}/authorize?${query.toString()}`);
    expect(response.headers.get("location")).toBeNull();
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error]).toEqual([400, expect.stringMatching(/^Bad request: (?:Google|GitHub|Twitter) /)]);
    expect(error).toContain(` (simulated): ${why}`);
  });

  it("accepts a client at its own provider only", async () => {
    const seed = { ...SEED, instances: [{ ...SEED.instances[0], connections: { google: OTHER } }] };
    const { fetch } = await setup({ seed, providers: "simulated" });
    const statuses = [];
    for (const provider of PROVIDERS) {
      const query = new URLSearchParams([...authorization(provider, { client_id: OTHER.client_id })]);
      statuses.push((await fetch(`/__svc/simulator/${provider}/authorize?${query.toString()}`)).status);
    }
    expect(statuses).toEqual([200, 400, 400]);
  });

  it.each(["/__svc/simulator/facebook/authorize", "/__svc/simulator/google/token", "/__svc/simulator/google/userinfo"])(
    "is the only simulator endpoint that a browser finds; not %s",
    async (path) => {
      const { fetch } = await setup();
      const response = await fetch(path);
      expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
    },
  );
});

describe("A simulated token endpoint", () => {
  const access_token = expect.stringMatching(/^[\w-]{43}$/) as string;

  it.each(PROVIDERS)("of %s answers like the real one", async (provider) => {
    const { simulator } = create();
    const response = await exchange(simulator, provider, await codeFor(simulator, provider));
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await jsonOf(response)).toEqual([200, { access_token, ...REAL[provider].token }]);
  });

  it.each([
    ["google", "no secret", { form: { client_secret: undefined } }, "wrongClient"],
    ["google", "a wrong secret", { form: { client_secret: "wrong" } }, "wrongClient"],
    ["google", "another client's secret", { form: { client_secret: OTHER.client_secret } }, "wrongClient"],
    ["google", "an unknown client", { form: { client_id: "stranger" } }, "wrongClient"],
    ["google", "another client", { form: OTHER }, "wrongCode"],
    ["google", "another redirect_uri", { form: { redirect_uri: `${callbackUrl("google")}/` } }, "wrongCode"],
    ["google", "no redirect_uri", { form: { redirect_uri: undefined } }, "wrongCode"],
    ["google", "another code", { form: { code: "wrong" } }, "wrongCode"],
    ["google", "no code", { form: { code: undefined } }, "wrongCode"],
    ["google", "an unexpected verifier", { form: { code_verifier: VERIFIER } }, "wrongCode"],
    ["github", "a wrong secret", { form: { client_secret: "wrong" } }, "wrongClient"],
    ["github", "another client", { form: OTHER }, "wrongCode"],
    ["github", "another redirect_uri", { form: { redirect_uri: callbackUrl("google") } }, "wrongCode"],
    ["github", "another code", { form: { code: "wrong" } }, "wrongCode"],
    ["twitter", "a wrong secret", { headers: basic({ ...CLIENT, client_secret: "wrong" }) }, "wrongClient"],
    ["twitter", "another client", { headers: basic(OTHER) }, "wrongCode"],
    ["twitter", "another redirect_uri", { form: { redirect_uri: callbackUrl("google") } }, "wrongCode"],
    ["twitter", "no verifier", { form: { code_verifier: undefined } }, "wrongCode"],
    ["twitter", "another verifier", { form: { code_verifier: VERIFIER.toLowerCase() } }, "wrongCode"],
    ["twitter", "the challenge", { form: { code_verifier: CHALLENGE.code_challenge } }, "wrongCode"],
    ["twitter", "no Basic", { form: CLIENT, headers: { authorization: "" } }, NO_BASIC],
  ] as const)("of %s rejects %s", async (provider, _what, changed, expected) => {
    const { simulator } = create();
    const response = await exchange(simulator, provider, await codeFor(simulator, provider), changed);
    expect(await jsonOf(response)).toEqual(typeof expected === "string" ? REAL[provider][expected] : expected);
  });

  it.each(PROVIDERS)("of %s accepts a code once", async (provider) => {
    const { simulator } = create();
    const code = await codeFor(simulator, provider);
    await exchange(simulator, provider, code);
    expect(await jsonOf(await exchange(simulator, provider, code))).toEqual(REAL[provider].wrongCode);
  });

  it.each(PROVIDERS)("of %s rejects a code of another provider", async (provider) => {
    const { simulator } = create();
    const other = provider === "google" ? "github" : "google";
    const form = { redirect_uri: callbackUrl(other), code_verifier: undefined };
    const response = await exchange(simulator, provider, await codeFor(simulator, other), { form });
    expect(await jsonOf(response)).toEqual(REAL[provider].wrongCode);
  });

  it("accepts a code for ten minutes", async () => {
    const { simulator, clock } = create();
    const [early, late] = [await codeFor(simulator, "google"), await codeFor(simulator, "google")];
    clock.advance(599);
    expect((await exchange(simulator, "google", early)).status).toBe(200);
    clock.advance(2);
    expect(await jsonOf(await exchange(simulator, "google", late))).toEqual(REAL.google.wrongCode);
  });

  it("compares the verifier with the challenge of every request that has one", async () => {
    const { simulator } = create();
    const right = await exchange(simulator, "google", await codeFor(simulator, "google", CHALLENGE), {
      form: { code_verifier: VERIFIER },
    });
    expect(right.status).toBe(200);
    const none = await exchange(simulator, "google", await codeFor(simulator, "google", CHALLENGE));
    expect(await jsonOf(none)).toEqual(REAL.google.wrongCode);
  });

  it("of github answers form-encoded unless asked for JSON, errors included", async () => {
    const { simulator } = create();
    const ask = async (code: string): Promise<[string | undefined, object]> => {
      const { headers, text } = await exchange(simulator, "github", code, { headers: { accept: "*/*" } });
      return [headers.get("content-type"), Object.fromEntries(new URLSearchParams(text))];
    };
    const type = "application/x-www-form-urlencoded; charset=utf-8";
    const body = { access_token, ...REAL.github.token };
    expect(await ask(await codeFor(simulator, "github"))).toEqual([type, body]);
    expect(await ask("wrong")).toEqual([type, REAL.github.wrongCode[1]]);
  });

  it("rejects other grant types, and GET", async () => {
    const { simulator } = create();
    const code = await codeFor(simulator, "google");
    const response = await exchange(simulator, "google", code, { form: { grant_type: "client_credentials" } });
    expect(await jsonOf(response)).toEqual([400, { error: "unsupported_grant_type" }]);
    const got = await simulator.ask(addressOf(simulator, "google", "token"), { method: "GET" });
    expect(await jsonOf(got)).toEqual([404, { message: "Not Found" }]);
  });
});

describe("A simulated profile endpoint", () => {
  const RESOURCES = PROVIDERS.flatMap((provider) =>
    Object.entries(REAL[provider].resources(PICTURE)).map(([name, body]) => [provider, name, body] as const),
  );

  it.each(RESOURCES)("of %s answers like the real one: %s", async (provider, name, body) => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, provider);
    expect(await jsonOf(await get(simulator, addressOf(simulator, provider, name), token))).toEqual([200, body]);
  });

  it.each(RESOURCES)("of %s needs an access token: %s", async (provider, name) => {
    const { simulator, clock } = create();
    const address = addressOf(simulator, provider, name);
    const refused = REAL[provider].wrongToken;
    expect(await jsonOf(await get(simulator, address, "wrong"))).toEqual(refused);
    const anonymous = await simulator.ask(address, { method: "GET", headers: { "user-agent": "x" } });
    expect(await jsonOf(anonymous)).toEqual(refused);
    for (const other of PROVIDERS.filter((candidate) => candidate !== provider)) {
      expect(await jsonOf(await get(simulator, address, await accessTokenFor(simulator, other)))).toEqual(refused);
    }
    // GitHub's do not expire.
    if (provider === "github") return;
    const token = await accessTokenFor(simulator, provider);
    clock.advance(7201);
    expect(await jsonOf(await get(simulator, address, token))).toEqual(refused);
  });

  it("of github requires a User-Agent", async () => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "github");
    const more = { headers: { "user-agent": "" } };
    expect((await get(simulator, addressOf(simulator, "github", "user"), token, more)).status).toBe(403);
  });

  it("of github returns no e-mail addresses without their scope", async () => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "github", { scope: "read:user" });
    expect((await get(simulator, addressOf(simulator, "github", "user"), token)).status).toBe(200);
    const emails = await get(simulator, addressOf(simulator, "github", "emails"), token);
    expect(await jsonOf(emails)).toEqual([404, { message: "Not Found" }]);
  });

  it.each(["users.read", "tweet.read", ""])("of twitter requires both of its scopes, not only %j", async (scope) => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "twitter", { scope });
    const response = await get(simulator, addressOf(simulator, "twitter", "me"), token);
    expect(await jsonOf(response)).toEqual([403, { title: "Forbidden", status: 403 }]);
  });

  it("is at no other address", async () => {
    const { simulator } = create();
    const token = await accessTokenFor(simulator, "google");
    const response = await get(simulator, `${FRONT}/__svc/simulator/google/elsewhere`, token);
    expect(await jsonOf(response)).toEqual([404, { message: "Not Found" }]);
    await expect(get(simulator, "https://www.googleapis.com/userinfo", token)).rejects.toThrow(
      "The simulator has nothing at https://www.googleapis.com",
    );
  });
});
