import { describe, expect, it } from "vitest";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { authorization, basic, callbackUrl, OTHER, VERIFIER } from "../_picker.ts";
import {
  bodyOf,
  callbackOf,
  clientOf,
  codeAt,
  exchange,
  issuerAt,
  resource,
  startWithClients,
  tokensAt,
} from "../_own-clients.ts";
import { SEED, setup } from "../_setup.ts";
import { REAL } from "./_real.ts";

const NO_BASIC = [401, { error: "unauthorized_client", error_description: "Missing valid authorization header" }];

describe("A simulated authorize endpoint", () => {
  const CHALLENGE_MISSING = "a code_challenge with code_challenge_method=S256 is required";
  const OTHER_REDIRECT = "redirect_uri ";

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

const other = { client_id: "other-github", client_secret: "other-secret-of-github" };
const twitter = clientOf("twitter");
const elsewhere = { redirect_uri: "http://localhost:3000/other" };

describe("A simulated token endpoint", () => {
  it.each([
    ["github", "a wrong secret", { form: { client_secret: "wrong" } }, "wrongClient"],
    ["github", "another client", { form: other }, "wrongCode"],
    ["github", "another redirect_uri", { form: elsewhere }, "wrongCode"],
    ["github", "another code", { form: { code: "wrong" } }, "wrongCode"],
    ["twitter", "a wrong secret", { headers: basic({ ...twitter, client_secret: "wrong" }) }, "wrongClient"],
    ["twitter", "another redirect_uri", { form: elsewhere }, "wrongCode"],
    ["twitter", "no verifier", { form: { code_verifier: undefined } }, "wrongCode"],
    ["twitter", "another verifier", { form: { code_verifier: VERIFIER.toLowerCase() } }, "wrongCode"],
    ["twitter", "no Basic", { form: twitter as never, headers: { authorization: "" } }, NO_BASIC],
    ["google", "no code", { form: { code: undefined } }, "wrongCode"],
    ["google", "another grant", { form: { grant_type: "password" } }, [400, { error: "unsupported_grant_type" }]],
  ] as const)("of %s rejects %s", async (provider, _what, changed, expected) => {
    const server = await startWithClients();
    const answer = await bodyOf(await exchange(server, provider, await codeAt(server, provider), changed));
    expect(answer).toEqual(typeof expected === "string" ? REAL[provider][expected] : expected);
  });

  it("rejects a code of another provider, and GET", async () => {
    const server = await startWithClients();
    const form = { redirect_uri: callbackOf("github") };
    const answer = await exchange(server, "google", await codeAt(server, "github"), { form });
    expect(await bodyOf(answer)).toEqual(REAL.google.wrongCode);
    expect((await fetch(`${issuerAt(server, "google")}/token`)).status).toBe(404);
  });

  it("of github answers an error form-encoded unless asked for JSON", async () => {
    const server = await startWithClients();
    const answer = await exchange(server, "github", "wrong", { headers: { accept: "*/*" } });
    expect(answer.headers.get("content-type")).toBe("application/x-www-form-urlencoded; charset=utf-8");
    expect(Object.fromEntries(new URLSearchParams(await answer.text()))).toEqual(REAL.github.wrongCode[1]);
  });
});

describe("A simulated profile endpoint", () => {
  it.each([
    ["google", "/userinfo"],
    ["github", "/user"],
    ["github", "/user/emails"],
    ["twitter", "/users/me"],
  ] as const)("of %s needs an access token: %s", async (provider, path) => {
    const server = await startWithClients();
    expect(await bodyOf(await resource(server, provider, path, "wrong"))).toEqual(REAL[provider].wrongToken);
    const anonymous = await fetch(issuerAt(server, provider) + path, { headers: { "user-agent": "shop" } });
    expect(await bodyOf(anonymous)).toEqual(REAL[provider].wrongToken);
  });

  it.each([
    ["github", { scope: "read:user" }, "/user", 200],
    ["github", { scope: "read:user" }, "/user/emails", 404],
    ["twitter", { scope: "users.read" }, "/users/me", 403],
    ["twitter", { scope: "tweet.read" }, "/users/me", 403],
    ["twitter", {}, "/users/you", 404],
    ["google", {}, "/elsewhere", 404],
  ] as const)("of %s answers whoever has %o at %s with %i", async (provider, asked, path, status) => {
    const server = await startWithClients();
    const { access_token } = await tokensAt(server, provider, asked);
    expect((await resource(server, provider, path, access_token)).status).toBe(status);
  });

  it("of github requires a User-Agent", async () => {
    const server = await startWithClients();
    const { access_token } = await tokensAt(server, "github");
    const headers = { authorization: `Bearer ${access_token}`, "user-agent": "" };
    expect((await fetch(`${issuerAt(server, "github")}/user`, { headers })).status).toBe(403);
  });

  it("of google says what an access token is good for, each value as text", async () => {
    const server = await startWithClients();
    const { access_token = "" } = await tokensAt(server, "google");
    const { client_id } = clientOf("google");
    const told = await resource(server, "google", `/tokeninfo?access_token=${access_token}`);
    expect(await bodyOf(told)).toEqual([
      200,
      {
        azp: client_id,
        aud: client_id,
        sub: "1001",
        scope: REAL.google.scope,
        exp: expect.stringMatching(/^\d+$/),
        expires_in: expect.stringMatching(/^\d+$/),
        email: "ada@acme.test",
        email_verified: "true",
      },
    ]);
  });
});

it("A simulated provider forgets an access token that is revoked, for the client that has it", async () => {
  const server = await startWithClients();
  const { access_token = "" } = await tokensAt(server, "twitter");
  const revoke = async (headers: Record<string, string>): Promise<[number, Record<string, unknown>]> => {
    const body = new URLSearchParams({ token: access_token });
    return bodyOf(await fetch(`${issuerAt(server, "twitter")}/revoke`, { method: "POST", headers, body }));
  };
  expect((await revoke({}))[0]).toBe(401);
  expect((await resource(server, "twitter", "/users/me", access_token)).status).toBe(200);
  expect(await revoke(basic(twitter))).toEqual([200, { revoked: true }]);
  expect(await revoke(basic(twitter))).toEqual([200, { revoked: false }]);
  expect((await resource(server, "twitter", "/users/me", access_token)).status).toBe(401);
});
