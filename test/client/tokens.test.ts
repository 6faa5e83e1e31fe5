import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ConfigError, TokenError } from "../../src/client/index.ts";
import { checkToken, decodeToken, verifyToken } from "../../src/client/verify.ts";
import { forged } from "../_client.ts";
import { decodePart, encodePart, setup, START, type Service } from "../_setup.ts";

describe("A token verified with the key alone", () => {
  const NOW = Math.floor(START.getTime() / 1000);
  type Claims = Record<string, unknown>;

  const HS256 = { alg: "HS256", typ: "JWT" };
  type Vector = [what: string, code: string | undefined, make: (good: Claims, key: string) => string];
  /** Every forgery is tried both ways in test/security/tokens.test.ts: here are the codes of a client. */
  const vectors: Vector[] = [
    ["a valid token", undefined, (good, key) => sign(HS256, good, key)],
    ["a valid token without typ", undefined, (good, key) => sign({ alg: "HS256" }, good, key)],
    ["one of this very second", undefined, (good, key) => sign(HS256, { ...good, iat: NOW, exp: NOW + 3600 }, key)],
    [
      "one from a clock that is a minute ahead",
      undefined,
      (good, key) => sign(HS256, { ...good, iat: NOW + 60, exp: NOW + 3660 }, key),
    ],
    ["one in its last second", undefined, (good, key) => sign(HS256, { ...good, iat: NOW - 3599, exp: NOW + 1 }, key)],
    [
      "one that has just expired",
      "token_expired",
      (good, key) => sign(HS256, { ...good, iat: NOW - 3600, exp: NOW }, key),
    ],
    ["HS512 in name only", "token_invalid", (good, key) => sign({ alg: "HS512" }, good, key)],
    ["RS256 in name only", "token_invalid", (good, key) => sign({ alg: "RS256" }, good, key)],
    ["changed claims", "token_invalid_signature", (good, key) => forged(sign(HS256, good, key))],
    ["a signature with spare bits set", "token_invalid_signature", (good, key) => spareBits(sign(HS256, good, key))],
    ["claims that are not JSON", "token_invalid_signature", (_, key) => sign(HS256, "{", key)],
    ["no iat", undefined, (good, key) => sign(HS256, { ...good, iat: undefined }, key)],
    ["no iss", undefined, (good, key) => sign(HS256, { ...good, iss: undefined }, key)],
    ["a sub that is null", "token_invalid", (good, key) => sign(HS256, { ...good, sub: null }, key)],
    ["an iat in quotes", "token_invalid", (good, key) => sign(HS256, { ...good, iat: String(NOW) }, key)],
    ["a longer life", "token_invalid", (good, key) => sign(HS256, { ...good, exp: NOW + 7200 }, key)],
    [
      "fractions of a second",
      "token_invalid",
      (good, key) => sign(HS256, { ...good, iat: NOW + 0.5, exp: NOW + 3600.5 }, key),
    ],
    ["a sub that is not text", "token_invalid", (good, key) => sign(HS256, { ...good, sub: 5 }, key)],
    ["nothing", "missing_token", () => ""],
    ["dots", "token_invalid_signature", () => ".."],
  ];

  async function made(make: Vector[2]): Promise<{ service: Service; token: string; good: Claims }> {
    const service = await setup();
    const good = decodePart(await service.tokenFor("google", "ada"), 1);
    return { service, token: make(good, service.acme.secret_key), good };
  }

  it.each(vectors)("with %s has the code %s", async (_, code, make) => {
    const { service, token } = await made(make);
    const { secret_key: secretKey, id: instanceId } = service.acme;
    const result = await checkToken(token, { secretKey, instanceId, now: service.clock.now });
    expect(result.ok ? undefined : result.error.code).toBe(code);
  });

  it("is valid for a user that the service does not find", async () => {
    const { service, token } = await made((good, key) => sign(HS256, { ...good, sub: "../admin" }, key));
    const { secret_key: secretKey, id: instanceId } = service.acme;
    const result = await checkToken(token, { secretKey, instanceId, now: service.clock.now });
    expect(result).toMatchObject({ ok: true, claims: { sub: "../admin" } });
    await expect(service.client(service.acme).tokens.verify(token)).rejects.toMatchObject({ code: "user_not_found" });
  });

  it("of another instance is told from a forged one only if the key is shared", async () => {
    const service = await setup();
    const {
      clock: { now },
      acme,
      globex,
    } = service;
    const token = await service.tokenFor("google", "ada", globex);
    await expect(verifyToken(token, { secretKey: acme.secret_key, now })).rejects.toMatchObject({
      code: "token_invalid_signature",
    });
    const options = { secretKey: globex.secret_key, instanceId: acme.id, now };
    await expect(verifyToken(token, options)).rejects.toMatchObject({
      name: "TokenError",
      code: "token_wrong_instance",
      message: "Token does not belong to this instance",
    });
  });

  it.each(["", "sk_", "sk_short", "pk_acme_0123456789abcdefghijklmnopqrstuvwxyz"])(
    "is not verified with the weak key %j",
    async (secretKey) => {
      const service = await setup();
      const good = decodePart(await service.tokenFor("google", "ada"), 1);
      const token = secretKey === "" ? forged(await service.tokenFor("google", "ada")) : sign(HS256, good, secretKey);
      const now = service.clock.now;
      for (const keys of [secretKey, [secretKey], [service.acme.secret_key, secretKey], []]) {
        await expect(verifyToken(token, { secretKey: keys, now })).rejects.toThrow(ConfigError);
        await expect(checkToken(token, { secretKey: keys, now })).rejects.toThrow(ConfigError);
      }
    },
  );

  it("can be decoded without being verified", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    expect(decodeToken(forged(token))).toEqual({
      header: { alg: "HS256", typ: "JWT" },
      claims: { ...decodePart(token, 1), name: "Mallory" },
      verified: false,
    });
    expect(() => decodeToken("nonsense")).toThrow(
      new TokenError("token_invalid_signature", "Token invalid signature", { reason: "malformed" }),
    );
  });
});

function sign(header: object, claims: object | string, key: string, hash = "sha256"): string {
  const payload = typeof claims === "string" ? Buffer.from(claims).toString("base64url") : encodePart(claims);
  const text = `${encodePart(header)}.${payload}`;
  return `${text}.${createHmac(hash, key).update(text).digest("base64url")}`;
}

/** The same bytes to a lenient decoder: the last character's two lowest bits mean nothing. */
function spareBits(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) + 1]!;
}
