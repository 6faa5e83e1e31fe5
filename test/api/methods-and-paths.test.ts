import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { answer, headersOf } from "../_answers.ts";
import { ADA, NOBODY, SESSION, encodePart, setup } from "../_setup.ts";

const PK = "pk_acme_0123456789";

const NOT_FOUND = [404, { error: "Not found" }];

const secret = (key: string): Record<string, string> => ({ "x-service-secret-key": key });

describe("An unsupported method", () => {
  it.each([
    ["/api/v1/tokens/verify", "POST", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/instances/search", "GET, HEAD, OPTIONS", ["POST", "PUT", "PATCH", "DELETE"]],
    ["/api/v1/sessions", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/sessions/search", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    [`/api/v1/sessions/${SESSION}`, "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/users", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/api/v1/users/search", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    [`/api/v1/users/${ADA}`, "GET, HEAD, DELETE", ["POST", "PUT", "PATCH", "OPTIONS"]],
    ["/.well-known/openid-configuration", "GET, HEAD", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/sign-in", "GET", ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/oauth/authorize", "GET", ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
    ["/oauth/google/callback", "GET", ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]],
  ])("on %s is answered with Allow: %s", async (path, allow, methods) => {
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

describe("An unknown path", () => {
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
    `/api/v1/users/${ADA}/sessions`,
    `/api/v1/sessions/${SESSION}/revoke`,
    "/oauth",
    "/oauth/token",
    "/.well-known/jwks.json",
    "/api/v1/users.json",
    "/api/v1/users:a",
    "/api/v1/*",
    "/.well-known/openid-configuration/",
    "/sign-in/",
  ])("answers 404: %s", async (path) => {
    const { acme, as } = await setup();
    for (const method of ["GET", "POST", "DELETE"]) {
      expect(await answer(await as(acme, path, { method }))).toEqual(NOT_FOUND);
    }
  });

  it("is not repeated in the response", async () => {
    const { fetch } = await setup();
    const path = `/api/v1/${encodePart({ secret: "sk_acme" })}?token=abc`;
    expect(await (await fetch(path)).text()).toBe('{"error":"Not found"}');
  });
});

describe("A HEAD request", () => {
  it.each([
    `/api/v1/users/${ADA}`,
    `/api/v1/users/${NOBODY}`,
    "/api/v1/users",
    "/api/v1/users?limit=1",
    "/api/v1/users/search?query=nonsense",
    "/api/v1/sessions",
    `/api/v1/instances/search?query=publishable_key:${PK}`,
    "/.well-known/openid-configuration",
    "/api/v1/nothing",
  ])("returns the status and headers of GET: %s", async (path) => {
    const { acme, as } = await setup();
    const get = await as(acme, path);
    const head = await as(acme, path, { method: "HEAD" });
    expect([head.status, headersOf(head)]).toEqual([get.status, headersOf(get)]);
  });

  it("needs a key like GET", async () => {
    const { fetch } = await setup();
    expect((await fetch(`/api/v1/users/${ADA}`, { method: "HEAD" })).status).toBe(401);
  });
});

describe("The HTTP server", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await serve({ port: 0, store: "memory" });
  });
  afterAll(() => server.close());

  /** The path exactly as written: `fetch` would normalize it first. */
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
    ["/api/v1/users", 200],
    ["/api/v1/users?limit=1", 200],
    [`/api/v1/users/${NOBODY}`, 404],
    ["/api/v1/tokens/verify", 405],
    ["/api/v1/nothing", 404],
  ])("sends no body for HEAD %s", async (path, status) => {
    expect(await raw("HEAD", path)).toEqual({ status, body: "" });
    expect((await raw("GET", path)).body).not.toBe("");
  });
});
