import { describe, expect, it } from "vitest";
import { answer } from "../_answers.ts";
import { ADA, ADA_OF_GLOBEX, NOBODY, setup } from "../_setup.ts";
import { claimsOf, type Instance, NOW, refusal, sign, verify, VERIFY } from "../_tokens.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

/** A body of that many bytes. */
function bodyOf(size: number): string {
  return JSON.stringify({ token: "x".repeat(size - '{"token":""}'.length) });
}

describe("POST /api/v1/tokens/verify", () => {
  it("answers a valid token with its user", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    expect(await answer(await verify(service, service.acme, { token }))).toEqual([
      200,
      {
        id: ADA,
        resource: "token",
        data: {
          valid: true,
          email: "ada@acme.test",
          name: "Ada Lovelace",
          avatar_url: "http://localhost:7820/__svc/simulator/avatars/ada.svg",
          provider: "google",
        },
      },
    ]);
  });

  it("returns the user's current values and the provider of the token", async () => {
    const service = await setup();
    const token = sign(
      service.acme.secret_key,
      claimsOf(service.acme, { email: "old@acme.test", name: "Ada Byron", avatar_url: "https://old.test/a.png" }),
    );
    expect(await answer(await verify(service, service.acme, { token }))).toEqual([
      200,
      {
        id: ADA,
        resource: "token",
        data: { valid: true, email: "ada@acme.test", name: "Ada Lovelace", avatar_url: "", provider: "google" },
      },
    ]);
  });

  it.each([...PROVIDERS, "email"])("accepts a token of the provider %s", async (provider) => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme, { provider }));
    const [status, body] = await answer(await verify(service, service.acme, { token }));
    expect([status, body]).toMatchObject([200, { data: { valid: true, provider } }]);
  });

  it.each(["application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"])(
    "accepts a body of type %s",
    async (type) => {
      const service = await setup();
      const token = await service.tokenFor("google", "ada");
      expect((await verify(service, service.acme, { token }, type)).status).toBe(200);
    },
  );

  it("accepts a token whose header has no typ", async () => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme), { alg: "HS256" });
    expect((await verify(service, service.acme, { token })).status).toBe(200);
  });

  it("does not change a token, however often it verifies it", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    const first = await answer(await verify(service, service.acme, { token }));
    expect(first[0]).toBe(200);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(first);
  });
});

describe("POST /api/v1/tokens/verify with an invalid request", () => {
  const JSON_TYPE = "application/json";

  it.each<[what: string, body: string | undefined, type?: string]>([
    ["no token", "{}"],
    ["a token that is null", '{"token":null}'],
    ["a token that is a number", '{"token":5}'],
    ["a token that is an object", '{"token":{"token":"x"}}'],
    ["an empty token", '{"token":""}'],
    ["a token under another name", '{"Token":"x"}'],
    ["a token in the prototype", '{"__proto__":{"token":"x"}}'],
    ["an array", '["token"]'],
    ["a string", '"token"'],
    ["null", "null"],
    ["an empty body", ""],
    ["an empty body of another type", "", "text/plain"],
    ["no body", undefined],
  ])("answers Missing token: %s", async (_, body, type = JSON_TYPE) => {
    const { acme, as } = await setup();
    const init = { method: "POST", headers: { "content-type": type }, ...(body !== undefined && { body }) };
    expect(await answer(await as(acme, VERIFY, init))).toEqual([400, { error: "Missing token" }]);
  });

  it.each([
    ["a bare token", "a.b.c"],
    ["a form", "token=a.b.c"],
    ["JSON cut short", '{"token":"a.b.c"'],
    ["JSON and more", '{"token":"a.b.c"} x'],
  ])("answers Invalid JSON: %s", async (_, body) => {
    const service = await setup();
    expect(await answer(await verify(service, service.acme, body))).toEqual([400, { error: "Invalid JSON" }]);
  });

  it("takes the last of a key that is repeated, as every JSON parser of JavaScript does", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    expect((await verify(service, service.acme, `{"token":"x","token":"${token}"}`)).status).toBe(200);
    expect((await verify(service, service.acme, `{"token":"${token}","token":"x"}`)).status).toBe(401);
  });

  it("accepts the same key in different objects", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    const body = { a: { token: "x" }, b: [{ token: 'y","token":"z' }, { token: "y" }], token };
    expect((await verify(service, service.acme, body)).status).toBe(200);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
    "application/jsonp",
    "application/json, text/plain",
  ])("rejects a body of type %s", async (type) => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    expect(await answer(await verify(service, service.acme, { token }, type))).toEqual([
      415,
      { error: "Unsupported media type: send application/json" },
    ]);
  });

  it("rejects a body without a type", async () => {
    const { acme, as } = await setup();
    const body = new TextEncoder().encode('{"token":"x"}');
    expect(await answer(await as(acme, VERIFY, { method: "POST", body }))).toEqual([
      415,
      { error: "Unsupported media type: send application/json" },
    ]);
  });

  it("rejects an encoded body", async () => {
    const { acme, as } = await setup();
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    expect(await answer(await as(acme, VERIFY, { method: "POST", headers, body: '{"token":"x"}' }))).toEqual([
      415,
      { error: "Unsupported media type: send it without Content-Encoding" },
    ]);
  });

  it("rejects a body over 64 KiB", async () => {
    const service = await setup();
    expect(await answer(await verify(service, service.acme, bodyOf(65_536)))).toEqual(
      refusal("Token invalid signature"),
    );
    expect(await answer(await verify(service, service.acme, bodyOf(65_537)))).toEqual([
      413,
      { error: "Body too large" },
    ]);
  });
});

