import { credentialKind, type PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "../wire/ids.ts";
import { ConfigError } from "./errors.ts";

/** Those of HS256, whose key has 256 bits at least (RFC 7518, 3.2). */
const MIN_SIGNING_KEY_LENGTH = 32;

type KeyPrefix = typeof SECRET_KEY_PREFIX | typeof PUBLISHABLE_KEY_PREFIX;
const KEY_KINDS: Readonly<Record<KeyPrefix, string>> = { sk_: "secret", pk_: "publishable" };

/**
 * Checks the form of a key.
 * @param name what the caller calls the key, which itself is not repeated
 * @throws {ConfigError}
 */
export function checkKey(name: string, key: unknown, prefix: KeyPrefix): asserts key is string {
  if (key === undefined || key === "")
    throw new ConfigError(`${name} is empty: it must begin with ${prefix}. Is its variable set?`);
  // A program without types may pass anything.
  const text = typeof key === "string" ? key : "";
  if (text.startsWith(prefix) && /^[\x21-\x7e]+$/.test(text)) return;
  const kind = text.startsWith(prefix) ? undefined : credentialKind(text);
  if (kind === undefined) throw new ConfigError(`${name} must begin with ${prefix} and contain no spaces`);
  throw new ConfigError(`${name} is ${kind}: use the ${KEY_KINDS[prefix]} key, which begins with ${prefix}`);
}

/** The same for a secret key that is to verify tokens. @throws {ConfigError} also if it is too short for that */
export function checkSigningKey(name: string, key: unknown): asserts key is string {
  checkKey(name, key, SECRET_KEY_PREFIX);
  if (key.length < MIN_SIGNING_KEY_LENGTH)
    throw new ConfigError(`${name} must have at least ${MIN_SIGNING_KEY_LENGTH} characters to verify tokens`);
}

/** A list without a key counts as an empty key, so that it is refused as one. */
export function atLeastOne(keys: readonly unknown[]): readonly unknown[] {
  return keys.length > 0 ? keys : [""];
}
