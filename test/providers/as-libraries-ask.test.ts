import { describe, expect, it } from "vitest";
import {
  authorize,
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
import { basic, CHALLENGE, VERIFIER } from "../_picker.ts";
import { useDirectory } from "../_config.ts";

useDirectory();

const FORM = "application/x-www-form-urlencoded";

describe("The simulated GitHub, as octokit and others ask it,", () => {
  it("takes a token by either scheme, and says its scopes and limits", async () => {
    const server = await startWithClients();
    const { access_token = "" } = await tokensAt(server, "github");
    for (const scheme of ["token", "Bearer", "bearer"]) {
      const headers = { authorization: `${scheme} ${access_token}`, "user-agent": "octokit" };
      const answer = await fetch(`${issuerAt(server, "github")}/user`, { headers });
      expect([scheme, answer.status]).toEqual([scheme, 200]);
      expect(answer.headers.get("x-oauth-scopes")).toBe("user:email, read:user");
      expect(answer.headers.get("x-ratelimit-limit")).toBe("5000");
    }
    const refused = await fetch(`${issuerAt(server, "github")}/user`, { headers: { authorization: "token x" } });
    expect([refused.status, await refused.json()]).toEqual([
      401,
      expect.objectContaining({ message: "Bad credentials" }),
    ]);
  });

  it("takes JSON at its token endpoint", async () => {
    const server = await startWithClients();
    const { client_id, client_secret } = clientOf("github");
    const code = await codeAt(server, "github");
    const headers = { accept: "application/json", "content-type": "application/json" };
    const body = JSON.stringify({ client_id, client_secret, code });
    const answer = await fetch(`${issuerAt(server, "github")}/access_token`, { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ token_type: "bearer", access_token: expect.any(String) });
    const broken = await fetch(`${issuerAt(server, "github")}/access_token`, { method: "POST", headers, body: "{" });
    expect(await bodyOf(broken)).toEqual([400, expect.objectContaining({ error: "invalid_request" })]);
  });

  it("has the paths of GitHub Enterprise", async () => {
    const server = await startWithClients();
    const issuer = issuerAt(server, "github");
    const { client_id, client_secret } = clientOf("github");
    const asked = new URLSearchParams({ response_type: "code", client_id, scope: "user:email", login_hint: "ada" });
    const begun = await fetch(`${issuer}/login/oauth/authorize?${asked.toString()}`, { redirect: "manual" });
    const code = new URL(begun.headers.get("location")!).searchParams.get("code")!;
    const body = new URLSearchParams({ client_id, client_secret, code });
    const tokens = await fetch(`${issuer}/login/oauth/access_token`, { method: "POST", body });
    const access_token = new URLSearchParams(await tokens.text()).get("access_token")!;
    for (const path of ["/api/v3/user", "/api/v3/user/emails"])
      expect((await resource(server, "github", path, access_token)).status).toBe(200);
  });

  it("takes a request as GitHub documents it: with login, and without response_type", async () => {
    const server = await startWithClients();
    const asked = { response_type: undefined, login_hint: undefined, login: "ada" };
    expect((await authorize(server, "github", asked)).headers.get("location")).toContain("?code=");
    expect((await authorize(server, "google", { response_type: undefined })).status).toBe(400);
  });

  it("lists thirty addresses a page, with links to the others", async () => {
    const server = await startWithClients();
    const emails = Array.from({ length: 40 }, (_, n) => ({
      email: `n${n}@acme.test`,
      primary: n === 35,
      verified: true,
    }));
    const github = { id: 77, login: "many", emails };
    await server.control("POST /personas", { id: "many", name: "Many", email: "n35@acme.test", github });
    const { access_token } = await tokensAt(server, "github", { login_hint: "many" });
    const first = await resource(server, "github", "/user/emails", access_token);
    expect(await first.json()).toHaveLength(30);
    const [, next] = /<([^>]*)>; rel="next"/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await fetch(next!, { headers: { authorization: `token ${access_token}`, "user-agent": "shop" } });
    expect(await second.json()).toHaveLength(10);
    expect(second.headers.get("link")).toMatch(/rel="prev"/);
    const whole = await resource(server, "github", "/user/emails?per_page=100", access_token);
    expect([((await whole.json()) as []).length, whole.headers.get("link")]).toEqual([40, null]);
  });

  it("takes any port of a registered loopback address, and nothing else that differs", async () => {
    const server = await startWithClients();
    const redirect_uris = ["http://127.0.0.1:3000/callback"];
    const client = { provider: "github", client_id: "native", client_secret: "s", redirect_uris };
    await server.control("POST /instances/acme/clients", client);
    const statusAt = async (redirect_uri: string): Promise<number> =>
      (await authorize(server, "github", { client_id: "native", redirect_uri })).status;
    expect(await statusAt("http://127.0.0.1:51234/callback")).toBe(302);
    for (const other of [
      "http://127.0.0.1:51234/other",
      "http://localhost:51234/callback",
      "http://127.0.0.1.evil.test/callback",
    ])
      expect([other, await statusAt(other)]).toEqual([other, 400]);
    expect(
      (await authorize(server, "google", { redirect_uri: callbackOf("google").replace("3000", "3001") })).status,
    ).toBe(400);
  });
});

describe("The simulated Google, as passport and others ask it,", () => {
  it("takes a token in the query and in a form, and has the parts of a name", async () => {
    const server = await startWithClients();
    const { access_token = "" } = await tokensAt(server, "google");
    const userinfo = `${issuerAt(server, "google")}/userinfo`;
    const inQuery = await fetch(`${userinfo}?access_token=${encodeURIComponent(access_token)}`);
    expect(await inQuery.json()).toMatchObject({ name: "Ada Lovelace", given_name: "Ada", family_name: "Lovelace" });
    const inForm = await fetch(userinfo, { method: "POST", body: new URLSearchParams({ access_token }) });
    expect(inForm.status).toBe(200);
    expect(await bodyOf(await fetch(`${userinfo}?access_token=x`))).toEqual([
      401,
      { error: "invalid_request", error_description: "Invalid Credentials" },
    ]);
  });

  it("gives a refresh token at the first consent alone, and again when it is asked for consent", async () => {
    const server = await startWithClients();
    const offline = async (more = {}) =>
      (await tokensAt(server, "google", { access_type: "offline", ...more }))["refresh_token"];
    expect(await offline()).toEqual(expect.any(String));
    expect(await offline()).toBeUndefined();
    expect(await offline({ login_hint: "alan" })).toEqual(expect.any(String));
    expect(await offline({ prompt: "consent" })).toEqual(expect.any(String));
  });

  it("refuses prompt=none where a page would be shown", async () => {
    const server = await startWithClients();
    const answer = await authorize(server, "google", { prompt: "none", login_hint: undefined });
    const { error, state } = Object.fromEntries(new URL(answer.headers.get("location")!).searchParams);
    expect([error, state]).toEqual(["interaction_required", "the-state"]);
  });

  it("revokes a token with all that came of the same consent", async () => {
    const server = await startWithClients();
    const { access_token = "", refresh_token = "" } = await tokensAt(server, "google", { access_type: "offline" });
    const document = await fetch(`${issuerAt(server, "google")}/.well-known/openid-configuration`);
    const { revocation_endpoint } = (await document.json()) as Record<string, string>;
    const body = new URLSearchParams({ token: refresh_token });
    expect((await fetch(revocation_endpoint!, { method: "POST", body })).status).toBe(200);
    expect((await resource(server, "google", "/userinfo", access_token)).status).toBe(401);
    const form = { grant_type: "refresh_token", refresh_token, code: undefined };
    expect((await exchange(server, "google", "", { form })).status).toBe(400);
    expect((await fetch(revocation_endpoint!, { method: "POST", body })).status).toBe(400);
    const unknown = await fetch(revocation_endpoint!, { method: "POST", body: new URLSearchParams({ token: "x" }) });
    expect(await bodyOf(unknown)).toEqual([400, expect.objectContaining({ error: "invalid_token" })]);
  });
});

describe("The simulated X", () => {
  const PUBLIC = { provider: "twitter", client_id: "app", redirect_uris: ["http://localhost:3000/x"] };

  it("has public clients, which prove themselves by PKCE alone", async () => {
    const server = await startWithClients();
    await server.control("POST /instances/acme/clients", PUBLIC);
    const changed = { client_id: "app", redirect_uri: PUBLIC.redirect_uris[0] };
    const tokens = async (form: Record<string, string | undefined>) => {
      const code = await codeAt(server, "twitter", changed);
      const body = { grant_type: "authorization_code", code, ...changed, code_verifier: VERIFIER, ...form };
      const sent = Object.entries(body).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return fetch(`${issuerAt(server, "twitter")}/token`, { method: "POST", body: new URLSearchParams(sent) });
    };
    expect((await tokens({})).status).toBe(200);
    expect((await tokens({ code_verifier: undefined })).status).toBe(400);
    expect((await tokens({ client_secret: "x" })).status).toBe(401);
    // A client that has a secret is none of them.
    const code = await codeAt(server, "twitter", CHALLENGE);
    const refused = await exchange(server, "twitter", code, { headers: { authorization: "" } });
    expect(refused.status).toBe(401);
  });

  it("revokes a token, and refuses one in its own words", async () => {
    const server = await startWithClients();
    const { access_token = "" } = await tokensAt(server, "twitter");
    const { client_id, client_secret } = clientOf("twitter");
    const headers = { "content-type": FORM, ...basic({ client_id, client_secret }) };
    const body = new URLSearchParams({ token: access_token });
    const answer = await fetch(`${issuerAt(server, "twitter")}/revoke`, { method: "POST", headers, body });
    expect(await bodyOf(answer)).toEqual([200, { revoked: true }]);
    const refused = await resource(server, "twitter", "/users/me", access_token);
    expect(await bodyOf(refused)).toEqual([401, expect.objectContaining({ title: "Unauthorized" })]);
  });
});

describe("A token endpoint", () => {
  it.each([
    ["as it is", "shop-google:a:b+c", 200],
    ["form-encoded", "shop-google:a%3Ab%2Bc", 200],
    ["with more behind it", "shop-google:a:b+c:more", 401],
    ["cut short", "shop-google:a", 401],
    ["without a colon", "shop-google", 401],
  ])("takes a secret by HTTP Basic %s: %s gives %i", async (_, pair, status) => {
    const server = await startWithClients();
    await server.control("PATCH /instances/acme/clients/shop-google", { client_secret: "a:b+c" });
    const code = await codeAt(server, "google");
    const headers = { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
    const form = { client_id: undefined, client_secret: undefined };
    expect((await exchange(server, "google", code, { headers, form })).status).toBe(status);
  });

  it("refuses a repeated parameter, and whatever is no form", async () => {
    const server = await startWithClients();
    const code = await codeAt(server, "google");
    const token = `${issuerAt(server, "google")}/token`;
    const ask = async (body: string, type = FORM) =>
      bodyOf(await fetch(token, { method: "POST", headers: { "content-type": type }, body }));
    const refused = [400, expect.objectContaining({ error: "invalid_request" })];
    expect(await ask(`grant_type=authorization_code&code=${code}&code=${code}`)).toEqual(refused);
    expect(await ask(JSON.stringify({ grant_type: "authorization_code", code }), "application/json")).toEqual(refused);
    expect(await ask("x", "text/plain")).toEqual(refused);
  });

  it("T74: takes nothing of a client that was deleted and made again with another secret or at another instance", async () => {
    const server = await startWithClients();
    const mine = { provider: "google", client_id: "mine", client_secret: "one", redirect_uris: [callbackOf("google")] };
    await server.control("POST /instances/acme/clients", mine);
    const own = { client_id: "mine", access_type: "offline" };
    const first = { form: { client_id: "mine", client_secret: "one" } };
    const old = await tokensAt(server, "google", own, first);
    const code = await codeAt(server, "google", own);
    await server.control("DELETE /instances/acme/clients/mine");
    await server.control("POST /instances/globex/clients", { ...mine, client_secret: "two" });
    const second = { client_id: "mine", client_secret: "two" };
    expect((await exchange(server, "google", code, { form: second })).status).toBe(400);
    const form = { ...second, grant_type: "refresh_token", refresh_token: old["refresh_token"], code: undefined };
    expect((await exchange(server, "google", "", { form })).status).toBe(400);
    expect((await resource(server, "google", "/userinfo", old["access_token"])).status).toBe(401);
  });
});
