import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";
import { locationOf } from "../_answers.ts";
import { APP, FRONT, SEED, setup } from "../_setup.ts";
import { REAL } from "../providers/_real.ts";
import { authorizePath, begun, CREDENTIALS, recordOf, reply, unknownProvider } from "../_sign-in.ts";

const [ACME, GLOBEX] = SEED.instances as [object, object];

describe("GET /sign-in", () => {
  it.each([
    ["acme", "google"],
    ["globex", "github"],
  ])("at %s redirects to the instance's default provider, %s", async (subdomain, provider) => {
    const { fetch } = await setup();
    const response = await fetch(`http://${subdomain}.localhost:7820/sign-in?redirect_uri=${encodeURIComponent(APP)}`);
    expect(locationOf(response).href).toMatch(`${FRONT}/__svc/simulator/${provider}/authorize?response_type=code&`);
    expect(await response.text()).toBe("");
  });

  it("serves the first instance at the server's own address", async () => {
    const service = await setup();
    const response = await service.fetch(`/sign-in?redirect_uri=${encodeURIComponent(APP)}`);
    const record = await recordOf(service, locationOf(response).searchParams.get("state")!);
    expect([record.instance_id, record.provider]).toEqual([service.acme.id, "google"]);
  });

  it("accepts a provider in the query", async () => {
    const { fetch } = await setup();
    const response = await fetch(`/sign-in?provider=twitter&redirect_uri=${encodeURIComponent(APP)}`);
    expect(locationOf(response).pathname).toBe("/__svc/simulator/twitter/authorize");
  });
});

describe("GET /oauth/authorize", () => {
  const challenge = {
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    code_challenge_method: "S256",
  };

  it.each(PROVIDERS)("sends %s exactly what the specification says", async (provider) => {
    const { fetch } = await setup({ credentials: CREDENTIALS });
    const query = new URLSearchParams({ provider, redirect_uri: APP });
    const url = locationOf(await fetch(`/oauth/authorize?${query.toString()}`));
    expect(url.origin + url.pathname).toBe(REAL[provider].authorizeUrl);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: `our-${provider}`,
      redirect_uri: `${FRONT}/oauth/${provider}/callback`,
      scope: REAL[provider].scope,
      state: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      ...(REAL[provider].pkce ? challenge : {}),
    });
    expect([...url.searchParams]).toHaveLength(REAL[provider].pkce ? 7 : 5);
  });

  it.each(PROVIDERS)("passes login_hint to %s by its own parameter", async (provider) => {
    const name = REAL[provider].loginHint;
    const { fetch } = await setup({ credentials: CREDENTIALS });
    const url = locationOf(await fetch(authorizePath(provider, "ada@acme.test")));
    const passed = [...url.searchParams].filter(([, value]) => value === "ada@acme.test");
    expect(passed).toEqual(name === undefined ? [] : [[name, "ada@acme.test"]]);
  });

  it.each(["", "Google", "google ", "google,github", "password", "email", "__proto__", "facebook"])(
    "rejects the provider %j",
    async (provider) => {
      const { fetch } = await setup();
      for (const path of ["/oauth/authorize", "/sign-in", "/__svc/begin"]) {
        const query = new URLSearchParams({ instance: "acme", provider, redirect_uri: APP });
        const response = await fetch(`${path}?${query.toString()}`);
        expect([response.status, await response.json()]).toEqual([400, unknownProvider(provider)]);
      }
    },
  );

  it("requires a provider", async () => {
    const { fetch } = await setup();
    const response = await fetch(`/oauth/authorize?redirect_uri=${encodeURIComponent(APP)}`);
    expect([response.status, await response.json()]).toEqual([400, unknownProvider()]);
  });

  it.each(["/sign-in", "/oauth/authorize"])("answers 404 at an inactive instance: %s", async (path) => {
    const { fetch } = await setup({ seed: { ...SEED, instances: [ACME, { ...GLOBEX, active: false }] } });
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
    const response = await fetch(`http://globex.localhost:7820${path}?${query.toString()}`);
    expect([response.status, await response.json()]).toEqual([404, { error: "Instance not found" }]);
  });

  it.each(["/sign-in", "/oauth/authorize", "/oauth/google/callback"])(
    "does not exist at the API's host: %s",
    async (path) => {
      const { fetch } = await setup();
      const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
      const response = await fetch(`http://api.localhost:7820${path}?${query.toString()}`);
      expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }]);
    },
  );
});

describe("PKCE", () => {
  it("is used for twitter: 32 random bytes in the record and their SHA-256 in the request", async () => {
    const service = await setup();
    const { searchParams } = locationOf(await service.fetch(authorizePath("twitter")));
    const { code_verifier } = await recordOf(service, searchParams.get("state")!);
    expect(Buffer.from(code_verifier!, "base64url")).toHaveLength(32);
    expect(code_verifier).toMatch(/^[\w-]{43}$/);
    const hash = createHash("sha256").update(code_verifier!).digest("base64url");
    expect([searchParams.get("code_challenge"), searchParams.get("code_challenge_method")]).toEqual([hash, "S256"]);
  });

  it("uses a new verifier for every sign-in", async () => {
    const service = await setup();
    const states = await Promise.all(Array.from({ length: 20 }, () => begun(service, "twitter")));
    const records = await Promise.all(states.map((state) => recordOf(service, state)));
    expect(new Set(records.map((record) => record.code_verifier)).size).toBe(20);
  });

  it.each(PROVIDERS.filter((name) => !REAL[name].pkce))("is not used for %s", async (provider) => {
    const service = await setup();
    const state = await begun(service, provider);
    expect((await recordOf(service, state)).code_verifier).toBeNull();
  });

  it("sends the verifier in the body of the code exchange and never in an address", async () => {
    const addresses: string[] = [];
    const bodies: string[] = [];
    const fetch: Fetch = async (url, { body }) => {
      addresses.push(url);
      if (body === undefined) return reply({ data: { id: "3001", username: "ada" } });
      bodies.push(body);
      return reply({ access_token: "t" });
    };
    const service = await setup({ credentials: CREDENTIALS, fetch });
    const toProvider = locationOf(await service.fetch(authorizePath("twitter")));
    const state = toProvider.searchParams.get("state")!;
    const { code_verifier } = await recordOf(service, state);
    const toApp = locationOf(await service.fetch(`/oauth/twitter/callback?code=c&state=${state}`));
    expect(toApp.searchParams.has("token")).toBe(true);
    expect(bodies.map((body) => new URLSearchParams(body).get("code_verifier"))).toEqual([code_verifier]);
    expect([toProvider.href, toApp.href, ...addresses].filter((url) => url.includes(code_verifier!))).toEqual([]);
  });
});

describe("A HEAD request", () => {
  it("does not finish a sign-in, so that link previews do not use it up", async () => {
    const t = await setup();
    const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" });
    const provider = (await t.fetch(`/oauth/authorize?${query.toString()}`)).headers.get("location")!;
    const callback = (await t.fetch(provider)).headers.get("location")!;
    const response = await t.fetch(callback, { method: "HEAD" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
    expect((await t.fetch(callback)).headers.get("location")).toMatch(`${APP}?token=`);
  });
});
