import { SignJWT } from "jose/jwt/sign";
import {
  ISSUER,
  REASON_HEADER,
  TOKEN_LIFETIME_SECONDS,
  codeOfProblem,
  explainClaims,
  type TokenClaims,
  type TokenProblem,
} from "../wire/claims.ts";
import type { Provider, TokenProvider } from "../wire/providers.ts";
import {
  ALGORITHM,
  importKey,
  tokenProblem,
  verifySignature,
  type SignedToken,
  type SigningKey,
} from "../wire/token.ts";
import { Refusal } from "./errors.ts";
import { verifyingKeys } from "./instances/instances.ts";
import { remember } from "./memory-use.ts";
import type { InstanceRecord, UserRecord } from "./store/records.ts";

/** Of keys, and of tokens: as many as are remembered. */
const MOST = 4096;

interface Verified extends SignedToken {
  readonly instance_id: string;
  readonly secret_key: string;
}

/** A token that is not valid. The answer's body names the code, its header the reason. */
export class TokenRefused extends Refusal {
  readonly reason: TokenProblem;
  /** For the log: when it expired, or how far its date is in the future. */
  readonly explanation: string | undefined;

  constructor(reason: TokenProblem, explanation?: string) {
    super(codeOfProblem(reason), undefined, { [REASON_HEADER]: reason });
    this.reason = reason;
    this.explanation = explanation;
  }
}

export type Tokens = ReturnType<typeof createTokens>;

/** The claims of a token (spec, "JWT"). @param iat Unix seconds */
export function claimsFor(
  instance: InstanceRecord,
  user: UserRecord,
  provider: TokenProvider,
  iat: number,
): Required<TokenClaims> {
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

export function createTokens() {
  const keys = new Map<string, Promise<SigningKey>>();
  const verified = new Map<string, Verified>();

  function imported(secretKey: string): Promise<SigningKey> {
    const known = keys.get(secretKey);
    if (known) return known;
    const importing = importKey(secretKey, ["sign", "verify"]);
    remember(keys, secretKey, importing, MOST);
    return importing;
  }

  /** @throws {TokenRefused} if none of the instance's keys signed the token */
  async function signed({ id }: InstanceRecord, token: string, secretKeys: readonly string[]): Promise<Verified> {
    let problem: TokenProblem = "signature";
    for (const secret_key of secretKeys) {
      const result = await verifySignature(token, [await imported(secret_key)], id);
      if (!("problem" in result)) return { instance_id: id, secret_key, ...result };
      ({ problem } = result);
    }
    throw new TokenRefused(problem);
  }

  return {
    async issue(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): Promise<string> {
      const claims = claimsFor(instance, user, provider, Math.floor(now.getTime() / 1000));
      const key = await imported(instance.secret_key);
      const token = await new SignJWT({ ...claims }).setProtectedHeader({ alg: ALGORITHM, typ: "JWT" }).sign(key);
      const { id, secret_key } = instance;
      remember(verified, token, { instance_id: id, secret_key, claims, header: undefined }, MOST);
      return token;
    },

    /** @throws {TokenRefused} */
    async verify(instance: InstanceRecord, token: string, now: Date): Promise<TokenClaims> {
      // A signature stays valid while its key is; whether the claims are valid depends on the time.
      const known = verified.get(token);
      const secretKeys = verifyingKeys(instance, now);
      const isSame = known?.instance_id === instance.id && secretKeys.includes(known.secret_key);
      const found = isSame ? known : await signed(instance, token, secretKeys);
      if (!isSame) remember(verified, token, found, MOST);
      const problem = tokenProblem(found, Math.floor(now.getTime() / 1000));
      if (problem === "expired" || problem === "not_yet_valid")
        throw new TokenRefused(problem, explainClaims(problem, { ...found.claims }, now));
      if (problem) throw new TokenRefused(problem);
      return found.claims as TokenClaims;
    },
  };
}