describe("POST /api/v1/tokens/verify answers User not found for", () => {
  const missing = [404, { error: "User not found" }];

  it.each([
    ["that never existed", NOBODY],
    ["of another instance", ADA_OF_GLOBEX],
  ])("a user %s", async (_, sub) => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme, { sub }));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(missing);
  });
});

describe("POST /api/v1/tokens/verify, with several faults in one request,", () => {
  const JSON_TYPE = "application/json";
  const OTHER_KEY = "sk_somebody_0123456789abcdefghijklmnopqrst";
  const stale = { iat: NOW - 7200, exp: NOW - 3600, sub: NOBODY };
  type Row = [string, string, (acme: Instance, globex: Instance) => [key: string, type: string, body: string], number];

  it.each<Row>([
    ["the key", "Unauthorized", () => ["sk_bad", "text/plain", "x"], 401],
    [
      "the content type",
      "Unsupported media type: send application/json",
      (a) => [a.secret_key, "text/plain", "x"],
      415,
    ],
    ["the body", "Invalid JSON", (a) => [a.secret_key, JSON_TYPE, "x"], 400],
    [
      "the token's shape",
      "Token invalid signature",
      (a, g) => [a.secret_key, JSON_TYPE, JSON.stringify({ token: `${sign(OTHER_KEY, claimsOf(g, stale))}.x` })],
      401,
    ],
    [
      "the instance",
      "Token does not belong to this instance",
      (a, g) => [a.secret_key, JSON_TYPE, JSON.stringify({ token: sign(OTHER_KEY, claimsOf(g, stale)) })],
      401,
    ],
    [
      "the signature",
      "Token invalid signature",
      (a) => [a.secret_key, JSON_TYPE, JSON.stringify({ token: sign(OTHER_KEY, claimsOf(a, stale)) })],
      401,
    ],
    [
      "the claims",
      "Token expired",
      (a) => [a.secret_key, JSON_TYPE, JSON.stringify({ token: sign(a.secret_key, claimsOf(a, stale)) })],
      401,
    ],
  ])("checks %s before what follows it", async (_, error, request, expected) => {
    const { acme, globex, fetch } = await setup();
    const [key, type, body] = request(acme, globex);
    const headers = { "x-service-secret-key": key, "content-type": type };
    const [status, refused] = await answer(await fetch(VERIFY, { method: "POST", headers, body }));
    expect([status, refused]).toMatchObject([expected, { error }]);
  });
});
