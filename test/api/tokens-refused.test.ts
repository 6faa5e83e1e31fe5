import { describe, expect, it } from "vitest";
import type { InstanceRecord } from "../../src/server/store/records.ts";
import { createTokens } from "../../src/server/token.ts";
import { answer } from "../_answers.ts";
import { ADA_OF_GLOBEX, START, encodePart, setup } from "../_setup.ts";
import { claimsOf, NOW, refusal, sign, verify } from "../_tokens.ts";
import { A, instance } from "../store/_records.ts";

/** Neither a text nor a number can be made of it. */
const ODD = { valueOf: 1, toString: 1 };

describe("POST /api/v1/tokens/verify", () => {
  it("answers Token invalid signature for a token signed by another key", async () => {
    const service = await setup();
    const token = sign("sk_somebody_0123456789abcdefghijklmnopqrst", claimsOf(service.acme));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid signature"));
  });

  it("answers Token invalid signature for changed claims", async () => {
    const service = await setup();
    const [header, , signature] = (await service.tokenFor("google", "ada")).split(".");
    const token = `${header}.${encodePart(claimsOf(service.acme, { sub: ADA_OF_GLOBEX }))}.${signature}`;
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid signature"));
  });

  it("answers Token invalid signature when any character of the signature changed", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    const start = token.lastIndexOf(".") + 1;
    for (let i = start; i < token.length; i++) {
      const forged = token.slice(0, i) + (token[i] === "A" ? "Q" : "A") + token.slice(i + 1);
      expect(await answer(await verify(service, service.acme, { token: forged }))).toEqual(
        refusal("Token invalid signature"),
      );
    }
  });

  it("answers Token does not belong to this instance for another instance's token", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada", service.globex);
    expect((await verify(service, service.globex, { token })).status).toBe(200);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(
      refusal("Token does not belong to this instance"),
    );
  });

  it("answers Token does not belong to this instance for that claim, whoever signed it", async () => {
    const service = await setup();
    for (const key of [service.acme.secret_key, "sk_somebody_0123456789abcdefghijklmnopqrst"]) {
      const token = sign(key, claimsOf(service.globex));
      expect(await answer(await verify(service, service.acme, { token }))).toEqual(
        refusal("Token does not belong to this instance"),
      );
    }
  });

  it("answers Token does not belong to this instance for a correctly signed token that names none", async () => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme, { instance_id: undefined }));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(
      refusal("Token does not belong to this instance"),
    );
  });

  it("refuses a token that was verified before its instance got another key", async () => {
    const { acme, tokenFor } = await setup();
    const token = await tokenFor("google", "ada");
    const tokens = createTokens();
    const before: InstanceRecord = { ...instance(A, "acme"), id: acme.id, secret_key: acme.secret_key };
    expect(await tokens.verify(before, token, START)).toMatchObject({ instance_id: acme.id });
    const after = { ...before, secret_key: "sk_another_0123456789abcdefghijklmnopqrst" };
    for (let time = 0; time < 2; time++)
      await expect(tokens.verify(after, token, START)).rejects.toMatchObject({ code: "token_invalid_signature" });
    expect(await tokens.verify(before, token, START)).toMatchObject({ instance_id: acme.id });
  });

  it("answers Token expired for a token that is an hour old", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    service.clock.advance(3599);
    expect((await verify(service, service.acme, { token })).status).toBe(200);
    service.clock.advance(1);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token expired"));
  });

  it("answers Token invalid signature for an expired token with an invalid signature", async () => {
    const service = await setup();
    const claims = claimsOf(service.acme, { iat: NOW - 7200, exp: NOW - 3600 });
    const token = sign("sk_somebody_0123456789abcdefghijklmnopqrst", claims);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid signature"));
  });

  it.each<[string, object]>([
    ["another issuer", { iss: "somebody" }],
    ["an issuer that is null", { iss: null }],
    ["no subject", { sub: undefined }],
    ["a subject that is null", { sub: null }],
    ["a subject that is not a string", { sub: 1 }],
    ["an instance that is not a string", { instance_id: 1 }],
    ["an instance that is an object", { instance_id: ODD }],
    ["an expiry that is an object", { exp: ODD }],
    ["a start that is an object", { nbf: ODD }],
    ["a time of issue that is null", { iat: null }],
    ["a time of issue that is text", { iat: String(NOW) }],
    ["a time of issue in the future", { iat: NOW + 120, exp: NOW + 3720 }],
    ["no expiry", { exp: undefined }],
    ["an expiry that is text", { exp: String(NOW + 3600) }],
    ["an expiry with a fraction of a second", { iat: NOW + 0.5, exp: NOW + 3600.5 }],
    ["a lifetime over an hour", { exp: NOW + 3601 }],
    ["no time of issue, and more than an hour left", { iat: undefined, exp: NOW + 3601 }],
    ["an expiry before its time of issue", { iat: NOW + 30, exp: NOW + 20 }],
  ])("answers Token invalid for a correctly signed token with %s", async (_, changes) => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme, changes));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid"));
  });

  it.each<[string, object, string]>([
    ["an algorithm other than the one that signed it", { alg: "RS256" }, "sha256"],
    ["no algorithm", { typ: "JWT" }, "sha256"],
    ["the algorithm none", { alg: "none" }, "sha256"],
    ["another type", { alg: "HS256", typ: "at+jwt" }, "sha256"],
    ["a critical extension", { alg: "HS256", crit: ["exp"], exp: 1 }, "sha256"],
    ["b64: false", { alg: "HS256", crit: ["b64"], b64: false }, "sha256"],
  ])("answers Token invalid for a correctly signed token whose header has %s", async (_, header, hash) => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme), header, hash);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid"));
  });

  it.each<[string, (token: string) => string]>([
    ["text that is not a token", () => "nonsense"],
    ["two parts", (token) => token.slice(0, token.lastIndexOf("."))],
    ["four parts", (token) => `${token}.x`],
    ["a space in its claims", (token) => token.replace(".", ". ")],
    ["a payload that is not an object", (token) => token.replace(/\.[^.]+\./, `.${encodePart("ada")}.`)],
    ["a payload that is not JSON", (token) => token.replace(/\.[^.]+\./, ".bm90IEpTT04.")],
  ])("answers Token invalid signature: %s", async (_, change) => {
    const service = await setup();
    const token = change(await service.tokenFor("google", "ada"));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid signature"));
  });

  it("answers Token invalid signature for a token over 8 KiB, which it does not verify", async () => {
    const service = await setup();
    const ofSize = (pad: number): string =>
      sign(service.acme.secret_key, claimsOf(service.acme, { pad: "x".repeat(pad) }));
    const rest = 8192 - ofSize(0).length;
    const small = ofSize(Math.floor((rest * 3) / 4));
    const large = ofSize(Math.floor((rest * 3) / 4) + 3);
    expect([small.length <= 8192, large.length > 8192]).toEqual([true, true]);
    expect((await verify(service, service.acme, { token: small })).status).toBe(200);
    expect(await answer(await verify(service, service.acme, { token: large }))).toEqual(
      refusal("Token invalid signature"),
    );
  });
});
