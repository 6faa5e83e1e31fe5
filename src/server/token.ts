import type { KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import { claimsProblem, type TokenClaims } from "../wire/claims.ts";
import { ISSUER, TOKEN_LIFETIME_SECONDS, type Provider } from "../wire/names.ts";
import { codeOfProblem, importKey, readClaims, verifySignature, type SigningKey } from "../wire/token.ts";
import { cacheLimit } from "./cache-limit.ts";
import { ApiError } from "./errors.ts";
import { hmacKey, isOwnToken, signToken } from "./hs256.ts";
import type { InstanceRecord, UserRecord } from "./store/records.ts";

const CACHED = cacheLimit(4096);

/** A token whose signature was verified, in the cache. */
interface Verified {
  readonly instance_id: string;
  readonly secret_key: string;
  readonly claims: Partial<TokenClaims>;
}
export type Tokens = ReturnType<typeof createTokens>;

/** The claims of a token (spec, "JWT"). @param iat Unix seconds */
export function claimsFor(
  instance: InstanceRecord,
  user: UserRecord,
  provider: TokenClaims["provider"],
  iat: number,
): TokenClaims {
  return {
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
}

/** Issues and verifies tokens. */
export function createTokens() {
  const keys = new LRUCache<string, KeyObject>({ ...CACHED, memoMethod: hmacKey });
  const importedKeys = new LRUCache<string, Promise<SigningKey>>({
    ...CACHED,
    memoMethod: (key) => importKey(key),
  });
  const verified = new LRUCache<string, Verified>(CACHED);

  /** @throws {ApiError} if the instance's key did not sign the token */
  async function signedClaims(instance: InstanceRecord, token: string): Promise<Partial<TokenClaims>> {
    const claims = readClaims(token);
    if (claims?.instance_id === instance.id && isOwnToken(token, keys.memo(instance.secret_key))) return claims;
    // jose verifies tokens that are invalid or have another header.
    const result = await verifySignature(token, [await importedKeys.memo(instance.secret_key)], instance.id);
    if ("problem" in result) throw new ApiError(codeOfProblem(result.problem));
    return result.claims;
  }

  function remember({ id, secret_key }: InstanceRecord, token: string, claims: Partial<TokenClaims>): void {
    verified.set(token, { instance_id: id, secret_key, claims });
  }

  return {
    issue(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): string {
      const claims = claimsFor(instance, user, provider, Math.floor(now.getTime() / 1000));
      const token = signToken(claims, keys.memo(instance.secret_key));
      remember(instance, token, claims);
      return token;
    },

    /** @throws {ApiError} one of the `token_…` codes */
    async verify(instance: InstanceRecord, token: string, now: Date): Promise<TokenClaims> {
      // A signature stays valid; whether the claims are valid depends on the time.
      const known = verified.get(token);
      const isSame = known?.instance_id === instance.id && known.secret_key === instance.secret_key;
      const claims = isSame ? known.claims : await signedClaims(instance, token);
      if (!isSame) remember(instance, token, claims);
      const problem = claimsProblem(claims, Math.floor(now.getTime() / 1000));
      if (problem) throw new ApiError(codeOfProblem(problem));
      return claims as TokenClaims;
    },
  };
}

/** The `instance_id` claim of an unverified token. */
export function claimedInstance(token: string): string | undefined {
  return readClaims(token)?.instance_id;
}
