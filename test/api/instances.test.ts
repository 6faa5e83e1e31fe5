import { describe, expect, it } from "vitest";
import { answer } from "../_answers.ts";
import { SEED, setup } from "../_setup.ts";

const SEARCH = "/api/v1/instances/search";
const API = "http://api.localhost:7820";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PK = "pk_acme_0123456789";
const QUERY = `${SEARCH}?query=publishable_key:${PK}`;

const secret = (key: string): RequestInit => ({ headers: { "x-service-secret-key": key } });
const both = (key: string, pk: string): RequestInit => ({
  headers: { "x-service-secret-key": key, "x-service-publishable-key": pk },
});
const publishable = (key: string): RequestInit => ({ headers: { "x-service-publishable-key": key } });

const ACME = {
  id: expect.stringMatching(UUID) as string,
  resource: "instance",
  data: { publishable_key: PK, url: "http://acme.localhost:7820", subdomain: "acme" },
};

describe("GET /api/v1/instances/search", () => {
  it("resolves an instance's address by its publishable key", async () => {
    const { fetch, acme } = await setup();
    expect(await answer(await fetch(API + QUERY, publishable(PK)))).toEqual([200, { ...ACME, id: acme.id }]);
  });

  it("accepts the secret key as well", async () => {
    const { fetch, acme } = await setup();
    expect(await answer(await fetch(API + QUERY, secret(acme.secret_key)))).toEqual([200, ACME]);
  });

  it("uses the secret key of a request that has both keys", async () => {
    const { fetch, acme, globex } = await setup();
    expect(await answer(await fetch(API + QUERY, both(acme.secret_key, "pk_wrong_0123")))).toEqual([200, ACME]);
    expect(await answer(await fetch(API + QUERY, both("sk_wrong", PK)))).toEqual([401, { error: "Unauthorized" }]);
    expect((await fetch(API + QUERY, both(globex.secret_key, PK))).status).toBe(404);
  });

  it.each(["http://api.localhost:7820", "http://localhost:7820", "http://acme.localhost:7820"])(
    "is served at %s with either key",
    async (base) => {
      const { fetch, acme } = await setup();
      for (const init of [publishable(PK), secret(acme.secret_key)])
        expect(await answer(await fetch(base + QUERY, init))).toEqual([200, ACME]);
    },
  );

  it("rejects another instance's key at an instance's own address", async () => {
    const { fetch, globex } = await setup();
    const asked = `http://acme.localhost:7820${SEARCH}?query=publishable_key:pk_globex_0123456789`;
    for (const init of [publishable("pk_globex_0123456789"), secret(globex.secret_key)])
      expect(await answer(await fetch(asked, init))).toEqual([401, { error: "Unauthorized" }]);
  });

  it.each(["http://api.localhost:7820", "http://localhost:7820", "http://acme.localhost:7820"])(
    "answers 404 at %s for an unknown publishable key sent as the credential",
    async (base) => {
      const { fetch } = await setup();
      const key = "pk_nobody_0123456789";
      const asked = `${base}${SEARCH}?query=publishable_key:${key}`;
      expect(await answer(await fetch(asked, publishable(key)))).toEqual([404, { error: "Instance not found" }]);
      // It can look up neither a known key nor another unknown one.
      for (const other of [PK, "pk_another_0123456789"])
        expect(await answer(await fetch(`${base}${SEARCH}?query=publishable_key:${other}`, publishable(key)))).toEqual([
          401,
          { error: "Unauthorized" },
        ]);
    },
  );

  it("treats an empty key header as absent", async () => {
    const { fetch, acme } = await setup();
    expect(await answer(await fetch(API + QUERY, both("", PK)))).toEqual([200, ACME]);
    expect(await answer(await fetch(API + QUERY, both(acme.secret_key, "")))).toEqual([200, ACME]);
    expect(await answer(await fetch(API + QUERY, both("", "")))).toEqual([401, { error: "Unauthorized" }]);
  });

  it.each([
    ["escaped", `publishable_key%3A${PK}`],
    ["before other terms", `publishable_key:${PK}%20active:true`],
    ["behind other terms", `active:true+publishable_key:${PK}`],
  ])("finds the publishable key in a query where it is %s", async (_, query) => {
    const { fetch } = await setup();
    expect(await answer(await fetch(`${API}${SEARCH}?query=${query}`, publishable(PK)))).toEqual([200, ACME]);
  });

  it.each([
    ["no query", ""],
    ["an empty query", "?query="],
    ["a query of other terms", "?query=subdomain:acme"],
    ["the key alone", `?query=${PK}`],
    ["the key under a longer name", `?query=my_publishable_key:${PK}`],
    ["the key negated", `?query=-publishable_key:${PK}`],
    ["no key behind the colon", "?query=publishable_key:"],
    ["the key behind a space", `?query=publishable_key:%20${PK}`],
    ["the key as a parameter", `?publishable_key=${PK}`],
  ])("answers 400 unless its query has a publishable key: %s", async (_, query) => {
    const { fetch } = await setup();
    expect(await answer(await fetch(API + SEARCH + query, publishable(PK)))).toEqual([
      400,
      { error: "publishable_key is required in query" },
    ]);
  });

  it.each([
    ["that is unknown", "pk_nobody_0123456789"],
    ["of another instance", "pk_globex_0123456789"],
    ["in the other case", PK.toUpperCase()],
    ["cut short", PK.slice(0, -1)],
    ["that is a secret key", "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz"],
  ])("finds no instance by a key %s", async (_, key) => {
    const { fetch, acme } = await setup();
    for (const init of [publishable(PK), secret(acme.secret_key)]) {
      expect(await answer(await fetch(`${API}${SEARCH}?query=publishable_key:${key}`, init))).toEqual([
        404,
        { error: "Instance not found" },
      ]);
    }
  });

  it.each<[string, RequestInit]>([
    ["no key", {}],
    ["an unknown publishable key", publishable("pk_nobody_0123456789")],
    ["an unknown secret key", secret("sk_nobody_0123456789abcdefghijklmnopqrstuvwxyz")],
    ["an empty key", publishable("")],
    ["a publishable key as the secret key", secret(PK)],
    ["a secret key as the publishable key", publishable("sk_acme_0123456789abcdefghijklmnopqrstuvwxyz")],
  ])("answers 401 to a request with %s, for every query", async (_, init) => {
    const { fetch } = await setup();
    for (const path of [QUERY, SEARCH]) {
      expect(await answer(await fetch(API + path, init))).toEqual([401, { error: "Unauthorized" }]);
    }
  });

  it("returns a null address for an instance that is not active yet", async () => {
    const [acme] = SEED.instances;
    const { fetch } = await setup({ seed: { instances: [{ ...acme, active: false }] } });
    for (const init of [publishable(PK), secret(acme!.secret_key)]) {
      expect(await answer(await fetch(API + QUERY, init))).toEqual([
        200,
        { ...ACME, data: { publishable_key: PK, url: null, subdomain: null } },
      ]);
    }
  });
});

