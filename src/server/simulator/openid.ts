import { createPublicKey, hash, randomUUID } from "node:crypto";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { SignJWT } from "jose/jwt/sign";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { importJWK } from "jose/key/import";
import type { Granted } from "./grants.ts";

const ALGORITHM = "RS256";
const LIFETIME_SECONDS = 3600;

/** Keeps a private key, as a JWK: the one that is there already, or else the one that is made. */
export type KeepKey = (make: () => Promise<Record<string, unknown>>) => Promise<Record<string, unknown>>;

export type OpenId = ReturnType<typeof createOpenId>;

/** What makes a simulated provider one of OpenID Connect. Its key is read, or made, when it is first needed. */
export function createOpenId(keepKey: KeepKey, now: () => Date) {
  let reading: ReturnType<typeof readKey> | undefined;
  // After a failure of the store the next request reads again.
  const key = () =>
    (reading ??= readKey(keepKey).catch((error: unknown) => {
      reading = undefined;
      throw error;
    }));
  return {
    jwks: async () => ({ keys: [(await key()).shown] }),

    /** The same key in PEM, as Google's own library reads it. */
    async certs() {
      const { kid, shown } = await key();
      return { [kid]: createPublicKey({ key: shown, format: "jwk" }).export({ type: "spki", format: "pem" }) };
    },

    /** An id_token (OpenID Connect Core 1.0, 2 and 3.1.3.6), with the fault that the outcome asks for. @param claims of the account */
    async sign(issuer: string, { client_id, nonce, outcome }: Granted, claims: object, access_token: string) {
      const { kid, signing } = await key();
      const audience = outcome === "wrong_audience" ? `not-${client_id}` : client_id;
      // By more than clients allow for clocks that differ.
      const age = outcome === "id_token_expired" ? 2 * LIFETIME_SECONDS : 0;
      const iat = Math.floor(now().getTime() / 1000) - age;
      const token = new SignJWT({
        ...claims,
        iss: issuer,
        aud: audience,
        azp: audience,
        at_hash: hash("sha256", access_token, "buffer").subarray(0, 16).toString("base64url"),
        nonce: outcome === "wrong_nonce" ? randomUUID() : nonce,
        iat,
        exp: iat + LIFETIME_SECONDS,
      });
      const header = { alg: ALGORITHM, kid: outcome === "unknown_kid" ? randomUUID() : kid, typ: "JWT" };
      return token.setProtectedHeader(header).sign(signing);
    },
  };
}

async function readKey(keepKey: KeepKey) {
  const jwk = (await keepKey(makeKey)) as Readonly<Record<"kty" | "n" | "e", string>>;
  const { kty, n, e } = jwk;
  const kid = await calculateJwkThumbprint({ kty, n, e });
  return { kid, signing: await importJWK(jwk, ALGORITHM), shown: { kty, n, e, kid, alg: ALGORITHM, use: "sig" } };
}

async function makeKey() {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return { ...(await exportJWK(privateKey)) };
}

/** OpenID Connect Discovery 1.0, 3. */
export function discoveryDocument(issuer: string, endpoints: Readonly<Record<string, string>>) {
  return {
    issuer,
    authorization_endpoint: endpoints["authorize"],
    token_endpoint: endpoints["token"],
    userinfo_endpoint: endpoints["userinfo"],
    revocation_endpoint: `${issuer}/revoke`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [ALGORITHM],
    scopes_supported: ["openid", "email", "profile"],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}
