import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { startTestService } from "svc-identity/testing";
import { createAuth } from "./providers.js";

const ORIGIN = "http://localhost:3000";
const AUTH_SECRET = "a secret of Better Auth, for tests only";
const clients = ["google", "github"].map((provider) => ({
  provider,
  client_id: `shop-${provider}`,
  client_secret: `secret of ${provider}`,
  redirect_uris: [`${ORIGIN}/api/auth/callback/${provider}`],
}));

/** GitHub's profile has the address that a user shows to everyone, which needn't be the primary one. */
const EMAILS = { google: "ada@acme.test", github: "ada@home.test" };

let svc;
let env;
const issuer = (provider) => `${svc.url}/__svc/simulator/${provider}`;

before(async () => {
  svc = await startTestService({ seed: { instances: [{ name: "Shop", subdomain: "shop", clients }] } });
  env = {
    ORIGIN,
    AUTH_SECRET,
    GOOGLE_CLIENT_ID: "shop-google",
    GOOGLE_CLIENT_SECRET: "secret of google",
    GOOGLE_ISSUER: issuer("google"),
    GITHUB_CLIENT_ID: "shop-github",
    GITHUB_CLIENT_SECRET: "secret of github",
    GITHUB_AUTHORIZE_URL: `${issuer("github")}/authorize`,
    GITHUB_TOKEN_URL: `${issuer("github")}/access_token`,
    GITHUB_USER_URL: `${issuer("github")}/user`,
  };
});
beforeEach(() => svc.reset());
after(() => svc.close());

/** A browser at the application. It keeps the cookies and follows no redirect. */
function createBrowser(auth) {
  const cookies = new Map();
  return async (path, init = {}) => {
    const headers = { ...init.headers, origin: ORIGIN, cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const response = await auth.handler(new Request(new URL(path, ORIGIN), { ...init, headers }));
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    return response;
  };
}

/** Signs in as far as the provider's answer, and returns where it sends the browser. */
async function choose(browser, provider, changed = {}) {
  const body = JSON.stringify({ provider, callbackURL: "/" });
  const begun = await browser("/api/auth/sign-in/social", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const authorize = new URL((await begun.json()).url);
  for (const [name, value] of Object.entries({ login_hint: "ada", ...changed }))
    authorize.searchParams.set(name, value);
  return fetch(authorize, { redirect: "manual" });
}

test("Better Auth's generic OAuth plugin refreshes the tokens of the simulated google", async () => {
  const browser = createBrowser(createAuth(env));
  await browser((await choose(browser, "google")).headers.get("location"));
  const [{ id: accountId }] = await (await browser("/api/auth/list-accounts")).json();
  const refreshed = await browser("/api/auth/refresh-token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ accountId }),
  });
  assert.equal(refreshed.status, 200);
  const { accessToken, idToken } = await refreshed.json();
  assert.equal(typeof accessToken, "string");
  assert.equal(JSON.parse(Buffer.from(idToken.split(".")[1], "base64url")).email, "ada@acme.test");
});

async function signIn(auth, provider) {
  const browser = createBrowser(auth);
  const chosen = await choose(browser, provider);
  const end = await browser(chosen.headers.get("location"));
  return { end, session: await (await browser("/api/auth/get-session")).json() };
}

/** Better Auth's own providers. Their addresses are fixed: its requests are sent on to the simulated ones. */
function createOwn() {
  const { fetch: send } = globalThis;
  const moved = {
    "https://oauth2.googleapis.com/token": `${issuer("google")}/token`,
    "https://www.googleapis.com/oauth2/v3/certs": `${issuer("google")}/jwks`,
    "https://github.com/login/oauth/access_token": `${issuer("github")}/access_token`,
    "https://api.github.com/user": `${issuer("github")}/user`,
    "https://api.github.com/user/emails": `${issuer("github")}/user/emails`,
  };
  globalThis.fetch = (input, init) => send(moved[String(input?.url ?? input)] ?? input, init);
  after(() => (globalThis.fetch = send));
  return betterAuth({
    baseURL: ORIGIN,
    secret: AUTH_SECRET,
    database: memoryAdapter({ user: [], account: [], session: [], verification: [] }),
    socialProviders: {
      google: {
        clientId: env.GOOGLE_CLIENT_ID,
        clientSecret: env.GOOGLE_CLIENT_SECRET,
        authorizationEndpoint: `${issuer("google")}/authorize`,
      },
      github: {
        clientId: env.GITHUB_CLIENT_ID,
        clientSecret: env.GITHUB_CLIENT_SECRET,
        authorizationEndpoint: `${issuer("github")}/authorize`,
      },
    },
  });
}

const KINDS = { "generic OAuth plugin": () => createAuth(env), "own provider": createOwn };

for (const [what, create] of Object.entries(KINDS))
  for (const provider of ["google", "github"]) {
    test(`Better Auth's ${what} for ${provider} signs in at the simulated one`, async () => {
      const { session } = await signIn(create(), provider);
      assert.deepEqual([session?.user.email, session?.user.name], [EMAILS[provider], "Ada Lovelace"]);
      const [flow] = await svc.control.request("GET /flows");
      assert.deepEqual([flow.data.client_id, flow.data.result], [`shop-${provider}`, "token"]);
    });

    for (const outcome of ["access_denied", "code_rejected"])
      test(`Better Auth's ${what} for ${provider} makes no session after ${outcome}`, async () => {
        await svc.scenarios.next({ provider, outcome });
        const { end, session } = await signIn(create(), provider);
        assert.match(end.headers.get("location"), /error=/);
        assert.equal(session, null);
      });

    test(`the simulated ${provider} refuses Better Auth's ${what} another redirect_uri`, async () => {
      const refused = await choose(createBrowser(create()), provider, { redirect_uri: "https://evil.example/" });
      assert.deepEqual([refused.status, refused.headers.get("location")], [400, null]);
    });
  }
