import { hash, timingSafeEqual } from "node:crypto";
import { STATE_LIFETIME_SECONDS } from "../../wire/names.ts";
import { hostCookie, readCookie, setCookie } from "../cookies.ts";
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
  return { hash: sha256(secret), cookie: bindingCookie(state, secret, STATE_LIFETIME_SECONDS, isHttps) };
}

/** `Set-Cookie` that deletes the cookie. */
export function endBinding(state: string, isHttps: boolean): string {
  return bindingCookie(state, "", 0, isHttps);
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
  const secret = readCookie(request.cookie, hostCookie(cookieName(record.state), isHttps)) ?? "";
  return timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(record.binding));
}

/** A name for each sign-in, so that several in one browser don't interfere. */
function cookieName(state: string): string {
  return `svc_oauth_${sha256(state).slice(0, 8)}`;
}

function bindingCookie(state: string, value: string, maxAge: number, isHttps: boolean): string {
  return setCookie({ name: cookieName(state), value, path: "/oauth", maxAge }, isHttps);
}

function sha256(text: string): string {
  return hash("sha256", text);
}
