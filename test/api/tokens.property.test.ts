import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimsFor, createTokens } from "../../src/server/token.ts";
import type { InstanceRecord, UserRecord } from "../../src/server/store/records.ts";
import { anyCharacter } from "../_characters.ts";
import { encodePart, START } from "../_setup.ts";
import { NOW, sign } from "../_tokens.ts";
import { A, instance, user } from "../store/_records.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const KEY = "sk_0123456789abcdefghijklmnopqrstuvwxyz";

const withKey = (secret_key: string): InstanceRecord => ({ ...instance(A, "acme"), secret_key });

const text = fc.string({ unit: anyCharacter, maxLength: 100 });
const keys = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 });
const users = fc
  .record({ email: text, name: text, avatar_url: fc.option(text) })
  .map((columns): UserRecord => user(1, columns));

/** By node:crypto alone. */
function byHand(signed: string, key: string): string {
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

describe("Tokens, compared with node:crypto", () => {
  it("are the same bytes for any user and any key", async () => {
    await fc.assert(
      fc.asyncProperty(users, keys, async (one, key) => {
        const claims = claimsFor(withKey(key), one, "github", NOW);
        const signed = `${encodePart({ alg: "HS256", typ: "JWT" })}.${encodePart(claims)}`;
        expect(await createTokens().issue(withKey(key), one, "github", START)).toBe(byHand(signed, key));
      }),
      { numRuns: 200 },
    );
  });

  it("verify for any user and any key, the first time and from the cache", async () => {
    await fc.assert(
      fc.asyncProperty(users, keys, async (one, key) => {
        const tokens = createTokens();
        const claims = claimsFor(withKey(key), one, "google", NOW);
        for (let time = 0; time < 2; time++)
          expect(await tokens.verify(withKey(key), sign(key, claims), START)).toEqual(claims);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ["has its members in another order", { typ: "JWT", alg: "HS256" }],
    ["has one member more", { alg: "HS256", typ: "JWT", kid: "1" }],
    ["names no type", { alg: "HS256" }],
  ])("verify where the header %s", async (_, header) => {
    const claims = claimsFor(withKey(KEY), user(1), "google", NOW);
    expect(await createTokens().verify(withKey(KEY), sign(KEY, claims, header), START)).toEqual(claims);
  });

  it("are refused when anything in them changed, the first time and beside the right one", async () => {
    const issuing = createTokens();
    const token = await issuing.issue(withKey(KEY), user(1), "google", START);
    const change = fc.record({
      at: fc.nat(token.length),
      removed: fc.nat(3),
      added: fc.string({ unit: fc.constantFrom(...ALPHABET.split(""), ".", "=", "\n", "é"), maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, removed, added }) => {
        const changed = token.slice(0, at) + added + token.slice(at + removed);
        fc.pre(changed !== token);
        for (const tokens of [createTokens(), issuing])
          await expect(tokens.verify(withKey(KEY), changed, START)).rejects.toMatchObject({ name: "Refusal" });
      }),
      { numRuns: 500 },
    );
  });

  it("are refused under every other key", async () => {
    await fc.assert(
      fc.asyncProperty(keys, keys, async (right, wrong) => {
        // HMAC fills a short key up with NULs (RFC 2104, 2).
        fc.pre(right.replace(/\0+$/, "") !== wrong.replace(/\0+$/, ""));
        const tokens = createTokens();
        const token = await tokens.issue(withKey(right), user(1), "google", START);
        await expect(tokens.verify(withKey(wrong), token, START)).rejects.toMatchObject({
          code: "token_invalid_signature",
        });
      }),
      { numRuns: 100 },
    );
  });
});
