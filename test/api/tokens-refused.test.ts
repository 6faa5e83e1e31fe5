import { describe, expect, it } from "vitest";
import { answer } from "../_answers.ts";
import { encodePart, setup } from "../_setup.ts";
import { claimsOf, NOW, refusal, sign, verify } from "../_tokens.ts";

const ADA_OF_GLOBEX = "00000000-0000-4000-8000-0000000000b1";

describe("what verify refuses in a token", () => {
  it("one signed by another key: Token invalid signature", async () => {
    const service = await setup();
    const token = sign("sk_somebody_0123456789abcdefghijklmnopqrst", claimsOf(service.acme));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid signature"));
  });

  it("one with changed claims: Token invalid signature", async () => {
    const service = await setup();
    const [header, , signature] = (await service.tokenFor("google", "ada")).split(".");
    const token = `${header}.${encodePart(claimsOf(service.acme, { sub: ADA_OF_GLOBEX }))}.${signature}`;
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid signature"));
  });

  it("one with any letter of its signature changed", async () => {
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

  it("one of another instance: Token does not belong to this instance", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada", service.globex);
    expect((await verify(service, service.globex, { token })).status).toBe(200);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(
      refusal("Token does not belong to this instance"),
    );
  });

  it("one that says it is another instance's, whoever signed it", async () => {
    const service = await setup();
    for (const key of [service.acme.secret_key, "sk_somebody_0123456789abcdefghijklmnopqrst"]) {
      const token = sign(key, claimsOf(service.globex));
      expect(await answer(await verify(service, service.acme, { token }))).toEqual(
        refusal("Token does not belong to this instance"),
      );
    }
  });

  it("one that is an hour old: Token expired", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    service.clock.advance(3599);
    expect((await verify(service, service.acme, { token })).status).toBe(200);
    service.clock.advance(1);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token expired"));
  });

  it("an expired one with a bad signature: Token invalid signature", async () => {
    const service = await setup();
    const claims = claimsOf(service.acme, { iat: NOW - 7200, exp: NOW - 3600 });
    const token = sign("sk_somebody_0123456789abcdefghijklmnopqrst", claims);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid signature"));
  });

  it.each<[string, object]>([
    ["another issuer", { iss: "somebody" }],
    ["no issuer", { iss: undefined }],
    ["no subject", { sub: undefined }],
    ["a subject that is no UUID", { sub: "ada" }],
    ["a subject that is no string", { sub: 1 }],
    ["no instance", { instance_id: undefined }],
    ["an instance that is no string", { instance_id: 1 }],
    ["no time of issue", { iat: undefined }],
    ["a time of issue that is text", { iat: String(NOW) }],
    ["a time of issue to come", { iat: NOW + 120, exp: NOW + 3720 }],
    ["no expiry", { exp: undefined }],
    ["an expiry that is text", { exp: String(NOW + 3600) }],
    ["an expiry within a second", { iat: NOW + 0.5, exp: NOW + 3600.5 }],
    ["a life of more than an hour", { exp: NOW + 3601 }],
    ["a life of less than an hour", { exp: NOW + 3599 }],
  ])("a well-signed one with %s: Token invalid", async (_, changes) => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme, changes));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid"));
  });

  it.each<[string, object, string]>([
    ["an algorithm that only the header names", { alg: "RS256" }, "sha256"],
    ["no algorithm", { typ: "JWT" }, "sha256"],
    ["the algorithm none", { alg: "none" }, "sha256"],
    ["another type", { alg: "HS256", typ: "at+jwt" }, "sha256"],
    ["a critical extension", { alg: "HS256", crit: ["exp"], exp: 1 }, "sha256"],
    ["a payload that is not encoded", { alg: "HS256", crit: ["b64"], b64: false }, "sha256"],
  ])("a well-signed one with %s: Token invalid", async (_, header, hash) => {
    const service = await setup();
    const token = sign(service.acme.secret_key, claimsOf(service.acme), header, hash);
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid"));
  });

  it.each<[string, (token: string) => string]>([
    ["no token at all", () => "nonsense"],
    ["two parts", (token) => token.slice(0, token.lastIndexOf("."))],
    ["four parts", (token) => `${token}.x`],
    ["a space before it", (token) => ` ${token}`],
    ["a payload that is no object", (token) => token.replace(/\.[^.]+\./, `.${encodePart("ada")}.`)],
    ["a payload that is no JSON", (token) => token.replace(/\.[^.]+\./, ".bm90IEpTT04.")],
  ])("%s: Token invalid", async (_, change) => {
    const service = await setup();
    const token = change(await service.tokenFor("google", "ada"));
    expect(await answer(await verify(service, service.acme, { token }))).toEqual(refusal("Token invalid"));
  });

  it("one of more than 8 KiB: Token invalid", async () => {
    const service = await setup();
    const ofSize = (pad: number): string =>
      sign(service.acme.secret_key, claimsOf(service.acme, { pad: "x".repeat(pad) }));
    const rest = 8192 - ofSize(0).length;
    const small = ofSize(Math.floor((rest * 3) / 4));
    const large = ofSize(Math.floor((rest * 3) / 4) + 3);
    expect([small.length <= 8192, large.length > 8192]).toEqual([true, true]);
    expect((await verify(service, service.acme, { token: small })).status).toBe(200);
    expect(await answer(await verify(service, service.acme, { token: large }))).toEqual(refusal("Token invalid"));
  });
});
