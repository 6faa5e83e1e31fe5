import { describe, expect, it } from "vitest";
import { ConfigError, TokenError } from "../../src/client/index.ts";
import { checkToken, decodeToken, verifyToken } from "../../src/client/verify.ts";
import { forged } from "../_client.ts";
import { decodePart, setup } from "../_setup.ts";
import { sign } from "../_tokens.ts";

// What is refused, and why: test/api/tokens-signed-elsewhere.test.ts.
describe("A token verified with the key alone", () => {
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
      const good = await service.tokenFor("google", "ada");
      const token = secretKey === "" ? forged(good) : sign(secretKey, decodePart(good, 1));
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
