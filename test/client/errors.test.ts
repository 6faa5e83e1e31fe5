import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ApiError, ERROR_CODES, isServiceError, ServiceError, TokenError, type Fetch } from "../../src/client/index.ts";
import { answering } from "../_answering.ts";
import { caught, clientWith, forged, KEY } from "../_client.ts";
import { FRONT, setup, type Service, ADA, NOBODY, SESSION } from "../_setup.ts";
import { claimsOf, sign } from "../_tokens.ts";

describe("Errors", () => {
  type Row = [code: string, status: number, call: (service: Service) => PromiseLike<unknown>, message: string];
  it.each<Row>([
    [
      "user_not_found",
      404,
      ({ client, acme }) => client(acme).users.get(NOBODY),
      "GET /api/v1/users/:id: 404 User not found",
    ],
    [
      "user_not_found",
      404,
      ({ client, globex }) => client(globex).users.get(ADA),
      "GET /api/v1/users/:id: 404 User not found",
    ],
    [
      "session_not_found",
      404,
      ({ client, globex }) => client(globex).sessions.get(SESSION),
      "GET /api/v1/sessions/:id: 404 Session not found",
    ],
    [
      "unauthorized",
      401,
      ({ client, acme }) => client(acme, { secretKey: KEY }).users.list(),
      "GET /api/v1/users: 401 Unauthorized. Check that the key belongs to the instance at baseUrl",
    ],
    [
      "instance_not_found",
      404,
      ({ client, acme }) => client(acme).instances.resolve("pk_nobody_0123456789"),
      "GET /api/v1/instances/search: 404 Instance not found",
    ],
    [
      "query_required",
      400,
      ({ client, acme }) => client(acme).users.search(" "),
      "GET /api/v1/users/search: 400 query is required",
    ],
    [
      "bad_request",
      400,
      ({ client, acme }) => client(acme).users.list({ limit: 0 }),
      "GET /api/v1/users: 400 Bad request: limit must be a number from 1 to 1000",
    ],
    [
      "not_found",
      404,
      ({ client, acme }) => client(acme, { baseUrl: `${FRONT}/elsewhere` }).users.list(),
      "GET /api/v1/users: 404 Not found. Check that baseUrl is the address of an instance",
    ],
    [
      "unknown_host",
      421,
      ({ client, acme }) => client(acme, { baseUrl: "https://evil.test" }).users.list(),
      "GET /api/v1/users: 421 Unknown host: this server does not answer for evil.test; add it with --allowed-host",
    ],
  ])("are ApiErrors with the code %s for status %i", async (code, status, call, message) => {
    const error = await caught(call(await setup()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name: "ApiError", code, status, message });
  });

  it.each<[code: string, token: (service: Service) => Promise<string>, message: string]>([
    [
      "token_wrong_instance",
      ({ tokenFor, globex }) => tokenFor("google", "ada", globex),
      "Token does not belong to this instance",
    ],
    [
      "token_invalid_signature",
      async ({ tokenFor }) => forged(await tokenFor("google", "ada")),
      "Token invalid signature",
    ],
    ["token_invalid_signature", async () => "nonsense", "Token invalid signature"],
    ["token_invalid", async ({ acme }) => sign(acme.secret_key, claimsOf(acme, { sub: undefined })), "Token invalid"],
    [
      "token_expired",
      async ({ tokenFor, clock }) => {
        const token = await tokenFor("google", "ada");
        clock.advance(3600);
        return token;
      },
      "Token expired",
    ],
  ])("are TokenErrors with the code %s for a token", async (code, token, message) => {
    const service = await setup();
    const error = await caught(service.client(service.acme).tokens.verify(await token(service)));
    expect(error).toBeInstanceOf(TokenError);
    expect(error).toMatchObject({ name: "TokenError", code, message });
  });

  it.each([
    ["a page of HTML", 500, "<html><h1>Oops</h1></html>", "not JSON"],
    ["a success of another kind", 204, "", "not JSON"],
    ["an error that is not an object", 500, '"broken"', "JSON of another form"],
    ["an error without a sentence", 500, '{"error":{}}', "JSON of another form"],
    ["an object where a list should be", 200, '{"data":[]}', "JSON of another form"],
  ])("have the code unexpected_response for %s", async (_, status, body, what) => {
    const text = status === 204 ? null : body;
    const fetch: Fetch = async () => new Response(text, { status }) as Awaited<ReturnType<Fetch>>;
    const error = await caught(clientWith(fetch, { retry: 0 }).users.list());
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      code: "unexpected_response",
      message: `GET /api/v1/users: unexpected response with status ${status}: ${what}`,
    });
  });

  it.each([
    [418, "unknown"],
    [500, "unknown"],
    [429, "rate_limited"],
    [503, "unavailable"],
  ])("with an unknown message and status %i have the code %s", async (status, code) => {
    const error = await caught(clientWith(answering(status, '{"error":"Slow down"}'), { retry: 0 }).users.list());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, status, error: "Slow down" });
    expect(Object.keys(ERROR_CODES)).toContain(code);
  });

  it("are recognized across two copies of the package", () => {
    const foreign = { code: "timeout", [Symbol.for("svc-identity.error")]: true };
    expect([isServiceError(foreign), isServiceError(foreign, "timeout"), isServiceError(foreign, "config")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isServiceError(new Error("x")), isServiceError(null), isServiceError("timeout")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("contain no key, and neither does the client, however they are inspected", async () => {
    const client = clientWith(answering(500, "<html>"));
    const error = await caught(client.users.list());
    for (const value of [error, client]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(KEY);
      expect(JSON.stringify(value)).not.toContain(KEY);
    }
  });

  it("of a call reach a caller that awaits only its response, and are reported nowhere else", async () => {
    const { users } = clientWith(answering(500, '{"error":"Internal error"}'));
    await expect(users.list().withResponse()).rejects.toMatchObject({ code: "internal" });
  });
});