describe("CORS on GET /api/v1/instances/search", () => {
  const ORIGIN = "https://app.test";
  const from = (init: RequestInit): RequestInit => ({
    headers: { origin: ORIGIN, "sec-fetch-site": "cross-site", ...(init.headers as Record<string, string>) },
  });

  it("lets other origins read the instance that was found", async () => {
    const { fetch } = await setup();
    const response = await fetch(API + QUERY, from(publishable(PK)));
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer(response)).toEqual([200, ACME]);
  });

  it.each([
    [400, "publishable_key is required in query", SEARCH, PK],
    [401, "Unauthorized", QUERY, "pk_nobody_0123456789"],
    [404, "Instance not found", `${SEARCH}?query=publishable_key:pk_nobody_0123456789`, PK],
  ])("lets other origins read the error: %i %s", async (status, error, path, key) => {
    const { fetch } = await setup();
    const response = await fetch(API + path, from(publishable(key)));
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer(response)).toEqual([status, { error }]);
  });

  it("answers the preflight request of another origin", async () => {
    const { fetch } = await setup();
    const response = await fetch(API + QUERY, {
      method: "OPTIONS",
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-service-publishable-key",
      },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toBe("GET");
    expect(response.headers.get("access-control-allow-headers")).toBe("x-service-publishable-key");
  });

  it("lets no other origin read what a secret key is answered", async () => {
    const { fetch, acme } = await setup();
    const response = await fetch(API + QUERY, from(secret(acme.secret_key)));
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(await answer(response)).toEqual([200, ACME]);
  });
});
