import { hash, timingSafeEqual } from "node:crypto";
import { STATE_LIFETIME_SECONDS } from "../../wire/names.ts";
import { randomBytes } from "../random.ts";

/**
 * Ties a sign-in to the browser that began it, so that an attacker can't have another browser finish the attacker's
 * (login CSRF, RFC 9700, 4.7.1): a cookie there, its hash in the state's record.
 */
export interface Binding {
  /** For the record. */
  readonly hash: string;
  /** `Set-Cookie` for the browser. */
  readonly cookie: string;
}

export function createBinding(state: string, isHttps: boolean): Binding {
  const secret = randomBytes(32).toString("base64url");
  return { hash: sha256(secret), cookie: setCookie(state, secret, STATE_LIFETIME_SECONDS, isHttps) };
}

/** `Set-Cookie` that deletes the cookie. */
export function endBinding(state: string, isHttps: boolean): string {
  return setCookie(state, "", 0, isHttps);
}

/**
 * Whether the request that finishes a sign-in comes from the client that began it: a browser must send the cookie; a
 * sign-in that a program began must be finished by a program.
 */
export function isBound(
  record: { state: string; binding: string | null },
  request: { cookie: string | undefined; isBrowser: boolean },
  isHttps: boolean,
): boolean {
  if (record.binding === null) return !request.isBrowser;
  const name = cookieName(record.state, isHttps);
  const pairs = (request.cookie ?? "").split(";").map((pair) => pair.trim());
  const secret = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  return timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(record.binding));
}

/** Several sign-ins in one browser don't disturb each other, so the name tells them apart. */
function cookieName(state: string, isHttps: boolean): string {
  return `${isHttps ? "__Host-" : ""}svc_oauth_${sha256(state).slice(0, 8)}`;
}

function setCookie(state: string, value: string, maxAge: number, isHttps: boolean): string {
  // The `__Host-` prefix requires `Path=/` and `Secure` (RFC 6265bis, 4.1.3.2).
  const scope = isHttps ? "Path=/; Secure" : "Path=/oauth";
  return `${cookieName(state, isHttps)}=${value}; ${scope}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}

function sha256(text: string): string {
  return hash("sha256", text);
}
