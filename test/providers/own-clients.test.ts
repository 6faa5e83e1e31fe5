import { createHash } from "node:crypto";
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROVIDERS, type Provider } from "../../src/wire/providers.ts";
import { directory, useDirectory } from "../_config.ts";
import {
  answeredTo,
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
import { CHALLENGE, VERIFIER } from "../_picker.ts";
import { REAL } from "./_real.ts";

useDirectory();

const PROFILES: Readonly<Record<string, string>> = { google: "/userinfo", github: "/user", twitter: "/users/me" };
const profileOf = (provider: Provider): string => PROFILES[provider] ?? "";

describe("A simulated provider, for an application's own client,", () => {
  it.each(PROVIDERS)("signs its user in: %s", async (provider) => {
    const server = await startWithClients();
    const answer = await authorize(server, provider);
    const { code = "", ...others } = await answeredTo(answer);
    expect(answer.headers.get("location")).toMatch(`${callbackOf(provider)}?code=`);
    expect(others).toEqual({ state: "the-state", ...(provider === "google" && { iss: issuerAt(server, provider) }) });
    const [status, tokens] = await bodyOf(await exchange(server, provider, code));
    const own = { access_token: expect.any(String), ...(provider === "google" && { id_token: expect.any(String) }) };
    expect([status, tokens]).toEqual([200, { ...REAL[provider].token, ...own }]);
    const picture = `${server.url}/__svc/simulator/avatars/ada.svg`;
    const [expected] = Object.values(REAL[provider].resources(picture));
    const profile = await resource(server, provider, profileOf(provider), String(tokens["access_token"]));
    expect(await bodyOf(profile)).toEqual([200, expected]);
  });

  it("of github lists e-mail addresses, answers form-encoded unless asked for JSON, and lets out what GitHub does", async () => {
    const server = await startWithClients();
    const code = await codeAt(server, "github", { redirect_uri: undefined, ...CHALLENGE });
    const form = { grant_type: undefined, redirect_uri: undefined, code_verifier: VERIFIER };
    const answer = await exchange(server, "github", code, { form, headers: { accept: "*/*" } });
    expect(answer.headers.get("content-type")).toBe("application/x-www-form-urlencoded; charset=utf-8");
    const tokens = Object.fromEntries(new URLSearchParams(await answer.text()));
    const emails = await resource(server, "github", "/user/emails", tokens["access_token"]);
    expect((await emails.json()) as object).toEqual(REAL.github.resources("").emails);
  });

  it("takes a code once, for ten minutes of the service's clock", async () => {
    const server = await startWithClients();
    const [early, late] = [await codeAt(server, "google"), await codeAt(server, "google")];
    expect((await exchange(server, "google", early)).status).toBe(200);
    expect(await bodyOf(await exchange(server, "google", early))).toEqual(REAL.google.wrongCode);
    await server.control("POST /clock/advance", { by: "601s" });
    expect(await bodyOf(await exchange(server, "google", late))).toEqual(REAL.google.wrongCode);
  });

  it("ends an access token when its time is over: an hour at google, two at twitter, never at github", async () => {
    const server = await startWithClients();
    const tokens = await Promise.all(PROVIDERS.map((provider) => tokensAt(server, provider)));
    const statuses = (): Promise<number[]> =>
      Promise.all(
        PROVIDERS.map(
          async (provider, n) =>
            (await resource(server, provider, profileOf(provider), tokens[n]?.["access_token"])).status,
        ),
      );
    expect(PROVIDERS).toEqual(["google", "github", "twitter"]);
    expect(await statuses()).toEqual([200, 200, 200]);
    await server.control("POST /clock/advance", { by: "61m" });
    expect(await statuses()).toEqual([401, 200, 200]);
    await server.control("POST /clock/advance", { by: "60m" });
    expect(await statuses()).toEqual([401, 200, 401]);
  });

  it.each([
    ["google", { access_type: "offline" }],
    ["twitter", { scope: "users.read tweet.read offline.access" }],
  ] as const)("of %s gives a refresh token to whoever asks for one", async (provider, asked) => {
    const server = await startWithClients();
    expect((await tokensAt(server, provider))["refresh_token"]).toBeUndefined();
    const { refresh_token } = await tokensAt(server, provider, asked);
    await server.control("POST /clock/advance", { by: "121m" });
    const form = { grant_type: "refresh_token", refresh_token, code: undefined, code_verifier: undefined };
    const [status, again] = await bodyOf(await exchange(server, provider, "", { form }));
    expect(status).toBe(200);
    const profile = await resource(server, provider, profileOf(provider), String(again["access_token"]));
    expect(profile.status).toBe(200);
    // Google's stays. Twitter's is replaced, and good once.
    const [next] = await bodyOf(await exchange(server, provider, "", { form }));
    expect(next).toBe(provider === "google" ? 200 : 400);
    expect(again["refresh_token"]).toEqual(provider === "google" ? undefined : expect.any(String));
  });

  it("of github knows no refresh token", async () => {
    const server = await startWithClients();
    const form = { grant_type: "refresh_token", refresh_token: "x" };
    const answer = await bodyOf(await exchange(server, "github", "", { form }));
    expect(answer).toEqual([400, { error: "unsupported_grant_type" }]);
  });

  it("leaves out the state if the application sends none", async () => {
    const server = await startWithClients();
    const answered = await answeredTo(await authorize(server, "github", { state: undefined }));
    expect(Object.keys(answered)).toEqual(["code"]);
  });

  it("takes the clients of the configuration, which belong to the first instance", async () => {
    const server = await startWithClients({ clients: [clientOf("google", "configured")] });
    const { client_id, client_secret } = clientOf("google", "configured");
    const code = await codeAt(server, "google", { client_id });
    expect((await exchange(server, "google", code, { form: { client_id, client_secret } })).status).toBe(200);
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data).toMatchObject({ instance: server.instances[0]!.id, client_id });
  });
});

