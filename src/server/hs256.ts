import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto";

/**
 * HS256 (RFC 7518, 3.2) in the calling thread. Web Crypto, which jose uses, sends each token to another thread, which costs
 * many times the signature itself. Only tokens with the service's own header are signed and recognized here; jose verifies
 * all others.
 */
const HEADER = encode(JSON.stringify({ alg: "HS256", typ: "JWT" }));

/** The whole secret key, prefix included. */
export function hmacKey(secretKey: string): KeyObject {
  return createSecretKey(secretKey, "utf8");
}

/** A token with these claims, byte for byte as jose's `SignJWT` creates it. */
export function signToken(claims: object, key: KeyObject): string {
  const text = `${HEADER}.${encode(JSON.stringify(claims))}`;
  return `${text}.${signatureOf(text, key)}`;
}

/** Whether a token has the service's own header and the key's signature. False does not mean invalid. */
export function isOwnToken(token: string, key: KeyObject): boolean {
  if (!token.startsWith(`${HEADER}.`)) return false;
  const end = token.lastIndexOf(".");
  const shown = Buffer.from(token.slice(end + 1));
  const right = Buffer.from(signatureOf(token.slice(0, end), key));
  return shown.length === right.length && timingSafeEqual(shown, right);
}

/** The signature over a JWS signing input, in base64url (RFC 7515, 5.1). */
export function signatureOf(text: string, key: KeyObject): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
