import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../src/server/index.ts";
import { encodePart, setup, type Service } from "./_setup.ts";

const A1 = "00000000-0000-4000-8000-0000000000a1";
const B1 = "00000000-0000-4000-8000-0000000000b1";
const NOBODY = "00000000-0000-4000-8000-00000000ffff";
const SESSION_A1 = "svc_session_00000000-0000-4000-8000-00000000a001";
const SESSION_B1 = "svc_session_00000000-0000-4000-8000-00000000b001";
const NO_SESSION = "svc_session_00000000-0000-4000-8000-00000000ffff";
const PK = "pk_acme_0123456789";
const NOT_FOUND = [404, { error: "Not found" }];

async function answer(response: Response): Promise<[number, unknown]> {
  return [response.status, await response.json()];
}

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

/** Every endpoint of an instance's own address: what it tells who has no key, and how it answers the right one here. */
const ENDPOINTS: [route: string, missing: string, status: number][] = [
  ["POST /api/v1/tokens/verify", "Missing secret key", 400],
  [`GET /api/v1/users/${A1}`, "Missing secret key", 200],
  [`DELETE /api/v1/users/${A1}`, "Missing secret key", 200],
  ["GET /api/v1/users", "Unauthorized", 200],
  ["GET /api/v1/users/search?query=name:*", "Unauthorized", 200],
  ["GET /api/v1/sessions", "Unauthorized", 200],
  ["GET /api/v1/sessions/search?query=email:*", "Unauthorized", 200],
  [`GET /api/v1/sessions/${SESSION_A1}`, "Unauthorized", 200],
];
const RESOLUTION: [route: string, missing: string, status: number] = [
  `GET /api/v1/instances/search?query=publishable_key:${PK}`,
  "Unauthorized",
  200,
];

function verify({ as, acme }: Service, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return as(acme, "/api/v1/tokens/verify", { method: "POST", headers, body: JSON.stringify(body) });
}

describe("the table of errors", () => {
  const search = "/api/v1/instances/search";

  it.each<[number, object, string, (service: Service) => Promise<Response>]>([
    [400, { error: "Missing token" }, "verify called without token", (service) => verify(service, {})],
    [
      400,
      { error: "publishable_key is required in query" },
      "instance search without publishable_key in query",
      ({ as, acme }) => as(acme, `${search}?query=name:acme`),
    ],
    [401, { error: "Unauthorized" }, "no credentials on sessions", ({ fetch }) => fetch("/api/v1/sessions")],
    [
      401,
      { error: "Unauthorized" },
      "bad credentials on search",
      ({ fetch }) => fetch("/api/v1/users/search?query=name:*", { headers: secret("sk_bad") }),
    ],
    [
      401,
      { error: "Missing secret key" },
      "user retrieval without a secret key",
      ({ fetch }) => fetch(`/api/v1/users/${A1}`),
    ],
    [
      401,
      { valid: false, error: "Token invalid signature" },
      "token signature fails",
      async (service) => {
        const token = await service.tokenFor("google", "ada");
        return verify(service, { token: `${token.slice(0, token.lastIndexOf("."))}.${"A".repeat(43)}` });
      },
    ],
    [
      401,
      { valid: false, error: "Token does not belong to this instance" },
      "token from another instance",
      async (service) => verify(service, { token: await service.tokenFor("google", "ada", service.globex) }),
    ],
    [404, { error: "User not found" }, "user missing (get)", ({ as, acme }) => as(acme, `/api/v1/users/${NOBODY}`)],
    [
      404,
      { error: "User not found" },
      "user in another instance (get)",
      ({ as, acme }) => as(acme, `/api/v1/users/${B1}`),
    ],
    [
      404,
      { error: "User not found" },
      "user missing (delete)",
      ({ as, acme }) => as(acme, `/api/v1/users/${NOBODY}`, { method: "DELETE" }),
    ],
    [
      404,
      { error: "User not found" },
      "user in another instance (delete)",
      ({ as, acme }) => as(acme, `/api/v1/users/${B1}`, { method: "DELETE" }),
    ],
    [
      404,
      { error: "User not found" },
      "user missing (verify)",
      async (service) => {
        const token = await service.tokenFor("google", "ada");
        await service.store.deleteUser(service.acme.id, A1);
        return verify(service, { token });
      },
    ],
    [
      404,
      { error: "Session not found" },
      "session missing",
      ({ as, acme }) => as(acme, `/api/v1/sessions/${NO_SESSION}`),
    ],
    [
      404,
      { error: "Session not found" },
      "session in another instance",
      ({ as, acme }) => as(acme, `/api/v1/sessions/${SESSION_B1}`),
    ],
    [
      404,
      { error: "Instance not found" },
      "no instance for the publishable key",
      ({ as, acme }) => as(acme, `${search}?query=publishable_key:pk_nobody_0123456789`),
    ],
  ])("%i %j: %s", async (status, body, _, request_) => {
    const response = await request_(await setup());
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await answer(response)).toEqual([status, body]);
  });
});

