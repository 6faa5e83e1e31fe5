import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import passport from "passport";
import { Strategy, type Profile, type StrategyOptions } from "passport-github2";
import { describe, expect, it, onTestFinished } from "vitest";
import { callbackOf, clientOf, issuerAt, startWithClients } from "../_own-clients.ts";
import type { ControlledServer } from "../_control.ts";

const { client_id, client_secret } = clientOf("google");
const HTTP = { [oauth.allowInsecureRequests]: true };

/** Where the provider sends the browser, which chose an account by its hint. */
async function redirected(url: string | URL): Promise<URL> {
  const answer = await fetch(url, { redirect: "manual" });
  return new URL(answer.headers.get("location") ?? `http://no.redirect/${answer.status}`);
}

/** The next sign-in ends so. */
async function next(server: ControlledServer, outcome: string): Promise<void> {
  expect((await server.control("POST /scenarios", { outcome })).status).toBe(201);
}

describe("oauth4webapi, by discovery of the simulated Google,", () => {
  const client: oauth.Client = { client_id };

  /** As its documentation has it: code flow with PKCE, state, nonce and an id_token. */
  async function signIn(server: ControlledServer) {
    const issuer = new URL(issuerAt(server, "google"));
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, HTTP));
    const code_verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = new URL(as.authorization_endpoint!);
    url.search = new URLSearchParams({
      client_id,
      redirect_uri: callbackOf("google"),
      response_type: "code",
      scope: "openid email profile",
      access_type: "offline",
      code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: "S256",
      state,
      nonce,
      login_hint: "ada@acme.test",
    }).toString();
    const parameters = oauth.validateAuthResponse(as, client, await redirected(url), state);
    const auth = oauth.ClientSecretPost(client_secret);
    const callback = callbackOf("google");
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      parameters,
      callback,
      code_verifier,
      HTTP,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(as, answer, HTTP);
    return { as, auth, tokens, claims: oauth.getValidatedIdTokenClaims(tokens)! };
  }

  it("signs in, reads the profile, and refreshes", async () => {
    const server = await startWithClients();
    const { as, auth, tokens, claims } = await signIn(server);
    expect(claims).toMatchObject({ sub: "1001", email: "ada@acme.test", email_verified: true });
    const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, HTTP);
    const profile = await oauth.processUserInfoResponse(as, client, claims.sub, userinfo);
    expect(profile).toMatchObject({ sub: "1001", name: "Ada Lovelace" });
    const refresh = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token!, HTTP);
    const again = await oauth.processRefreshTokenResponse(as, client, refresh);
    expect(oauth.getValidatedIdTokenClaims(again)?.sub).toBe("1001");
  });

  it.each([
    ["access_denied", "authorization response from the server is an error"],
    ["code_rejected", "server responded with an error in the response body"],
    ["token_garbage", "content-type must be application/json"],
    ["id_token_expired", 'unexpected JWT "exp" (expiration time) claim value'],
    ["wrong_nonce", 'unexpected ID Token "nonce" claim value'],
    ["wrong_audience", 'unexpected JWT "aud" (audience) claim value'],
    ["unknown_kid", "error when selecting a JWT verification key"],
  ])("sees %s", async (outcome, message) => {
    const server = await startWithClients();
    await next(server, outcome);
    await expect(signIn(server)).rejects.toThrow(message);
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data).toMatchObject({ requested_outcome: outcome, client_id });
  });

  it("sees an expired access token", async () => {
    const server = await startWithClients();
    const { as, tokens, claims } = await signIn(server);
    await server.control("POST /clock/advance", { by: "61m" });
    const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, HTTP);
    const read = oauth.processUserInfoResponse(as, client, claims.sub, userinfo);
    await expect(read).rejects.toMatchObject({ cause: [{ scheme: "bearer", parameters: { error: "invalid_token" } }] });
  });
});

