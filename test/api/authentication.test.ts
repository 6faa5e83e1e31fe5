import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/wire/product/routes.ts";
import { answer } from "../_answers.ts";
import { ADA, SESSION, type Service, setup } from "../_setup.ts";

const PK = "pk_acme_0123456789";

const DISCOVERY = "GET /.well-known/openid-configuration";

const RESOLVE = "GET /api/v1/instances/search";

const NOT_FOUND = [404, { error: "Not found" }];

/** Sends `METHOD path`; a POST carries an empty JSON object. */
function send(
  { fetch }: Service,
  route: string,
  headers: Record<string, string> | Headers = {},
  base = "",
): Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  const all = new Headers(headers);
  if (method === "POST") all.set("content-type", "application/json");
  return fetch(base + path, { method, headers: all, ...(method === "POST" && { body: "{}" }) });
}

const secret = (key: string): Record<string, string> => ({ "x-service-secret-key": key });

type Row = [route: string, missing: string, status: number];

/** Every endpoint that needs a secret key: its error without a key, and its status here with the right one. */
const KEYED: Readonly<Record<Exclude<Endpoint, typeof DISCOVERY | typeof RESOLVE>, [missing: string, status: number]>> =
  {
    "POST /api/v1/tokens/verify": ["Missing secret key", 400],
    "GET /api/v1/users/:id": ["Missing secret key", 200],
    "DELETE /api/v1/users/:id": ["Missing secret key", 200],
    "GET /api/v1/users": ["Unauthorized", 200],
    "GET /api/v1/users/search": ["Unauthorized", 200],
    "GET /api/v1/sessions": ["Unauthorized", 200],
    "GET /api/v1/sessions/search": ["Unauthorized", 200],
    "GET /api/v1/sessions/:id": ["Unauthorized", 200],
  };

const ENDPOINTS = Object.entries(KEYED).map(([route, [missing, status]]): Row => [
  route
    .replace("users/:id", `users/${ADA}`)
    .replace("sessions/:id", `sessions/${SESSION}`)
    .replace(/search$/, "search?query=name:*"),
  missing,
  status,
]);

const RESOLUTION: Row = [`${RESOLVE}?query=publishable_key:${PK}`, "Unauthorized", 200];

describe("API authentication", () => {
  it.each([...ENDPOINTS, RESOLUTION])("%s without a key answers %s", async (route, error) => {
    const service = await setup();
    for (const headers of [{}, secret("")]) {
      expect(await answer(await send(service, route, headers))).toEqual([401, { error }]);
    }
  });

  it.each([...ENDPOINTS, RESOLUTION])("%s with an invalid key answers Unauthorized", async (route) => {
    const service = await setup();
    const key = service.acme.secret_key;
    const bad = [
      "sk_",
      "sk_nobody_0123456789abcdefghijklmnopqrstuvwxyz",
      key.slice(0, -1),
      `${key}a`,
      key.toUpperCase(),
      `"${key}"`,
      `Bearer ${key}`,
      encodeURIComponent(`${key} `),
      PK,
      service.acme.id,
      `${key}, ${key}`,
      `${key}, ${service.globex.secret_key}`,
      "undefined",
      "__proto__",
    ];
    for (const headers of bad.map(secret)) {
      expect([headers, ...(await answer(await send(service, route, headers)))]).toEqual([
        headers,
        401,
        { error: "Unauthorized" },
      ]);
    }
  });

  it.each([...ENDPOINTS, RESOLUTION])("%s accepts the key in its header only", async (route, error) => {
    const service = await setup();
    const key = service.acme.secret_key;
    const places: [route: string, headers: Record<string, string>][] = [
      [route, { authorization: `Bearer ${key}` }],
      [route, { "x-secret-key": key }],
      [route, { cookie: `x-service-secret-key=${key}` }],
      [`${route}${route.includes("?") ? "&" : "?"}x-service-secret-key=${key}`, {}],
    ];
    for (const [asked, headers] of places) {
      expect(await answer(await send(service, asked, headers))).toEqual([401, { error }]);
    }
  });

  it.each(ENDPOINTS)("%s rejects a publishable key", async (route, error) => {
    const service = await setup();
    expect(await answer(await send(service, route, { "x-service-publishable-key": PK }))).toEqual([401, { error }]);
  });

  it.each(ENDPOINTS)("%s rejects a user's token", async (route, error) => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    expect(await answer(await send(service, route, { authorization: `Bearer ${token}` }))).toEqual([401, { error }]);
    expect(await answer(await send(service, route, secret(token)))).toEqual([401, { error: "Unauthorized" }]);
  });

  it.each(ENDPOINTS)("%s at an instance's host accepts only that instance's key", async (route, error, status) => {
    const service = await setup();
    const base = "http://acme.localhost:7820";
    const unauthorized = [401, { error: "Unauthorized" }];
    expect(await answer(await send(service, route, {}, base))).toEqual([401, { error }]);
    expect(await answer(await send(service, route, secret(service.globex.secret_key), base))).toEqual(unauthorized);
    expect((await send(service, route, secret(service.acme.secret_key), base)).status).toBe(status);
  });

  it.each(ENDPOINTS)("%s at the host of an unknown instance rejects every key", async (route) => {
    const service = await setup();
    const headers = secret(service.acme.secret_key);
    expect(await answer(await send(service, route, headers, "http://nobody.localhost:7820"))).toEqual([
      401,
      { error: "Unauthorized" },
    ]);
  });

  it.each(ENDPOINTS)("%s does not exist at the API's host", async (route) => {
    const service = await setup();
    const headers = secret(service.acme.secret_key);
    expect(await answer(await send(service, route, headers, "http://api.localhost:7820"))).toEqual(NOT_FOUND);
  });

  it.each([...ENDPOINTS, RESOLUTION])(
    "%s at the server's own address uses the instance of its key",
    async (route, _, status) => {
      const service = await setup();
      expect((await send(service, route, secret(service.acme.secret_key))).status).toBe(status);
      const entry = service.log.requests.at(-1);
      expect([entry?.status, entry?.instance]).toEqual([status, "acme"]);
    },
  );

  it.each([
    ["/.well-known/openid-configuration", 200],
    ["/sign-in?redirect_uri=http://localhost:3000/callback", 302],
    ["/oauth/authorize?provider=google&redirect_uri=http://localhost:3000/callback", 302],
  ])("%s needs no key and ignores an invalid one", async (path, status) => {
    const { fetch } = await setup();
    for (const headers of [{}, secret("sk_bad")]) {
      for (const base of ["", "http://globex.localhost:7820"]) {
        expect((await fetch(base + path, { headers })).status).toBe(status);
      }
    }
  });

  it("checks the key before anything else in the request", async () => {
    const { fetch } = await setup();
    const unauthorized = [401, { error: "Unauthorized" }];
    for (const path of ["users/search", "users/search?query=nonsense", "sessions?limit=0", "users?after=nobody"]) {
      expect(await answer(await fetch(`/api/v1/${path}`, { headers: secret("sk_bad") }))).toEqual(unauthorized);
    }
  });
});
