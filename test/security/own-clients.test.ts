import * as undici from "undici";
import { describe, expect, it } from "vitest";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { BROWSER } from "../_attacks.ts";
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
  SEED_WITH_CLIENTS,
  startWithClients,
  tokenPath,
  tokensAt,
} from "../_own-clients.ts";
import { basic, CHALLENGE, VERIFIER, type Fields } from "../_picker.ts";
import { REAL } from "../providers/_real.ts";
import { APP, decodePart, FRONT, setup } from "../_setup.ts";

const OTHER_GOOGLE = clientOf("google", "other");

describe("T74: An application's own client at a simulated provider", () => {
  it.each<[string, Fields, string]>([
    ["an unknown client", { client_id: "stranger" }, "unknown client_id"],
    ["a client of another provider", { client_id: "shop-github" }, "unknown client_id"],
    ["a foreign redirect_uri", { redirect_uri: "https://evil.test/" }, "redirect_uri"],
    ["another instance's redirect_uri", { redirect_uri: callbackOf("github") }, "redirect_uri"],
    ["svc's callback", { redirect_uri: "/oauth/google/callback" }, "redirect_uri"],
    ["a longer path", { redirect_uri: `${callbackOf("google")}/x` }, "redirect_uri"],
    ["another query", { redirect_uri: `${callbackOf("google")}?x` }, "redirect_uri"],
    ["another port", { redirect_uri: callbackOf("google").replace("3000", "3001") }, "redirect_uri"],
    ["another case", { redirect_uri: callbackOf("google").toUpperCase() }, "redirect_uri"],
    ["no redirect_uri", { redirect_uri: undefined }, "redirect_uri"],
    ["a token in the redirect", { response_type: "id_token" }, "response_type must be code"],
    ["a plain challenge", { code_challenge: VERIFIER, code_challenge_method: "plain" }, "must be S256"],
    ["a challenge without a method", { code_challenge: VERIFIER }, "must be S256"],
  ])("gets no code with %s, and nobody is sent there", async (_what, changed, why) => {
    const server = await startWithClients();
    const { redirect_uri } = changed;
    const own = redirect_uri?.startsWith("/") ? { ...changed, redirect_uri: server.url + redirect_uri } : changed;
    const answer = await authorize(server, "google", own);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect((await bodyOf(answer))[1]["error"]).toContain(why);
    const [flow] = (await server.control("GET /flows?result=error")).body;
    if (why.includes("client_id")) expect(flow).toBeUndefined();
    else expect(flow.data).toMatchObject({ client_id: "shop-google", reason: expect.stringContaining(why) });
  });

  it.each<[string, Fields, Record<string, string>, "wrongClient" | "wrongCode", string]>([
    ["another client's id", { client_id: OTHER_GOOGLE.client_id }, {}, "wrongClient", "client_secret is wrong"],
    ["another client", OTHER_GOOGLE as never, {}, "wrongCode", "issued to another client"],
    ["a wrong secret", { client_secret: "wrong" }, {}, "wrongClient", "client_secret is wrong"],
    ["no secret", { client_secret: undefined }, {}, "wrongClient", "client_secret is wrong"],
    ["malformed Basic", { client_secret: undefined }, { authorization: "Basic JTolZg==" }, "wrongClient", "is wrong"],
    ["another redirect_uri", { redirect_uri: "http://localhost:3000/other" }, {}, "wrongCode", "redirect_uri"],
    ["no redirect_uri", { redirect_uri: undefined }, {}, "wrongCode", "redirect_uri"],
    ["another verifier", { code_verifier: VERIFIER.toLowerCase() }, {}, "wrongCode", "code_verifier"],
    ["the challenge as verifier", { code_verifier: CHALLENGE.code_challenge }, {}, "wrongCode", "code_verifier"],
    ["no verifier", { code_verifier: undefined }, {}, "wrongCode", "code_verifier"],
  ])("gets no token for a code with %s, and the ledger says why", async (_what, changed, headers, refusal, why) => {
    const server = await startWithClients();
    const code = await codeAt(server, "google", CHALLENGE);
    const { redirect_uris: _, provider: __, ...form } = { code_verifier: VERIFIER, ...changed } as Fields;
    expect(await bodyOf(await exchange(server, "google", code, { form, headers }))).toEqual(REAL.google[refusal]);
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data).toMatchObject({ result: "error", reason: expect.stringContaining(why) });
    expect(JSON.stringify(flow)).not.toContain(code);
  });

  it("gets no token for a code without a challenge that comes with a verifier", async () => {
    const server = await startWithClients();
    const form = { code_verifier: VERIFIER };
    const answer = await exchange(server, "google", await codeAt(server, "google"), { form });
    expect(await bodyOf(answer)).toEqual(REAL.google.wrongCode);
  });

  it.each(PROVIDERS)(
    "gets tokens of %s for a code once, and an attempt with a wrong verifier uses it up",
    async (provider) => {
      const server = await startWithClients();
      const [used, tried] = [await codeAt(server, provider, CHALLENGE), await codeAt(server, provider, CHALLENGE)];
      const right = { form: { code_verifier: VERIFIER } };
      expect((await bodyOf(await exchange(server, provider, used, right)))[1]).toHaveProperty("access_token");
      await exchange(server, provider, tried, { form: { code_verifier: "x".repeat(43) } });
      for (const code of [used, tried])
        expect(await bodyOf(await exchange(server, provider, code, right))).toEqual(REAL[provider].wrongCode);
      const { body } = await server.control("GET /flows");
      const reasons = body.map(({ data }: { data: { result: string; reason: string } }) => [data.result, data.reason]);
      // What comes too late does not undo a sign-in.
      expect(reasons).toEqual([
        ["error", expect.stringContaining("the code was used before")],
        ["token", expect.stringContaining("the code was used before")],
      ]);
    },
  );

  it("has tokens for its own provider alone, and for no other client's refresh", async () => {
    const server = await startWithClients();
    const { access_token, refresh_token } = await tokensAt(server, "google", { access_type: "offline" });
    expect((await resource(server, "github", "/user", access_token)).status).toBe(401);
    expect((await resource(server, "twitter", "/users/me", access_token)).status).toBe(401);
    // None is good for another purpose.
    expect((await resource(server, "google", "/userinfo", refresh_token)).status).toBe(401);
    expect((await resource(server, "google", "/userinfo")).status).toBe(401);
    const { client_id, client_secret } = OTHER_GOOGLE;
    const form = { grant_type: "refresh_token", refresh_token, client_id, client_secret };
    expect(await bodyOf(await exchange(server, "google", "", { form }))).toEqual(REAL.google.wrongCode);
    const swapped = await exchange(server, "google", access_token!, { form: { grant_type: "authorization_code" } });
    expect(await bodyOf(swapped)).toEqual(REAL.google.wrongCode);
  });

  it("is known no more once it was deleted: neither its codes nor its tokens", async () => {
    const server = await startWithClients();
    const code = await codeAt(server, "google");
    const { access_token, refresh_token } = await tokensAt(server, "google", { access_type: "offline" });
    expect((await server.control("DELETE /instances/acme/clients/shop-google")).status).toBe(200);
    expect((await authorize(server, "google")).status).toBe(400);
    expect(await bodyOf(await exchange(server, "google", code))).toEqual(REAL.google.wrongClient);
    const form = { grant_type: "refresh_token", refresh_token };
    expect(await bodyOf(await exchange(server, "google", "", { form }))).toEqual(REAL.google.wrongClient);
    expect((await resource(server, "google", "/userinfo", access_token)).status).toBe(401);
  });

  it("is none of an instance that is not active", async () => {
    const server = await startWithClients();
    const code = await codeAt(server, "google");
    await server.control("PATCH /instances/acme", { active: false });
    expect((await authorize(server, "google")).status).toBe(400);
    expect(await bodyOf(await exchange(server, "google", code))).toEqual(REAL.google.wrongClient);
  });

  const PAGE = `/__svc/simulator/github/authorize?${new URLSearchParams({ client_id: "shop-github", redirect_uri: callbackOf("github"), response_type: "code" }).toString()}`;

  it("is chosen for by the browser that came with its request alone", async () => {
    const { fetch: ask } = await setup({ seed: SEED_WITH_CLIENTS });
    const headers = { ...BROWSER, accept: "text/html" };
    const page = await ask(PAGE, { headers });
    const text = await page.text();
    expect(text).toContain(
      '<b data-testid="application">Acme</b> at <bdi data-testid="destination">http://localhost:3000',
    );
    const request = / name="request" value="([^"]+)"/.exec(text)![1]!;
    const choice = `/__svc/simulator/github/authorize?${new URLSearchParams({ request, login_hint: "ada" }).toString()}`;
    const cookie = page.headers.get("set-cookie")!.split(";")[0]!;
    for (const other of [{}, { cookie: "svc_simulator=AAAAAAAAAAAAAAAAAAAAAA" }])
      expect((await ask(choice, { headers: { ...headers, ...other } })).status).toBe(400);
    const own = await ask(choice, { headers: { ...headers, cookie } });
    expect(own.headers.get("location")).toMatch(`${callbackOf("github")}?code=`);
  });

  it("begins with a navigation, not with a page's script or frame", async () => {
    const { fetch: ask } = await setup({ seed: SEED_WITH_CLIENTS });
    expect((await ask(PAGE, { headers: BROWSER })).status).toBe(200);
    for (const mode of ["cors", "no-cors", "nested-navigate"])
      expect((await ask(PAGE, { headers: { ...BROWSER, "sec-fetch-mode": mode } })).status).toBe(400);
  });
});