describe("authentication", () => {
  it.each([...ENDPOINTS, RESOLUTION])("%s without a key: %s", async (route, error) => {
    const service = await setup();
    for (const headers of [{}, secret("")]) {
      expect(await answer(await send(service, route, headers))).toEqual([401, { error }]);
    }
  });

  it.each([...ENDPOINTS, RESOLUTION])("%s with a bad key: Unauthorized", async (route) => {
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

  it.each([...ENDPOINTS, RESOLUTION])("%s with the key twice: Unauthorized", async (route) => {
    const service = await setup();
    const headers = new Headers(secret(service.acme.secret_key));
    headers.append("x-service-secret-key", service.acme.secret_key);
    expect(await answer(await send(service, route, headers))).toEqual([401, { error: "Unauthorized" }]);
  });

  it.each([...ENDPOINTS, RESOLUTION])("%s takes the key from its header alone", async (route, error) => {
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

  it.each(ENDPOINTS)("%s takes no publishable key", async (route, error) => {
    const service = await setup();
    expect(await answer(await send(service, route, { "x-service-publishable-key": PK }))).toEqual([401, { error }]);
  });

  it.each(ENDPOINTS)("%s takes no user's token", async (route, error) => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    expect(await answer(await send(service, route, { authorization: `Bearer ${token}` }))).toEqual([401, { error }]);
    expect(await answer(await send(service, route, secret(token)))).toEqual([401, { error: "Unauthorized" }]);
  });

  it.each(ENDPOINTS)("%s at an instance's host takes that instance's key alone", async (route, error, status) => {
    const service = await setup();
    const base = "http://acme.localhost:7820";
    const unauthorized = [401, { error: "Unauthorized" }];
    expect(await answer(await send(service, route, {}, base))).toEqual([401, { error }]);
    expect(await answer(await send(service, route, secret(service.globex.secret_key), base))).toEqual(unauthorized);
    expect((await send(service, route, secret(service.acme.secret_key), base)).status).toBe(status);
  });

  it.each(ENDPOINTS)("%s at the host of no instance takes no key", async (route) => {
    const service = await setup();
    const headers = secret(service.acme.secret_key);
    expect(await answer(await send(service, route, headers, "http://nobody.localhost:7820"))).toEqual([
      401,
      { error: "Unauthorized" },
    ]);
  });

  it.each(ENDPOINTS)("%s is not there at the API's host", async (route) => {
    const service = await setup();
    const headers = secret(service.acme.secret_key);
    expect(await answer(await send(service, route, headers, "http://api.localhost:7820"))).toEqual(NOT_FOUND);
  });

  it.each([...ENDPOINTS, RESOLUTION])(
    "%s at the front door is for the instance of its key",
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
  ])("is not asked for by %s, and a bad key does no harm there", async (path, status) => {
    const { fetch } = await setup();
    for (const headers of [{}, secret("sk_bad")]) {
      for (const base of ["", "http://globex.localhost:7820"]) {
        expect((await fetch(base + path, { headers })).status).toBe(status);
      }
    }
  });

  it("comes before everything else that may be wrong with a request", async () => {
    const { fetch } = await setup();
    const unauthorized = [401, { error: "Unauthorized" }];
    for (const path of ["users/search", "users/search?query=nonsense", "sessions?limit=0", "users?after=nobody"]) {
      expect(await answer(await fetch(`/api/v1/${path}`, { headers: secret("sk_bad") }))).toEqual(unauthorized);
    }
  });
});

describe("what a key sees of another instance", () => {
  it.each([
    ["GET", `users/${B1}`, `users/${NOBODY}`, "users/nonsense"],
    ["DELETE", `users/${B1}`, `users/${NOBODY}`, "users/nonsense"],
    ["GET", `sessions/${SESSION_B1}`, `sessions/${NO_SESSION}`, "sessions/nonsense"],
    [
      "GET",
      "instances/search?query=publishable_key:pk_globex_0123456789",
      "instances/search?query=publishable_key:pk_nobody_0123456789",
      "instances/search?query=publishable_key:nonsense",
    ],
  ])("is what it sees of nothing, to the byte: %s %s", async (method, ...paths) => {
    const { acme, as } = await setup();
    const seen = await Promise.all(
      paths.map(async (path) => {
        const response = await as(acme, `/api/v1/${path}`, { method });
        return { status: response.status, headers: [...response.headers], body: await response.text() };
      }),
    );
    expect(seen[0]!.status).toBe(404);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });
});

describe("a method that an address does not have", () => {
  it.each([
    ["/api/v1/tokens/verify", "POST", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/instances/search", "GET, HEAD, OPTIONS", ["POST", "PUT", "PATCH", "DELETE"]],
    ["/api/v1/sessions", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/sessions/search", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    [`/api/v1/sessions/${SESSION_A1}`, "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/users", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/users/search", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    [`/api/v1/users/${A1}`, "GET, HEAD, DELETE", ["POST", "PUT", "PATCH", "OPTIONS"]],
    ["/.well-known/openid-configuration", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/sign-in", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/oauth/authorize", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/oauth/google/callback", "GET", ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
  ])("%s allows %s", async (path, allow, methods) => {
    const { acme, as } = await setup();
    for (const method of methods) {
      const response = await as(acme, path, { method });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, allow]);
      expect(method === "HEAD" ? { error: "Method not allowed" } : await response.json()).toEqual({
        error: "Method not allowed",
      });
    }
  });
});

describe("an address that is none", () => {
  it.each([
    "/api",
    "/api/v1",
    "/api/v2/users",
    "/v1/users",
    "/API/v1/users",
    "/api/v1/Users",
    "/api/v1/user",
    "/api/v1/instances",
    "/api/v1/tokens",
    `/api/v1/users/${A1}/sessions`,
    `/api/v1/sessions/${SESSION_A1}/revoke`,
    "/oauth",
    "/oauth/token",
    "/.well-known/jwks.json",
    "/api/v1/users.json",
  ])("is not found: %s", async (path) => {
    const { acme, as } = await setup();
    for (const method of ["GET", "POST", "DELETE"]) {
      expect(await answer(await as(acme, path, { method }))).toEqual(NOT_FOUND);
    }
  });

  it.each([
    "/api/v1/users/",
    `/api/v1/users/${A1}/`,
    "/api/v1/users/search/?query=name:*",
    "/api/v1/sessions/",
    "//api/v1/users",
    "/api//v1/users",
    `/api/v1/users//${A1}`,
    `/api/v1/users/${A1}//`,
    "/api/v1/%75sers",
    `/api/v1/users/%30${A1.slice(1)}`,
    "/api/v1/users%2Fsearch?query=name:*",
    "/api/v1/users%3Flimit=1",
    "/api/v1/users%00",
    "/api/v1/users/%",
    "/api/v1/users;a=b",
    "/api/v1/users/*",
    "/api/v1/users/a:b",
    "/.well-known/openid-configuration/",
    "/sign-in/",
  ])("is not found though it resembles one: %s", async (path) => {
    const { acme, as, log } = await setup();
    expect(await answer(await as(acme, `http://localhost:7820${path}`))).toEqual(NOT_FOUND);
    expect(log.bugs).toEqual([]);
  });

  it("is not repeated in the answer", async () => {
    const { fetch } = await setup();
    const path = `/api/v1/${encodePart({ secret: "sk_acme" })}?token=abc`;
    expect(await (await fetch(path)).text()).toBe('{"error":"Not found"}');
  });
});

describe("HEAD", () => {
  it.each([
    `/api/v1/users/${A1}`,
    `/api/v1/users/${NOBODY}`,
    "/api/v1/users",
    "/api/v1/users?limit=1",
    "/api/v1/users/search?query=nonsense",
    "/api/v1/sessions",
    `/api/v1/instances/search?query=publishable_key:${PK}`,
    "/.well-known/openid-configuration",
    "/api/v1/nothing",
  ])("has the status and the headers of GET: %s", async (path) => {
    const { acme, as } = await setup();
    const get = await as(acme, path);
    const head = await as(acme, path, { method: "HEAD" });
    expect([head.status, [...head.headers]]).toEqual([get.status, [...get.headers]]);
  });

  it("needs a key like GET", async () => {
    const { fetch } = await setup();
    expect((await fetch(`/api/v1/users/${A1}`, { method: "HEAD" })).status).toBe(401);
  });
});

describe("on the wire", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await serve({ port: 0, store: "memory" });
  });
  afterAll(() => server.close());

  /** As it is written here: `fetch` would tidy the path up before it is sent. */
  function raw(method: string, path: string): Promise<{ status: number | undefined; body: string }> {
    const headers = secret(server.instances[0]!.secret_key);
    return new Promise((resolve, reject) => {
      const sent = request({ port: server.port, host: "127.0.0.1", method, path, headers }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (body += piece));
        response.on("end", () => resolve({ status: response.statusCode, body }));
      });
      sent.on("error", reject).end();
    });
  }

  it.each([
    "/api/v1/sessions/../users",
    "/api/v1/./users",
    "/api/v1/users/.",
    "/api/v1/users/..",
    "/api/v1/sessions/%2e%2e/users",
    "/api/v1/sessions/%2E./users",
    "/api/v1\\users",
    "/api/v1/users\\",
    "//api/v1/users",
    "///api/v1/users",
    "/api/v1/users/",
    "/api/v1/users#fragment",
    "/api/v1/%",
  ])("no path is tidied up into another: %s", async (path) => {
    expect(await raw("GET", path)).toEqual({ status: 404, body: '{"error":"Not found"}' });
  });

  it.each([
    ["/api/v1/users", 200],
    ["/api/v1/users?limit=1", 200],
    [`/api/v1/users/${NOBODY}`, 404],
    ["/api/v1/tokens/verify", 405],
    ["/api/v1/nothing", 404],
  ])("HEAD %s has no body", async (path, status) => {
    expect(await raw("HEAD", path)).toEqual({ status, body: "" });
    expect((await raw("GET", path)).body).not.toBe("");
  });
});
