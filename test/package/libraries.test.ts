import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import express from "express";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Provider } from "../../src/wire/providers.ts";
import type { ControlledServer } from "../_control.ts";
import { callbackOf, clientOf, issuerAt, startWithClients } from "../_own-clients.ts";

/** Of the table in docs/testing.md. The others of it are tried in test/providers and by the examples. */
const PACKAGES = [
  "octokit@5.0.5",
  "@octokit/oauth-methods@6.0.5",
  "passport@0.7.0",
  "passport-google-oauth20@2.0.0",
  "grant@5.4.24",
  "express-session@1.19.0",
  "simple-oauth2@5.1.0",
  "arctic@3.7.0",
  "google-auth-library@10.9.1",
];

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-libraries-"));
  await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }');
  const options = ["--no-audit", "--no-fund", "--prefer-offline"];
  await promisify(execFile)("npm", ["install", ...options, ...PACKAGES], { cwd: directory });
}, 600_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A package as it is installed there, without its types. */
// oxlint-disable-next-line typescript/no-explicit-any
function load(name: string): Promise<any> {
  const { resolve } = createRequire(join(directory, "package.json"));
  return import(pathToFileURL(resolve(name)).href);
}

/** Where the browser is sent, which follows one redirect. */
async function redirected(url: string | URL, headers: Record<string, string> = {}): Promise<[URL, Response]> {
  const answer = await fetch(url, { redirect: "manual", headers });
  return [new URL(answer.headers.get("location") ?? `http://no.redirect/${answer.status}`, url), answer];
}

/** What the provider sends to the application once Ada has chosen her account. */
async function chosen(authorize: string | URL): Promise<URLSearchParams> {
  const url = new URL(authorize);
  url.searchParams.set("login_hint", "ada");
  return (await redirected(url))[0].searchParams;
}

/** The next sign-in ends so. */
async function next(server: ControlledServer, outcome: string): Promise<void> {
  expect((await server.control("POST /scenarios", { outcome })).status).toBe(201);
}