describe("T74: svc's own client", () => {
  const OWN = { client_id: "svc-simulator", client_secret: "svc-simulator-secret" };

  it.each(PROVIDERS)(
    "can't be used by anyone else: neither its code nor its id at %s's endpoints",
    async (provider) => {
      const server = await startWithClients();
      const start = `${server.url}/oauth/authorize?${new URLSearchParams({ provider, redirect_uri: APP, login_hint: "ada" }).toString()}`;
      const picker = await fetch(start, { redirect: "manual" });
      const callback = await fetch(picker.headers.get("location")!, { redirect: "manual" });
      const { code = "" } = await answeredTo(callback);
      expect(code).not.toBe("");
      const own = `${server.url}/oauth/${provider}/callback`;
      const isBasic = REAL[provider].clientAuthentication === "basic";
      const as = { form: { ...OWN, redirect_uri: own }, headers: isBasic ? basic(OWN) : {} };
      expect(await bodyOf(await exchange(server, provider, code, as))).toEqual(REAL[provider].wrongClient);
      const form = { redirect_uri: own };
      expect(await bodyOf(await exchange(server, provider, code, { form }))).toEqual(REAL[provider].wrongCode);
    },
  );

  it.each(PROVIDERS)("gets access tokens of %s that open nothing outside svc", async (provider) => {
    const { fetch: ask, store, acme, tokenFor } = await setup({ seed: SEED_WITH_CLIENTS });
    const { sub } = decodePart(await tokenFor(provider, "mary"), 1) as { sub: string };
    const [identity] = await store.identitiesOf(acme.id, sub);
    const headers = { authorization: `Bearer ${identity!.access_token}`, "user-agent": "shop" };
    for (const path of ["/userinfo", "/user", "/user/emails", "/users/me"])
      expect((await ask(`/__svc/simulator/${provider}${path}`, { headers })).status).toBe(401);
  });

  it("finishes no sign-in with the code of an application's", async () => {
    const server = await startWithClients();
    const code = await codeAt(server, "google");
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" }).toString();
    const start = await fetch(`${server.url}/oauth/authorize?${query}`, { redirect: "manual" });
    const state = new URL(start.headers.get("location")!).searchParams.get("state")!;
    const callback = `${server.url}/oauth/google/callback?${new URLSearchParams({ state, code }).toString()}`;
    const { token, error } = await answeredTo(await fetch(callback, { redirect: "manual" }));
    expect([token, error]).toEqual([undefined, "server_error"]);
  });

  it("is left alone by an application that sends the state of svc's sign-in", async () => {
    const server = await startWithClients();
    await server.control("POST /scenarios", { outcome: "state_expired", times: null });
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP }).toString();
    const start = await fetch(`${server.url}/oauth/authorize?${query}`, { redirect: "manual" });
    const picker = new URL(start.headers.get("location")!);
    const state = picker.searchParams.get("state")!;
    expect((await answeredTo(await authorize(server, "google", { state })))["state"]).toBe(state);
    await server.control("DELETE /scenarios");
    const page = await (await authorize(server, "google", { state, login_hint: undefined })).text();
    const [, request = ""] = / name="request" value="([^"]+)"/.exec(page)!;
    const choice = new URLSearchParams({ request, login_hint: "nobody" }).toString();
    expect((await fetch(`${issuerAt(server, "google")}/authorize?${choice}`)).status).toBe(400);
    // What a program chose that does not exist ended the application's sign-in, and not svc's.
    picker.searchParams.set("login_hint", "ada");
    const callback = (await fetch(picker, { redirect: "manual" })).headers.get("location")!;
    const { token } = await answeredTo(await fetch(callback, { redirect: "manual" }));
    expect(token).toMatch(/^ey/);
  });

  it("keeps its id: no seed, configuration or call makes it an application's, and a connection's is svc's", async () => {
    const server = await startWithClients();
    const client = { ...clientOf("google", "svc"), client_id: "svc-simulator" };
    const made = await server.control("POST /instances/acme/clients", client);
    expect([made.status, made.body.error]).toEqual([400, expect.stringContaining("svc's own client")]);
    const seed = { instances: [{ name: "A", subdomain: "a", clients: [client] }] };
    await expect(startWithClients({ seed })).rejects.toThrow(
      'instances[0].clients[0].client_id: "svc-simulator" is svc',
    );
    const connection = { client_id: "shop-google", client_secret: "x" };
    await server.control("PUT /instances/acme/connections/google", connection);
    expect((await authorize(server, "google")).status).toBe(400);
  });
});