describe("The simulated Google is an OpenID provider", () => {
  it("whose id_tokens its keys verify", async () => {
    const server = await startWithClients();
    const issuer = issuerAt(server, "google");
    const document = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as { jwks_uri: string };
    const { id_token = "", access_token = "" } = await tokensAt(server, "google", { nonce: "the-nonce" });
    const { client_id } = clientOf("google");
    const keys = createRemoteJWKSet(new URL(document.jwks_uri));
    const { payload, protectedHeader } = await jwtVerify(id_token, keys, { issuer, audience: client_id });
    expect(protectedHeader).toEqual({ alg: "RS256", kid: expect.any(String), typ: "JWT" });
    const at_hash = createHash("sha256").update(access_token).digest().subarray(0, 16).toString("base64url");
    expect(payload).toEqual({
      iss: issuer,
      aud: client_id,
      azp: client_id,
      sub: "1001",
      email: "ada@acme.test",
      email_verified: true,
      name: "Ada Lovelace",
      given_name: "Ada",
      family_name: "Lovelace",
      picture: `${server.url}/__svc/simulator/avatars/ada.svg`,
      nonce: "the-nonce",
      at_hash,
      iat: expect.any(Number),
      exp: Number(payload.iat) + 3600,
    });
  });

  it("which says no more of an account than was asked for, and of a Workspace account its domain", async () => {
    const server = await startWithClients();
    const google = { sub: "9001", email_verified: true, hd: "acme.test" };
    await server.control("POST /personas", { id: "worker", name: "Worker", email: "worker@acme.test", google });
    const { id_token = "", access_token } = await tokensAt(server, "google", { login_hint: "worker", scope: "openid" });
    expect(decodeJwt(id_token)).toMatchObject({ sub: "9001", hd: "acme.test" });
    const userinfo = await resource(server, "google", "/userinfo", access_token);
    expect((await userinfo.json()) as object).toEqual({ sub: "9001", hd: "acme.test" });
    expect(Object.keys(decodeJwt(id_token)).toSorted()).toEqual(
      ["at_hash", "aud", "azp", "exp", "hd", "iat", "iss", "sub"].toSorted(),
    );
  });

  it("by the service's clock", async () => {
    const server = await startWithClients();
    await server.control("POST /clock/freeze", { at: "2030-01-01T00:00:00Z" });
    const { id_token = "" } = await tokensAt(server, "google");
    const iat = Date.parse("2030-01-01T00:00:00Z") / 1000;
    expect(decodeJwt(id_token)).toMatchObject({ iat, exp: iat + 3600 });
  });

  it("whose key outlives a restart of a store that does", async () => {
    const keys = [];
    let token = "";
    for (let n = 0; n < 2; n++) {
      const server = await startWithClients({ store: join(directory, "db.json") });
      keys.push(await (await resource(server, "google", "/jwks")).json());
      // So do access tokens.
      if (token !== "") expect((await resource(server, "google", "/userinfo", token)).status).toBe(200);
      token = (await tokensAt(server, "google"))["access_token"]!;
      await server.close();
    }
    expect(keys[0]).toEqual(keys[1]);
    const [
      {
        keys: [key],
      },
    ] = keys as [{ keys: [Record<string, unknown>] }];
    // The private key is never shown.
    expect(Object.keys(key).toSorted()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
    const other = await startWithClients();
    expect(await (await resource(other, "google", "/jwks")).json()).not.toEqual(keys[0]);
  });

  it.each(["id_token_expired", "wrong_nonce", "wrong_audience", "unknown_kid"])(
    "with the outcome %s",
    async (outcome) => {
      const server = await startWithClients();
      await server.control("POST /scenarios", { outcome, match: { provider: "google" } });
      const wrong = (await tokensAt(server, "google", { nonce: "the-nonce" }))["id_token"]!;
      const right = (await tokensAt(server, "google", { nonce: "the-nonce" }))["id_token"]!;
      const [bad, good] = [decodeJwt(wrong), decodeJwt(right)];
      const { client_id } = clientOf("google");
      const isBad = {
        id_token_expired: bad.exp! < Date.now() / 1000 - 3000,
        wrong_nonce: bad["nonce"] !== "the-nonce",
        wrong_audience: bad.aud !== client_id && bad["azp"] !== client_id,
        unknown_kid: decodeProtectedHeader(wrong).kid !== decodeProtectedHeader(right).kid,
      };
      expect(Object.entries(isBad).filter(([, is]) => is)).toEqual([[outcome, true]]);
      expect(good).toMatchObject({ aud: client_id, nonce: "the-nonce" });
    },
  );

  it("only for an application: svc's own sign-in gets no id_token, and none of its outcomes", async () => {
    const server = await startWithClients();
    const answered = await server.control("POST /sign-ins", { outcome: "wrong_nonce", as: "ada" });
    expect([answered.status, answered.body.error]).toEqual([
      400,
      "Bad request: outcome: wrong_nonce happens only in a sign-in of an application's own client",
    ]);
    const { body } = await server.control("POST /sign-ins", { as: "ada" });
    const flow = (await server.control(`GET /flows/${body.flow_id}`)).body.data;
    expect(flow.steps.find(({ name }: { name: string }) => name === "token").answered).not.toHaveProperty("id_token");
    expect(flow.client_id).toBeNull();
  });
});