/** An Express application with a client of its own, at whose callback the library is. */
async function application(server: ControlledServer, provider: Provider, path: string) {
  const app = express();
  const listening = app.listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => {
    listening.close().closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const client = { ...clientOf(provider, "express"), redirect_uris: [origin + path] };
  expect((await server.control("POST /instances/acme/clients", client)).status).toBe(201);
  /** A browser that begins there, chooses Ada and comes back. */
  const signIn = async (begin: string): Promise<Response> => {
    const [authorize, begun] = await redirected(origin + begin);
    const cookie = begun.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    authorize.searchParams.set("login_hint", "ada");
    const [callback] = await redirected(authorize);
    return fetch(callback, { headers: { cookie } });
  };
  return { app, origin, client, signIn };
}

const { client_id, client_secret } = clientOf("google");
const github = clientOf("github");

describe("octokit, with its methods for OAuth,", () => {
  async function signIn(server: ControlledServer) {
    const { getWebFlowAuthorizationUrl, exchangeWebFlowCode } = await load("@octokit/oauth-methods");
    const { Octokit } = await load("octokit");
    const baseUrl = `${issuerAt(server, "github")}/api/v3`;
    const { request } = new Octokit({ baseUrl });
    const app = { clientType: "oauth-app", clientId: github.client_id, request };
    const { url } = getWebFlowAuthorizationUrl({ ...app, state: "s", scopes: ["user:email"] });
    const answered = await chosen(url);
    if (answered.has("error")) throw new Error(answered.get("error")!);
    const exchanged = { ...app, clientSecret: github.client_secret, code: answered.get("code") };
    const { authentication } = await exchangeWebFlowCode(exchanged);
    return { authentication, octokit: new Octokit({ auth: authentication.token, baseUrl }) };
  }

  it("signs in, and reads profile and addresses", async () => {
    const server = await startWithClients();
    const { authentication, octokit } = await signIn(server);
    expect(authentication).toMatchObject({ clientType: "oauth-app", scopes: ["user:email"] });
    const { data } = await octokit.rest.users.getAuthenticated();
    expect(data).toMatchObject({ id: 2001, login: "ada" });
    const emails = await octokit.paginate("GET /user/emails");
    expect(emails).toContainEqual(expect.objectContaining({ email: "ada@acme.test", primary: true }));
  });

  it("sees a cancelled sign-in and a rejected code", async () => {
    const server = await startWithClients();
    await next(server, "access_denied");
    await expect(signIn(server)).rejects.toThrow("access_denied");
    await next(server, "code_rejected");
    await expect(signIn(server)).rejects.toThrow(/The code passed is incorrect or expired/);
  });
});

describe("Passport's Google strategy", () => {
  async function start(server: ControlledServer) {
    const { Passport } = (await load("passport")).default;
    const { Strategy } = (await load("passport-google-oauth20")).default;
    const place = await application(server, "google", "/auth/google/callback");
    const issuer = issuerAt(server, "google");
    const strategy = new Strategy(
      {
        clientID: place.client.client_id,
        clientSecret: place.client.client_secret,
        callbackURL: `${place.origin}/auth/google/callback`,
        scope: ["openid", "profile", "email"],
        authorizationURL: `${issuer}/authorize`,
        tokenURL: `${issuer}/token`,
        userProfileURL: `${issuer}/userinfo`,
      },
      (_access: string, refreshToken: string, profile: object, done: (error: null, user: object) => void) =>
        done(null, { ...profile, refreshToken }),
    );
    const google = new Passport().use(strategy).authenticate("google", { session: false, accessType: "offline" });
    place.app.get("/auth/google", google);
    place.app.get("/auth/google/callback", google, (request, response) => void response.json(request.user));
    return place;
  }

  it("signs in, with a refresh token at the first consent", async () => {
    const { signIn } = await start(await startWithClients());
    const user = await (await signIn("/auth/google")).json();
    expect(user).toMatchObject({
      id: "1001",
      displayName: "Ada Lovelace",
      name: { givenName: "Ada", familyName: "Lovelace" },
      emails: [{ value: "ada@acme.test", verified: true }],
      refreshToken: expect.any(String),
    });
  });

  it("sees a cancelled sign-in", async () => {
    const server = await startWithClients();
    const { signIn } = await start(server);
    await next(server, "access_denied");
    expect((await signIn("/auth/google")).status).toBe(401);
  });
});

describe("grant", () => {
  async function start(server: ControlledServer, provider: Provider) {
    const { default: grant } = await load("grant");
    const { default: session } = await load("express-session");
    const place = await application(server, provider, `/connect/${provider}/callback`);
    const issuer = issuerAt(server, provider);
    const scope: Partial<Record<Provider, string[]>> = {
      google: ["openid", "email"],
      github: ["user:email"],
      twitter: ["tweet.read", "users.read"],
    };
    const config = {
      defaults: { origin: place.origin, transport: "session", state: true, response: ["tokens", "profile"] },
      [provider]: {
        key: place.client.client_id,
        secret: place.client.client_secret,
        scope: scope[provider],
        callback: "/done",
        authorize_url: `${issuer}/authorize`,
        access_url: issuer + (provider === "github" ? "/access_token" : "/token"),
        profile_url: issuer + (provider === "github" ? "/user" : "/userinfo"),
      },
    };
    place.app.use(session({ secret: "grant", saveUninitialized: true, resave: false }));
    place.app.use(grant.express(config));
    place.app.get("/done", (request, response) => {
      response.json((request as unknown as { session: { grant: { response: object } } }).session.grant.response);
    });
    return place;
  }

  it.each(["google", "github"] as const)("signs in at %s", async (provider) => {
    const { signIn } = await start(await startWithClients(), provider);
    expect(await (await signIn(`/connect/${provider}`)).json()).toMatchObject({
      access_token: expect.any(String),
      profile: provider === "google" ? { sub: "1001", email: "ada@acme.test" } : { id: 2001, login: "ada" },
    });
  });

  it("sees a cancelled sign-in", async () => {
    const server = await startWithClients();
    const { signIn } = await start(server, "google");
    await next(server, "access_denied");
    expect(await (await signIn("/connect/google")).json()).toMatchObject({ error: "access_denied" });
  });
});

describe("simple-oauth2", () => {
  async function signIn(server: ControlledServer) {
    const { AuthorizationCode } = (await load("simple-oauth2")).default;
    const client = new AuthorizationCode({
      client: { id: client_id, secret: client_secret },
      auth: {
        tokenHost: server.url,
        tokenPath: "/__svc/simulator/google/token",
        authorizePath: "/__svc/simulator/google/authorize",
        revokePath: "/__svc/simulator/google/revoke",
      },
    });
    const redirect_uri = callbackOf("google");
    const asked = { redirect_uri, scope: ["openid", "email"], state: "s", access_type: "offline" };
    const answered = await chosen(client.authorizeURL(asked));
    if (answered.has("error")) throw new Error(answered.get("error")!);
    return client.getToken({ code: answered.get("code"), redirect_uri });
  }

  it("signs in, refreshes, and revokes", async () => {
    const token = await signIn(await startWithClients());
    expect(token.token).toMatchObject({ token_type: "Bearer", refresh_token: expect.any(String) });
    const again = await token.refresh();
    expect(again.token.access_token).not.toBe(token.token.access_token);
    await again.revoke("access_token");
    await expect(again.refresh()).rejects.toThrow();
  });

  it("sees a cancelled sign-in and a rejected code", async () => {
    const server = await startWithClients();
    await next(server, "access_denied");
    await expect(signIn(server)).rejects.toThrow("access_denied");
    await next(server, "code_rejected");
    await expect(signIn(server)).rejects.toMatchObject({ data: { payload: { error: "invalid_grant" } } });
  });
});

describe("arctic's OAuth2Client", () => {
  async function signIn(server: ControlledServer, provider: Provider, scopes: string[]) {
    const arctic = await load("arctic");
    const own = clientOf(provider);
    const client = new arctic.OAuth2Client(own.client_id, own.client_secret, callbackOf(provider));
    const issuer = issuerAt(server, provider);
    const [state, verifier] = [arctic.generateState(), arctic.generateCodeVerifier()];
    const { S256 } = arctic.CodeChallengeMethod;
    const url = client.createAuthorizationURLWithPKCE(`${issuer}/authorize`, state, S256, verifier, scopes);
    url.searchParams.set("access_type", "offline");
    const answered = await chosen(url);
    if (answered.has("error")) throw new Error(answered.get("error")!);
    expect(answered.get("state")).toBe(state);
    const token = issuer + (provider === "github" ? "/access_token" : "/token");
    const tokens = await client.validateAuthorizationCode(token, answered.get("code"), verifier);
    return { tokens, refresh: () => client.refreshAccessToken(token, tokens.refreshToken(), scopes), arctic };
  }

  it.each<[Provider, string[]]>([
    ["google", ["openid", "email"]],
    ["twitter", ["tweet.read", "users.read", "offline.access"]],
  ])("signs in and refreshes at %s", async (provider, scopes) => {
    const { tokens, refresh } = await signIn(await startWithClients(), provider, scopes);
    const again = await refresh();
    expect(again.accessToken()).not.toBe(tokens.accessToken());
    expect(again.accessTokenExpiresInSeconds()).toBeGreaterThan(3000);
  });

  it("signs in at github", async () => {
    const server = await startWithClients();
    const { tokens } = await signIn(server, "github", ["user:email"]);
    const headers = { authorization: `Bearer ${tokens.accessToken()}`, "user-agent": "arctic" };
    expect(await (await fetch(`${issuerAt(server, "github")}/user`, { headers })).json()).toMatchObject({ id: 2001 });
  });

  it("sees a cancelled sign-in and a rejected code", async () => {
    const server = await startWithClients();
    await next(server, "access_denied");
    await expect(signIn(server, "google", ["openid"])).rejects.toThrow("access_denied");
    await next(server, "code_rejected");
    const { OAuth2RequestError } = await load("arctic");
    const rejected = await signIn(server, "google", ["openid"]).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(OAuth2RequestError);
    expect(rejected).toMatchObject({ code: "invalid_grant" });
  });
});

describe("google-auth-library", () => {
  async function signIn(server: ControlledServer) {
    const { OAuth2Client } = (await load("google-auth-library")).default;
    const issuer = issuerAt(server, "google");
    const client = new OAuth2Client({
      clientId: client_id,
      clientSecret: client_secret,
      redirectUri: callbackOf("google"),
      endpoints: {
        oauth2AuthBaseUrl: `${issuer}/authorize`,
        oauth2TokenUrl: `${issuer}/token`,
        oauth2RevokeUrl: `${issuer}/revoke`,
        tokenInfoUrl: `${issuer}/tokeninfo`,
        oauth2FederatedSignonPemCertsUrl: `${issuer}/certs`,
      },
      issuers: [issuer],
    });
    const answered = await chosen(client.generateAuthUrl({ access_type: "offline", scope: ["openid", "email"] }));
    if (answered.has("error")) throw new Error(answered.get("error")!);
    const { tokens } = await client.getToken(answered.get("code"));
    client.setCredentials(tokens);
    return { client, tokens, userinfo: `${issuer}/userinfo` };
  }

  it("signs in, asks for the profile, refreshes, and revokes", async () => {
    const { client, tokens, userinfo } = await signIn(await startWithClients());
    expect((await client.request({ url: userinfo })).data).toMatchObject({ sub: "1001", email: "ada@acme.test" });
    const { credentials } = await client.refreshAccessToken();
    expect(credentials.access_token).not.toBe(tokens.access_token);
    await client.revokeCredentials();
    await expect(client.request({ url: userinfo })).rejects.toThrow();
  });

  it("verifies the id_token, and reads what a token is for", async () => {
    const { client, tokens } = await signIn(await startWithClients());
    const ticket = await client.verifyIdToken({ idToken: tokens.id_token, audience: client_id });
    expect(ticket.getPayload()).toMatchObject({ sub: "1001", email: "ada@acme.test" });
    expect(await client.getTokenInfo(tokens.access_token)).toMatchObject({ aud: client_id, email: "ada@acme.test" });
  });

  it("sees a cancelled sign-in and a rejected code", async () => {
    const server = await startWithClients();
    await next(server, "access_denied");
    await expect(signIn(server)).rejects.toThrow("access_denied");
    await next(server, "code_rejected");
    await expect(signIn(server)).rejects.toThrow("invalid_grant");
  });
});