describe("T74: The endpoints for applications are there", () => {
  const paths = PROVIDERS.flatMap((provider) => [
    ["GET", `/__svc/simulator/${provider}/.well-known/openid-configuration`],
    ["GET", `/__svc/simulator/${provider}/jwks`],
    ["POST", `/__svc/simulator/${provider}${tokenPath(provider)}`],
    ["GET", `/__svc/simulator/${provider}/user`],
    ["GET", `/__svc/simulator/${provider}/users/me`],
  ]) as [string, string][];

  it.each([
    ["on a server that others reach", { isLocal: false, providers: "simulated" as const }],
    [
      "under --providers real",
      {
        providers: "real" as const,
        credentials: Object.fromEntries(PROVIDERS.map((one) => [one, { client_id: "a", client_secret: "b" }])),
      },
    ],
    ["where no application has a client", { seed: { instances: [{ name: "A", subdomain: "a" }] } }],
  ])("not %s", async (_where, options) => {
    const { fetch: ask } = await setup({ seed: SEED_WITH_CLIENTS, ...options });
    for (const [method, path] of paths) {
      const answer = await ask(path, { method });
      expect([path, answer.status, (await answer.json()) as object]).toEqual([path, 404, { error: "Not found" }]);
    }
    const { client_id } = clientOf("google");
    const query = new URLSearchParams({
      client_id,
      redirect_uri: callbackOf("google"),
      response_type: "code",
      scope: "openid",
    });
    expect([400, 404]).toContain((await ask(`/__svc/simulator/google/authorize?${query.toString()}`)).status);
  });

  it("whatever connection to the real provider an instance has", async () => {
    const [first, ...others] = (SEED_WITH_CLIENTS as { instances: object[] }).instances;
    const connections = { google: { client_id: "real", client_secret: "real-secret" } };
    const { fetch: ask } = await setup({
      seed: { ...(SEED_WITH_CLIENTS as object), instances: [{ ...first, connections }, ...others] },
    });
    expect((await ask(`${FRONT}/__svc/simulator/google/jwks`)).status).toBe(200);
  });
});

