import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { createTestService } from "../../src/testing/index.ts";
import { startServer } from "../_control.ts";
import {
  answeredTo,
  authorize,
  callbackOf,
  clientOf,
  codeAt,
  exchange,
  issuerAt,
  resource,
  SEED_WITH_CLIENTS,
  startWithClients,
  tokensAt,
} from "../_own-clients.ts";

describe("The clients of an instance", () => {
  it("are listed with their addresses, added, and deleted", async () => {
    const server = await startServer();
    const instance = server.instances[0]!.subdomain;
    const path = `/instances/${instance}/clients`;
    expect((await server.control(`GET ${path}`)).body).toEqual([]);
    expect((await authorize(server, "github")).status).toBe(400);
    const client = clientOf("github");
    const added = await server.control(`POST ${path}`, client);
    const issuer = issuerAt(server, "github");
    const endpoints = {
      authorize: `${issuer}/authorize`,
      token: `${issuer}/access_token`,
      user: `${issuer}/user`,
      emails: `${issuer}/user/emails`,
    };
    const data = { ...client, issuer, endpoints };
    expect([added.status, added.body]).toEqual([201, { id: client.client_id, resource: "client", data }]);
    expect((await server.control(`GET ${path}`)).body).toEqual([added.body]);
    expect((await exchange(server, "github", await codeAt(server, "github"))).status).toBe(200);
    const again = await server.control(`POST ${path}`, { ...client, provider: "google" });
    expect([again.status, again.body.error]).toEqual([
      409,
      'Conflict: a client has the client_id "shop-github" already',
    ]);
    const deleted = await server.control(`DELETE ${path}/${client.client_id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: true, id: client.client_id }]);
    expect((await server.control(`DELETE ${path}/${client.client_id}`)).status).toBe(404);
    expect((await server.control(`GET /instances/${instance}`)).body.data).not.toHaveProperty("clients");
  });

  it("are refused in a seed and a configuration if one has the id of another", async () => {
    const clients = [clientOf("google"), { ...clientOf("github"), client_id: "shop-google" }];
    const seed = { instances: [{ name: "A", subdomain: "a", clients }] };
    const why = "clients[1].client_id: the same client_id is at instances[0].clients[0].client_id";
    await expect(startServer({ seed: seed as never })).rejects.toThrow(why);
  });
});

describe("A sign-in with an application's own client", () => {
  it("is decided by scenarios, of its instance and in their order", async () => {
    const server = await startWithClients();
    await server.control("POST /scenarios", { as: "mary", match: { instance: "globex" } });
    await server.control("POST /scenarios", {
      as: "alan",
      match: { provider: "google", instance: "acme" },
      label: "one",
    });
    const { id_token = "" } = await tokensAt(server, "google", { login_hint: undefined });
    expect(decodeJwt(id_token)).toMatchObject({ sub: "1002", email_verified: false });
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data).toMatchObject({ as: "alan", scenario: { label: "one" }, result: "token" });
    expect(flow.data.considered.map(({ because }: { because: string }) => because)).toEqual([
      "it is for another instance",
      "matched",
    ]);
    const [one] = (await server.control("GET /scenarios?label=one")).body;
    expect(one.data).toMatchObject({ used: 1, remaining: 0 });
  });

  it("is one of its own each time, also without a state", async () => {
    const server = await startWithClients();
    await server.control("POST /scenarios", { outcome: "access_denied" });
    const ask = async (): Promise<Record<string, string>> =>
      answeredTo(await authorize(server, "github", { state: undefined }));
    expect(await ask()).toEqual({ error: "access_denied" });
    expect(await ask()).toEqual({ code: expect.any(String) });
    expect((await server.control("GET /flows")).body).toHaveLength(2);
  });

  it("has the profile that a scenario changed, in the id_token and at the endpoint", async () => {
    const server = await startWithClients();
    await server.control("POST /scenarios", { profile: { name: "Countess", hd: "acme.test" }, omit: ["picture"] });
    const { id_token = "", access_token } = await tokensAt(server, "google");
    const userinfo = (await (await resource(server, "google", "/userinfo", access_token)).json()) as object;
    for (const claims of [decodeJwt(id_token), userinfo]) {
      expect(claims).toMatchObject({ name: "Countess", hd: "acme.test" });
      expect(claims).not.toHaveProperty("picture");
    }
  });

  it.each([
    ["token_error", 500],
    ["rate_limited", 429],
    ["token_garbage", 200],
    ["redirect_uri_mismatch", 400],
    ["code_rejected", 400],
    ["invalid_client", 401],
  ])("meets %s at the token endpoint", async (outcome, status) => {
    const server = await startWithClients();
    await server.control("POST /scenarios", { outcome });
    const answer = await exchange(server, "google", await codeAt(server, "google"));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, status === 429 ? "60" : null]);
    const [flow] = (await server.control("GET /flows?result=error")).body;
    expect(flow.data).toMatchObject({ requested_outcome: outcome, client_id: "shop-google" });
    expect(flow.data.reason).toMatch(`As the scenario ${outcome} asked: Google's token endpoint answered ${status}`);
  });

  it("meets a provider that can't be reached, and one that never answers", async () => {
    const server = await startWithClients();
    await server.control("POST /scenarios", { outcome: "provider_unreachable" });
    await expect(exchange(server, "google", await codeAt(server, "google"))).rejects.toThrow("fetch failed");
    await server.control("POST /scenarios", { outcome: "token_timeout" });
    const code = await codeAt(server, "google");
    const body = new URLSearchParams({ grant_type: "authorization_code", code });
    // The application's own deadline ends it.
    const signal = AbortSignal.timeout(700);
    const asked = fetch(`${issuerAt(server, "google")}/token`, { method: "POST", body, signal });
    await expect(asked).rejects.toMatchObject({ name: "TimeoutError" });
    const reasons = (await server.control("GET /flows")).body.map(
      ({ data }: { data: { reason: string } }) => data.reason,
    );
    expect(reasons).toEqual([
      "As the scenario token_timeout asked: Google's token endpoint did not answer: temporarily_unavailable.",
      "As the scenario provider_unreachable asked: Google's token endpoint did not answer: temporarily_unavailable.",
    ]);
  });

  it.each([
    ["state_expired", "state_expired happens only in a sign-in through svc"],
    ["email_primary_not_verified", "email_primary_not_verified cannot happen at google, only at github"],
  ])("meets no %s, which its ledger says", async (outcome, because) => {
    const server = await startWithClients();
    await server.control("POST /scenarios", { outcome });
    expect(await codeAt(server, "google")).not.toBe("");
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data.considered).toEqual([{ scenario: expect.any(String), because }]);
  });

  it("is followed step by step, without a secret, and can't be replayed by svc", async () => {
    const server = await startWithClients();
    const tokens = await tokensAt(server, "google", { access_type: "offline" });
    await resource(server, "google", "/userinfo", tokens["access_token"]);
    const [flow] = (await server.control("GET /flows")).body;
    expect(flow.data).toMatchObject({
      instance: server.instances[0]!.id,
      provider: "google",
      client_id: "shop-google",
      as: "ada",
      result: "token",
      redirect_uri: callbackOf("google"),
      user_id: null,
    });
    expect(flow.data.steps.map(({ name }: { name: string }) => name)).toEqual(["provider", "token", "userinfo"]);
    const shown = JSON.stringify([flow, (await server.control("GET /requests")).body]);
    for (const secret of [...Object.values(tokens), clientOf("google").client_secret])
      if (secret.length > 20) expect(shown).not.toContain(secret);
    const requests = (await server.control(`GET /requests?flow=${flow.id}`)).body;
    expect(requests.map(({ data }: { data: { path: string } }) => data.path.split("?")[0]).toReversed()).toEqual([
      "/__svc/simulator/google/authorize",
      "/__svc/simulator/google/token",
      "/__svc/simulator/google/userinfo",
    ]);
    const replayed = await server.control(`POST /flows/${flow.id}/replay`, {});
    expect([replayed.status, replayed.body.error]).toEqual([
      400,
      "Bad request: the application began it with its own client, shop-google, and must begin it again",
    ]);
  });

  it("works in a test without a port, by the service's fetch", async () => {
    const svc = await createTestService({ seed: SEED_WITH_CLIENTS });
    const { client_id, redirect_uris } = clientOf("github");
    const query = new URLSearchParams({
      client_id,
      redirect_uri: redirect_uris[0]!,
      response_type: "code",
      login_hint: "ada",
    });
    const issuer = issuerAt(svc, "github");
    const chosen = await svc.fetch(`${issuer}/authorize?${query.toString()}`, { redirect: "manual" });
    const { code = "" } = await answeredTo(chosen as Response);
    const { client_secret } = clientOf("github");
    const answer = await svc.fetch(`${issuer}/access_token`, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams({ code, client_id, client_secret }),
    });
    expect(await answer.json()).toHaveProperty("access_token");
    expect((await svc.flows.latest())!.data).toMatchObject({ client_id, result: "token" });
    await svc.close();
  });
});
