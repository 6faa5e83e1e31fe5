/** A UUID in its canonical, lower-case form. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** In either case. */
export const ANY_UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
export const SESSION_ID_PREFIX = "svc_session_";
export const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** `svc_session_<uuid>`. */
export function isSessionId(value: string): boolean {
  return value.startsWith(SESSION_ID_PREFIX) && isUuid(value.slice(SESSION_ID_PREFIX.length));
}

export const SECRET_KEY_HEADER = "x-service-secret-key";
export const PUBLISHABLE_KEY_HEADER = "x-service-publishable-key";
/** On every answer to a secret key: the subdomain and the id of its instance, with a space between. */
export const INSTANCE_HEADER = "svc-instance";
export const SECRET_KEY_PREFIX = "sk_";
export const PUBLISHABLE_KEY_PREFIX = "pk_";
export const PUBLISHABLE_KEY = /^pk_[\w-]{8,}$/;
/** 32 bytes or more behind the prefix: it signs tokens with HMAC-SHA-256 (RFC 8725, 3.5). */
export const SECRET_KEY = /^sk_[\w-]{32,}$/;

export const CONTROL_KEY_PREFIX = "ctl_";

const KINDS: Readonly<Record<string, string>> = {
  [SECRET_KEY_PREFIX]: "a secret key",
  [PUBLISHABLE_KEY_PREFIX]: "a publishable key",
  [CONTROL_KEY_PREFIX]: "a control key",
  // `{"` in base64url.
  eyJ: "a token",
};

/** What a credential is, by its first characters, such as `a secret key`. Undefined if it is none of the service's. */
export function credentialKind(text: string): string | undefined {
  return Object.entries(KINDS).find(([prefix]) => text.startsWith(prefix))?.[1];
}