describe("T74: A page of another site that sends a browser to a client's sign-in", () => {
  const PUBLIC = { ...clientOf("google", "public"), redirect_uris: ["https://shop.test/callback"] };

  /** What the browser gets: a redirect with a code, or the picker. */
  async function sent(server: { url: string }, client: { client_id: string; redirect_uris: string[] }, more: object) {
    const [redirect_uri = ""] = client.redirect_uris;
    const asked = {
      response_type: "code",
      client_id: client.client_id,
      redirect_uri,
      scope: "openid",
      state: "s",
      ...more,
    };
    const address = `${issuerAt(server, "google")}/authorize?${new URLSearchParams(asked).toString()}`;
    // Node's own fetch says of each request that it is no navigation.
    const { statusCode, headers, body } = await undici.request(address, { headers: BROWSER });
    await body.dump();
    return [statusCode, String(headers["location"]).includes("code=")];
  }

  it("gets no code without a click, where the client has users on other machines", async () => {
    const server = await startWithClients({ clients: [PUBLIC] });
    expect(await sent(server, PUBLIC, { login_hint: "ada" })).toEqual([200, false]);
    await server.control("POST /scenarios", { as: "ada" });
    expect(await sent(server, PUBLIC, {})).toEqual([200, false]);
    const [scenario] = (await server.control("GET /scenarios")).body;
    expect(scenario.data).toMatchObject({ used: 0 });
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data.considered).toEqual([
      { scenario: scenario.id, because: expect.stringContaining("a page of another site began the sign-in") },
    ]);
  });

  it("is an application under test, where all of the client's addresses are on this machine", async () => {
    const server = await startWithClients();
    expect(await sent(server, clientOf("google"), { login_hint: "ada" })).toEqual([302, true]);
  });
});