describe("openid-client, by discovery of the simulated Google,", () => {
  async function signIn(server: ControlledServer, changed: Record<string, string> = {}) {
    const plainHttp = { execute: [openid.allowInsecureRequests] };
    const issuer = new URL(issuerAt(server, "google"));
    const config = await openid.discovery(issuer, client_id, client_secret, undefined, plainHttp);
    openid.enableNonRepudiationChecks(config);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: callbackOf("google"),
      scope: "openid email",
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
      nonce: expectedNonce,
      login_hint: "ada",
      ...changed,
    });
    const callback = await redirected(url);
    const tokens = await openid.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier,
      expectedState,
      expectedNonce,
    });
    return { config, tokens };
  }

  it("signs in, reads the profile, and refreshes", async () => {
    const server = await startWithClients();
    const { config, tokens } = await signIn(server, { access_type: "offline" });
    const { sub = "" } = tokens.claims() ?? {};
    const again = await openid.refreshTokenGrant(config, tokens.refresh_token!);
    expect([again.claims()?.sub, again.access_token === tokens.access_token]).toEqual([sub, false]);
    expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({ email: "ada@acme.test" });
    await server.control("POST /clock/advance", { by: "61m" });
    await expect(openid.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow();
  });

  it("sees a cancelled sign-in, an unknown key, and a redirect_uri that is not registered", async () => {
    const server = await startWithClients();
    await next(server, "access_denied");
    await expect(signIn(server)).rejects.toMatchObject({ error: "access_denied" });
    await next(server, "unknown_kid");
    await expect(signIn(server)).rejects.toThrow();
    const refused = signIn(server, { redirect_uri: "http://localhost:3000/elsewhere" });
    await expect(refused).rejects.toThrow();
    const [flow] = (await server.control("GET /flows?result=error")).body;
    expect(flow.data.reason).toMatch(
      /^redirect_uri "http:\/\/localhost:3000\/elsewhere" is not registered for this client; registered: http/,
    );
  });
});

describe("Passport's GitHub strategy, with the simulated GitHub's addresses,", () => {
  /** An Express application, which answers its callback with the profile. */
  async function application(server: ControlledServer): Promise<string> {
    const app = express();
    const listening = app.listen(0, "127.0.0.1");
    await once(listening, "listening");
    onTestFinished(() => void listening.close());
    const origin = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
    const callbackURL = `${origin}/auth/github/callback`;
    const client = { ...clientOf("github", "passport"), redirect_uris: [callbackURL] };
    expect((await server.control("POST /instances/acme/clients", client)).status).toBe(201);
    const issuer = issuerAt(server, "github");
    const verify = (_access: string, _refresh: string, profile: Profile, done: (error: null, user: Profile) => void) =>
      done(null, profile);
    const strategy = new Strategy(
      {
        clientID: client.client_id,
        clientSecret: client.client_secret,
        callbackURL,
        scope: ["user:email"],
        authorizationURL: `${issuer}/authorize`,
        tokenURL: `${issuer}/access_token`,
        userProfileURL: `${issuer}/user`,
        userEmailURL: `${issuer}/user/emails`,
      } as StrategyOptions,
      verify,
    );
    const github = new passport.Passport()
      .use(strategy as passport.Strategy)
      .authenticate("github", { session: false });
    app.get("/auth/github", github);
    app.get("/auth/github/callback", github, (request, response) => void response.json(request.user));
    app.use(((error: Error, _request, response, _next) => {
      response.status(500).send(error.message);
    }) as express.ErrorRequestHandler);
    return origin;
  }

  /** A browser that chooses Ada. */
  async function signIn(origin: string): Promise<Response> {
    const authorize = await redirected(`${origin}/auth/github`);
    authorize.searchParams.set("login_hint", "ada");
    return fetch(await redirected(authorize));
  }

  it("signs in, with the addresses of the account", async () => {
    const origin = await application(await startWithClients());
    const answer = await signIn(origin);
    expect(await answer.json()).toMatchObject({
      id: "2001",
      username: "ada",
      displayName: "Ada Lovelace",
      emails: [{ value: "ada@acme.test" }],
    });
  });

  it("sees a cancelled sign-in, a rejected code, a failing profile, and a redirect_uri that is not registered", async () => {
    const server = await startWithClients();
    const origin = await application(server);
    await next(server, "access_denied");
    expect((await signIn(origin)).status).toBe(401);
    await next(server, "code_rejected");
    expect(await (await signIn(origin)).text()).toBe("Failed to obtain access token");
    await next(server, "profile_error");
    expect(await (await signIn(origin)).text()).toBe("Failed to fetch user profile");
    const authorize = await redirected(`${origin}/auth/github`);
    authorize.searchParams.set("redirect_uri", "https://evil.test/");
    expect((await redirected(authorize)).href).toBe("http://no.redirect/400");
    const results = (await server.control("GET /flows")).body.map(
      ({ data }: { data: { reason: string } }) => data.reason,
    );
    expect(results).toEqual([
      expect.stringMatching(
        /^redirect_uri "https:\/\/evil.test\/" is not registered for this client; registered: http/,
      ),
      "As the scenario profile_error asked: GitHub's user endpoint answered 500: temporarily_unavailable.",
      "As the scenario code_rejected asked: GitHub's token endpoint answered 200: it refused the code.",
      expect.stringContaining("access_denied"),
    ]);
  });
});
