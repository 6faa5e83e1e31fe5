import { hash } from "node:crypto";
import { SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import { claimsProblem, type TokenClaims } from "../wire/claims.ts";
import { ISSUER, TOKEN_LIFETIME_SECONDS, type Provider } from "../wire/names.ts";
import { ALGORITHM, codeOfProblem, importKey, readClaims, verifySignature, type SigningKey } from "../wire/token.ts";
import { ApiError } from "./errors.ts";
import type { InstanceRecord, UserRecord } from "./store/records.ts";

const MAX_CACHED_TOKENS = 4096;
const MAX_KEYS = 4096;

/** Issues and verifies tokens. */
export interface Tokens {
  issue(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): Promise<string>;
  /** @throws {ApiError} one of the `token_…` codes */
  verify(instance: InstanceRecord, token: string, now: Date): Promise<TokenClaims>;
}

export function createTokens(): Tokens {
  const keys = new LRUCache<string, Promise<SigningKey>>({ max: MAX_KEYS });
  const verified = new LRUCache<string, Partial<TokenClaims>>({ max: MAX_CACHED_TOKENS });

  function keyOf({ secret_key }: InstanceRecord): Promise<SigningKey> {
    const known = keys.get(secret_key);
    if (known) return known;
    const key = importKey(secret_key, ["sign", "verify"]);
    keys.set(secret_key, key);
    return key;
  }

  return {
    async issue(instance, user, provider, now) {
      const iat = Math.floor(now.getTime() / 1000);
      const claims: TokenClaims = {
        iss: ISSUER,
        sub: user.id,
        email: user.email,
        name: user.name,
        avatar_url: user.avatar_url ?? "",
        provider,
        instance_id: instance.id,
        app_id: instance.app_id,
        iat,
        exp: iat + TOKEN_LIFETIME_SECONDS,
      };
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: ALGORITHM, typ: "JWT" }).sign(await keyOf(instance));
    },

    async verify(instance, token, now) {
      // Whether a key signed a text never changes; whether its claims are valid depends on the time. A digest is a name
      // of fixed length, and holds neither the key nor the token.
      const name = hash("sha256", `${instance.id} ${instance.secret_key} ${token}`, "base64");
      let claims = verified.get(name);
      if (!claims) {
        const result = await verifySignature(token, [await keyOf(instance)], instance.id);
        if ("problem" in result) throw new ApiError(codeOfProblem(result.problem));
        ({ claims } = result);
        verified.set(name, claims);
      }
      const problem = claimsProblem(claims, Math.floor(now.getTime() / 1000));
      if (problem) throw new ApiError(codeOfProblem(problem));
      return claims as TokenClaims;
    },
  };
}

/** The instance that an unverified token names. */
export function claimedInstance(token: string): string | undefined {
  return readClaims(token)?.instance_id;
}
