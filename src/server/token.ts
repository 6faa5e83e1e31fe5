import { SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import type { TokenClaims } from "../wire/claims.ts";
import { ISSUER, TOKEN_LIFETIME_SECONDS, type Provider, type TokenProvider } from "../wire/names.ts";
import { codeOfProblem, REASON_HEADER, type TokenProblem } from "../wire/token-problems.ts";
import {
  ALGORITHM,
  importKey,
  readClaims,
  tokenProblem,
  verifySignature,
  type SignedToken,
  type SigningKey,
} from "../wire/token.ts";
import { cacheLimit } from "./cache-limit.ts";
import { ApiError } from "./errors.ts";
import type { InstanceRecord, UserRecord } from "./store/records.ts";

const CACHED = cacheLimit(4096);

/** A token whose signature was verified, in the cache. */
interface Verified extends SignedToken {
  readonly instance_id: string;
  readonly secret_key: string;
}

/** A token that is not valid. The answer's body names the code, its header the reason. */
export class TokenRefused extends ApiError {
  readonly reason: TokenProblem;

  constructor(reason: TokenProblem) {
    super(codeOfProblem(reason), undefined, { [REASON_HEADER]: reason });
    this.reason = reason;
  }
}

/** What a sign-in puts into a token. */
export type IssuedClaims = Required<TokenClaims>;

export type Tokens = ReturnType<typeof createTokens>;

/** The claims of a token (spec, "JWT"). @param iat Unix seconds */
export function claimsFor(
  instance: InstanceRecord,
  user: UserRecord,
  provider: TokenProvider,
  iat: number,
): IssuedClaims {
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
  const keys = new LRUCache<string, Promise<SigningKey>>({
    ...CACHED,
    memoMethod: (secretKey) => importKey(secretKey, ["sign", "verify"]),
  });
  const verified = new LRUCache<string, Verified>(CACHED);

  /** @throws {TokenRefused} if the instance's key did not sign the token */
  async function signed(instance: InstanceRecord, token: string): Promise<SignedToken> {
    const result = await verifySignature(token, [await keys.memo(instance.secret_key)], instance.id);
    if ("problem" in result) throw new TokenRefused(result.problem);
    return result;
  }

  function remember({ id, secret_key }: InstanceRecord, token: string, found: SignedToken): void {
    verified.set(token, { instance_id: id, secret_key, ...found });
  }

  return {
    async issue(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): Promise<string> {
      const claims = claimsFor(instance, user, provider, Math.floor(now.getTime() / 1000));
      const key = await keys.memo(instance.secret_key);
      const token = await new SignJWT({ ...claims }).setProtectedHeader({ alg: ALGORITHM, typ: "JWT" }).sign(key);
      remember(instance, token, { claims, header: undefined });
      return token;
    },

    /** @throws {TokenRefused} */
    async verify(instance: InstanceRecord, token: string, now: Date): Promise<TokenClaims> {
      // A signature stays valid; whether the claims are valid depends on the time.
      const known = verified.get(token);
      const isSame = known?.instance_id === instance.id && known.secret_key === instance.secret_key;
      const found = isSame ? known : await signed(instance, token);
      if (!isSame) remember(instance, token, found);
      const problem = tokenProblem(found, Math.floor(now.getTime() / 1000));
      if (problem) throw new TokenRefused(problem);
      return found.claims as TokenClaims;
    },
  };
}

/** The `instance_id` claim of an unverified token. */
export function claimedInstance(token: string): string | undefined {
  return readClaims(token)?.instance_id;
}
