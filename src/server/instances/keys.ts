import { randomBytes } from "node:crypto";
import { PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "../../wire/credentials.ts";
import type { InstanceRecord, OldKey } from "../store/records.ts";

/** Signs tokens: 36 random bytes (RFC 7518, 3.2 requires 32). */
export function createSecretKey(): string {
  return SECRET_KEY_PREFIX + randomBytes(36).toString("base64url");
}

export function createPublishableKey(): string {
  return PUBLISHABLE_KEY_PREFIX + randomBytes(18).toString("base64url");
}

/** The keys that verify an instance's tokens: the one that signs them, then the replaced ones that are kept at that time. */
export function verifyingKeys(instance: InstanceRecord, now: Date): readonly string[] {
  if (instance.old_keys.length === 0) return [instance.secret_key];
  return [instance.secret_key, ...keptKeys(instance, now).map(({ secret_key }) => secret_key)];
}

/** The replaced keys that have not expired. */
export function keptKeys({ old_keys }: InstanceRecord, now: Date): OldKey[] {
  const time = now.toISOString();
  return old_keys.filter(({ expires_at }) => expires_at > time);
}

/**
 * An instance with a new secret key.
 * @param keepMs how long the present one is kept for verification. With 0 it ends at once, and so do all that were kept
 */
export function withNewSecretKey(instance: InstanceRecord, keepMs: number, now: Date): InstanceRecord {
  const expires_at = new Date(now.getTime() + keepMs).toISOString();
  const old_keys = keepMs > 0 ? [{ secret_key: instance.secret_key, expires_at }, ...keptKeys(instance, now)] : [];
  return { ...instance, secret_key: createSecretKey(), old_keys };
}
