import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startTestService } from "svc-identity/testing";
import { createApp } from "./providers.js";

const origin = "http://localhost:3000";
const clients = ["google", "github"].map((provider) => ({
  provider,
  client_id: `shop-${provider}`,
  client_secret: `secret of ${provider}`,
  redirect_uris: [`${origin}/api/auth/callback/${provider}`],
}));

/** GitHub's profile has the address that a user shows to everyone, which needn't be the primary one. */
const EMAILS = { google: "ada@acme.test", github: "ada@home.test" };

let svc;
let app;

before(async () => {
  svc = await startTestService({ seed: { instances: [{ name: "Shop", subdomain: "shop", clients }] } });
  const issuer = (provider) => `${svc.url}/__svc/simulator/${provider}`;
  app = createApp({
    AUTH_SECRET: "a secret of Auth.js, for tests only",
    GOOGLE_CLIENT_ID: "shop-google",
    GOOGLE_CLIENT_SECRET: "secret of google",
    GOOGLE_ISSUER: issuer("google"),
    GITHUB_CLIENT_ID: "shop-github",
    GITHUB_CLIENT_SECRET: "secret of github",
    GITHUB_ISSUER: issuer("github"),
    GITHUB_AUTHORIZE_URL: `${issuer("github")}/authorize`,
    GITHUB_TOKEN_URL: `${issuer("github")}/access_token`,
    GITHUB_USER_URL: `${issuer("github")}/user`,
  });
});
beforeEach(() => svc.reset());
after(() => svc.close());

/** A browser at the application. It keeps the cookies and follows no redirect. */
function createBrowser() {
  const cookies = new Map();
  return async (path, init = {}) => {
    const headers = { ...init.headers, cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const response = await app(new Request(new URL(path, origin), { ...init, headers }));
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    return response;
  };
}

/** Signs in as far as the provider's answer, and returns where it sends the browser. */
async function choose(browser, provider, changed = {}) {
  const { csrfToken } = await (await browser("/api/auth/csrf")).json();
  const begun = await browser(`/api/auth/signin/${provider}`, {
    method: "POST",
    body: new URLSearchParams({ csrfToken }),
  });
  const authorize = new URL(begun.headers.get("location"));
  for (const [name, value] of Object.entries({ login_hint: "ada", ...changed }))
    authorize.searchParams.set(name, value);
  return fetch(authorize, { redirect: "manual" });
}

async function signIn(provider) {
  const browser = createBrowser();
  const chosen = await choose(browser, provider);
  const end = await browser(chosen.headers.get("location"));
  return { end, session: await (await browser("/api/auth/session")).json() };
}

for (const provider of ["google", "github"]) {
  test(`Auth.js's own ${provider} signs in at the simulated one`, async () => {
    const { session } = await signIn(provider);
    assert.deepEqual([session.user.email, session.user.name], [EMAILS[provider], "Ada Lovelace"]);
    const [flow] = await svc.control.request("GET /flows");
    assert.deepEqual([flow.data.client_id, flow.data.result], [`shop-${provider}`, "token"]);
  });

  test(`a sign-in with ${provider} that the user cancels makes no session`, async () => {
    await svc.scenarios.next({ provider, outcome: "access_denied" });
    const { end, session } = await signIn(provider);
    assert.match(end.headers.get("location"), /error/);
    assert.equal(session, null);
  });

  test(`the simulated ${provider} refuses an address that is not registered`, async () => {
    const refused = await choose(createBrowser(), provider, { redirect_uri: "https://evil.example/" });
    assert.deepEqual([refused.status, refused.headers.get("location")], [400, null]);
  });
}

for (const outcome of ["id_token_expired", "wrong_nonce", "wrong_audience", "code_rejected"]) {
  test(`Auth.js makes no session when Google's answer is wrong: ${outcome}`, async () => {
    await svc.scenarios.next({ provider: "google", outcome });
    const { end, session } = await signIn("google");
    assert.match(end.headers.get("location"), /error=/);
    assert.equal(session, null);
  });
}
