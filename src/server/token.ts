import { hash, subtle, type webcrypto } from "node:crypto";
import { compactVerify, decodeJwt, errors, SignJWT } from "jose";
import { claimsFault, isPlainHeader, isTokenShaped, type TokenClaims } from "../wire/claims.ts";
import { ISSUER, TOKEN_LIFETIME_SECONDS, type Provider } from "../wire/names.ts";
import { ApiError } from "./errors.ts";
import type { InstanceRecord, UserRecord } from "./store/records.ts";

const ALGORITHM = "HS256";
const REMEMBERED = 4096;

/** Issues and verifies tokens. */
export interface Tokens {
  issue(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): Promise<string>;
  /** @throws {ApiError} one of the `token_…` codes */
  verify(instance: InstanceRecord, token: string, now: Date): Promise<TokenClaims>;
}

export function createTokens(): Tokens {
  const keys = new Map<string, Promise<webcrypto.CryptoKey>>();
  const verified = new Remembered<TokenClaims>(REMEMBERED);

  /** Importing a key costs more than using it. */
  function keyOf({ secret_key }: InstanceRecord): Promise<webcrypto.CryptoKey> {
    let key = keys.get(secret_key);
    if (!key) {
      key = subtle.importKey("raw", Buffer.from(secret_key), { name: "HMAC", hash: "SHA-256" }, false, [
        "sign",
        "verify",
      ]);
      keys.set(secret_key, key);
    }
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
      // What a signature says of a key and a text never changes; what time says of the claims does.
      const name = `${instance.id} ${token}`;
      let claims = verified.get(name);
      if (!claims) {
        claims = await checkSignature(instance, token, await keyOf(instance));
        verified.set(name, claims);
      }
      const fault = claimsFault(claims, Math.floor(now.getTime() / 1000));
      if (fault) throw new ApiError(fault);
      return claims;
    },
  };
}

/** The instance that a token says it is of, true or not. */
export function claimedInstance(token: string): string | undefined {
  try {
    return decodeJwt<Partial<TokenClaims>>(token).instance_id;
  } catch {
    return undefined;
  }
}

async function checkSignature(instance: InstanceRecord, token: string, key: webcrypto.CryptoKey): Promise<TokenClaims> {
  if (!isTokenShaped(token)) throw new ApiError("token_invalid");
  let claims: Partial<TokenClaims>;
  try {
    claims = decodeJwt(token);
  } catch {
    throw new ApiError("token_invalid");
  }
  if (typeof claims.instance_id === "string" && claims.instance_id !== instance.id)
    throw new ApiError("token_wrong_instance");
  try {
    const { protectedHeader } = await compactVerify(token, key, { algorithms: [ALGORITHM] });
    if (!isPlainHeader(protectedHeader)) throw new ApiError("token_invalid");
  } catch (error) {
    throw error instanceof errors.JWSSignatureVerificationFailed
      ? new ApiError("token_invalid_signature")
      : new ApiError("token_invalid");
  }
  return claims as TokenClaims;
}

/** The last so many values, by a digest of their names, so that what is kept is no secret and of one size. */
class Remembered<Value> {
  readonly #limit: number;
  #recent = new Map<string, Value>();
  #before = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(name: string): Value | undefined {
    const key = digest(name);
    return this.#recent.get(key) ?? this.#before.get(key);
  }

  set(name: string, value: Value): void {
    this.#recent.set(digest(name), value);
    if (this.#recent.size < this.#limit / 2) return;
    this.#before = this.#recent;
    this.#recent = new Map();
  }
}

function digest(text: string): string {
  return hash("sha256", text, "base64");
}
