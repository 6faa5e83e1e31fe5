import { createSecretKey } from "node:crypto";
import * as fc from "fast-check";
import { compactVerify, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { hmacKey, isOwnToken, signatureOf, signToken } from "../../src/server/hs256.ts";

const KEY = "sk_0123456789abcdefghijklmnopqrstuvwxyz";
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const bytesOf = (key: string): Uint8Array => new TextEncoder().encode(key);

function byJose(claims: Record<string, unknown>, key: string, header = { alg: "HS256", typ: "JWT" }): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header).sign(bytesOf(key));
}

async function isGoodForJose(token: string, key: string): Promise<boolean> {
  return compactVerify(token, bytesOf(key), { algorithms: ["HS256"] }).then(
    () => true,
    () => false,
  );
}

const claims = fc.dictionary(
  fc.string({ unit: "binary" }),
  fc.jsonValue({ stringUnit: "binary" }) as fc.Arbitrary<unknown>,
);
const keys = fc.string({ unit: "binary", minLength: 1, maxLength: 200 });

describe("HS256 without Web Crypto", () => {
  it("produces the signature of the example in RFC 7515, A.1", () => {
    const key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
    const text =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    expect(signatureOf(text, createSecretKey(key, "base64url"))).toBe("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
  });

  it("produces the digests of RFC 4231, sections 4.2 and 4.3", () => {
    const hex = (text: string): Buffer => Buffer.from(text, "hex");
    const cases = [
      ["0b".repeat(20), "4869205468657265", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
      [
        "4a656665",
        "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      ],
    ] as const;
    for (const [key, text, digest] of cases)
      expect(signatureOf(hex(text).toString(), createSecretKey(hex(key)))).toBe(hex(digest).toString("base64url"));
  });

  it("produces the same bytes as jose for any claims and any key", async () => {
    await fc.assert(
      fc.asyncProperty(claims, keys, async (content, key) => {
        expect(signToken(content, hmacKey(key))).toBe(await byJose(content, key));
      }),
      { numRuns: 200 },
    );
  });

  it("recognizes every token that jose signs with the same header", async () => {
    await fc.assert(
      fc.asyncProperty(claims, keys, async (content, key) => {
        expect(isOwnToken(await byJose(content, key), hmacKey(key))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("rejects every altered token that jose rejects", async () => {
    const token = signToken({ sub: "ada" }, hmacKey(KEY));
    const change = fc.record({
      at: fc.nat(token.length - 1),
      removed: fc.nat(3),
      added: fc.string({ unit: fc.constantFrom(...ALPHABET.split(""), ".", "=", "\n", "é"), maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, removed, added }) => {
        const changed = token.slice(0, at) + added + token.slice(at + removed);
        if (isOwnToken(changed, hmacKey(KEY))) expect(await isGoodForJose(changed, KEY)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("recognizes one last character of a signature and rejects the 63 others", () => {
    const token = signToken({ sub: "ada" }, hmacKey(KEY));
    const good = ALPHABET.split("").filter((last) => isOwnToken(token.slice(0, -1) + last, hmacKey(KEY)));
    expect(good).toEqual([token.at(-1)]);
  });

  it.each([
    ["the key is another", "sk_another_key_of_the_same_length_00000", { alg: "HS256", typ: "JWT" }],
    ["the header has its members in another order", KEY, { typ: "JWT", alg: "HS256" }],
    ["the header has one member more", KEY, { alg: "HS256", typ: "JWT", kid: "1" }],
    ["the header names no type", KEY, { alg: "HS256" }],
    ["the algorithm is HS512", KEY, { alg: "HS512", typ: "JWT" }],
  ])("does not recognize a token where %s", async (_, key, header) => {
    const token = await byJose({ sub: "ada" }, key, header as { alg: string; typ: string });
    expect(isOwnToken(token, hmacKey(KEY))).toBe(false);
  });

  it.each(["", ".", "..", "a.b.c", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."])(
    "does not recognize the token %j",
    (text) => {
      expect(isOwnToken(text, hmacKey(KEY))).toBe(false);
    },
  );
});
