import { randomBytes } from "node:crypto";
import { PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "../../wire/names.ts";

/** Signs tokens: 36 random bytes (RFC 7518, 3.2 requires 32). */
export function createSecretKey(): string {
  return SECRET_KEY_PREFIX + randomBytes(36).toString("base64url");
}

export function createPublishableKey(): string {
  return PUBLISHABLE_KEY_PREFIX + randomBytes(18).toString("base64url");
}
