import { generateKeyPairSync, sign as signWith } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkToken } from "../../src/client/verify.ts";
import { answer } from "../_answers.ts";
import { encodePart, SEED, setup, ADA, NOBODY } from "../_setup.ts";
import { claimsOf, type Instance, NOW, sign, verify } from "../_tokens.ts";

/** Signed with the attacker's key pair, whose public key some verifiers take from the header. */
function signAsymmetric(alg: "RS256" | "ES256" | "PS256", claims: object, more: object = {}): string {
  const { privateKey, publicKey } =
    alg === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  const text = `${encodePart({ alg, typ: "JWT", jwk: publicKey.export({ format: "jwk" }), ...more })}.${encodePart(claims)}`;
  return `${text}.${signWith("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

type Verdict = "Token invalid" | "Token invalid signature" | "Token expired" | "Token does not belong to this instance";

type Forge = (acme: Instance, globex: Instance) => string;

const FORGERIES: [name: string, forge: Forge, verdict: Verdict][] = [
  ["alg None with a signature", (a) => sign("x", claimsOf(a), { alg: "None" }), "Token invalid signature"],
  ["alg nOnE, signed by our key", (a) => sign(a.secret_key, claimsOf(a), { alg: "nOnE" }), "Token invalid"],
  ["no alg", (a) => sign(a.secret_key, claimsOf(a), { typ: "JWT" }), "Token invalid"],
  ["HS384", (a) => sign(a.secret_key, claimsOf(a), { alg: "HS384" }, "sha384"), "Token invalid signature"],
  ["RS256 with its own jwk", (a) => signAsymmetric("RS256", claimsOf(a)), "Token invalid signature"],
  ["ES256 with its own jwk", (a) => signAsymmetric("ES256", claimsOf(a)), "Token invalid signature"],
  [
    "PS256 with its own jku",
    (a) => signAsymmetric("PS256", claimsOf(a), { jku: "https://evil.example/keys" }),
    "Token invalid signature",
  ],
  [
    "HS256 by a key in its own header",
    (a) => sign("evil", claimsOf(a), { alg: "HS256", jwk: { kty: "oct", k: "ZXZpbA" } }),
    "Token invalid signature",
  ],
  ["HS256 by the publishable key", (a) => sign(a.publishable_key, claimsOf(a)), "Token invalid signature"],
  [
    "HS256 by an empty key, chosen by kid",
    (a) => sign("", claimsOf(a), { alg: "HS256", kid: "../../dev/null" }),
    "Token invalid signature",
  ],
  [
    "a claim changed after signing",
    (a) => {
      const [header, , signature] = sign(a.secret_key, claimsOf(a)).split(".");
      return `${header}.${encodePart(claimsOf(a, { sub: NOBODY }))}.${signature}`;
    },
    "Token invalid signature",
  ],
  [
    "an infinite exp",
    (a) => sign(a.secret_key, JSON.stringify(claimsOf(a)).replace(/"exp":\d+/, '"exp":1e999')),
    "Token invalid",
  ],
  [
    "the other instance's own token",
    (_, g) => sign(g.secret_key, claimsOf(g)),
    "Token does not belong to this instance",
  ],
  [
    "the other instance's id, our key",
    (a, g) => sign(a.secret_key, claimsOf(g)),
    "Token does not belong to this instance",
  ],
  ["our id, the other instance's key", (a, g) => sign(g.secret_key, claimsOf(a)), "Token invalid signature"],
  [
    "two instance ids, ours first",
    (a, g) => sign(g.secret_key, JSON.stringify(claimsOf(g)).replace("{", `{"instance_id":"${a.id}",`)),
    "Token does not belong to this instance",
  ],
  [
    "instance ids in a list",
    (a, g) => sign(g.secret_key, claimsOf(a, { instance_id: [a.id, g.id] })),
    "Token invalid signature",
  ],
  [
    "a b64 header",
    (a) => sign(a.secret_key, claimsOf(a), { alg: "HS256", crit: ["b64"], b64: false }),
    "Token invalid",
  ],
  [
    "five parts, encrypted",
    (a) => `${encodePart({ alg: "dir", enc: "A256GCM" })}..${encodePart(claimsOf(a))}.AAAA.AAAA`,
    "Token invalid signature",
  ],
  [
    "a token in a token",
    (a) => sign(a.secret_key, sign(a.secret_key, claimsOf(a)), { alg: "HS256", cty: "JWT" }),
    "Token invalid signature",
  ],
  ["a list of claims", (a) => sign(a.secret_key, [claimsOf(a)]), "Token invalid signature"],
  [
    "claims in __proto__",
    (a) => sign(a.secret_key, `{"__proto__":${JSON.stringify(claimsOf(a))}}`),
    "Token does not belong to this instance",
  ],
  ["alg in __proto__", (a) => sign(a.secret_key, claimsOf(a), `{"__proto__":{"alg":"HS256"}}`), "Token invalid"],
];

/** Verifies a token by the service, and by the key alone. */
async function verifyBothWays(forge: Forge): Promise<[service: Response, isValid: boolean]> {
  const service = await setup();
  const { acme, globex, clock } = service;
  const token = forge(acme, globex);
  const local = await checkToken(token, { secretKey: acme.secret_key, instanceId: acme.id, now: clock.now });
  return [await verify(service, acme, { token }), local.ok];
}

describe("Tokens and keys", () => {
  describe("T11: A token is accepted only if this service signed it for this instance within the hour:", () => {
    it.each(FORGERIES)("not %s", async (_, forge, verdict) => {
      const [response, isValid] = await verifyBothWays(forge);
      expect([await answer(response), isValid]).toEqual([[401, { valid: false, error: verdict }], false]);
    });

    it.each<[string, Forge]>([
      ["in its last second", (a) => sign(a.secret_key, claimsOf(a, { iat: NOW - 3599, exp: NOW + 1 }))],
      [
        "with an unused kid",
        (a) => sign(a.secret_key, claimsOf(a), { alg: "HS256", kid: "1", jku: "https://evil.example" }),
      ],
    ])("accepted %s", async (_, forge) => {
      const [response, isValid] = await verifyBothWays(forge);
      expect([response.status, await response.json(), isValid]).toMatchObject([200, { id: ADA }, true]);
    });
  });

  it.each([
    "",
    "sk_",
    "sk_short",
    `sk_${"x".repeat(31)}`,
    `pk_${"x".repeat(40)}`,
    `sk_${"x".repeat(31)}é`,
    `sk_${"x".repeat(16)} ${"x".repeat(16)}`,
    "x".repeat(64),
  ])("T12: a seed cannot set %o as a secret key", async (secret_key) => {
    const seed = { instances: [{ ...SEED.instances[0], secret_key }] };
    await expect(setup({ seed })).rejects.toThrow(
      "instances[0].secret_key: must be sk_ and at least 32 letters or digits",
    );
  });

  it("T12: generated keys are long, unique and unrelated to each other", async () => {
    const instances = Array.from({ length: 500 }, (_, i) => ({ name: "x", subdomain: `s${i}` }));
    const made = await (await setup({ seed: { instances } })).store.instances();
    expect(made.filter(({ secret_key }) => /^sk_[\w-]{48}$/.test(secret_key))).toHaveLength(500);
    expect(
      new Set(
        made.flatMap(({ secret_key, publishable_key }) => [secret_key.slice(3, 15), publishable_key.slice(3, 15)]),
      ).size,
    ).toBe(1000);
  });
});
