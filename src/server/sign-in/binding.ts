import { hash, timingSafeEqual } from "node:crypto";
import { STATE_LIFETIME_SECONDS } from "../../wire/redirect-uri.ts";
import { hostCookie, hostName, type Cookie, type Cookies } from "../cookies.ts";
import { randomBytes } from "../random.ts";

/** More than anyone has open in tabs. Whoever begins many would push out an application's cookies. */
const MAX_OPEN = 5;
const PREFIX = "svc_oauth_";
const VALUE = /^([\w-]{43})\.(\d{1,12})$/;

/**
 * Ties a sign-in to the browser that began it, so that an attacker can't have another browser finish the attacker's
 * (login CSRF, RFC 9700, 4.7.1): a secret in a cookie there, with the time at which it began, and its hash in the state's
 * record.
 */
export function createBinding(state: string, begun: Date, isHttps: boolean) {
  const secret = randomBytes(32).toString("base64url");
  const value = `${secret}.${Math.floor(begun.getTime() / 1000)}`;
  return { hash: sha256(secret), cookie: bindingCookie(nameOf(state), value, STATE_LIFETIME_SECONDS, isHttps) };
}

/** Deletes the cookies of the oldest unfinished sign-ins, so that with a new one a browser has no more than five. */
export function surplusBindings(cookies: Cookies, isHttps: boolean): Cookie[] {
  const open = [...cookies].flatMap(([name, value]) =>
    name.startsWith(hostName(PREFIX, isHttps)) ? [{ name, begun: Number(VALUE.exec(value)?.[2] ?? 0) }] : [],
  );
  const newestFirst = open.toSorted((a, b) => b.begun - a.begun);
  return newestFirst
    .slice(MAX_OPEN - 1)
    .map(({ name }) => bindingCookie(name.slice(isHttps ? "__Host-".length : 0), "", 0, isHttps));
}

export function endBinding(state: string, isHttps: boolean): Cookie {
  return bindingCookie(nameOf(state), "", 0, isHttps);
}

/**
 * Why a request may not finish a sign-in: undefined if it comes from the client that began it. A browser must send the cookie;
 * a sign-in that a program began must be finished by a program.
 */
export function bindingFault(
  { state, binding }: { state: string; binding: string | null },
  { cookies, caller }: { cookies: Cookies; caller: { isBrowser: boolean } },
  isHttps: boolean,
): string | undefined {
  if (binding === null)
    return caller.isBrowser
      ? "A program began the sign-in, so a browser can't finish it. Start it in the browser."
      : undefined;
  const [, secret = ""] = VALUE.exec(cookies.get(hostName(nameOf(state), isHttps)) ?? "") ?? [];
  if (timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(binding))) return undefined;
  return "The browser did not send the sign-in's cookie. Finish it in the browser that began it, with cookies allowed.";
}

/** A name for each sign-in, so that several in one browser don't interfere. */
function nameOf(state: string): string {
  return PREFIX + sha256(state).slice(0, 8);
}

function bindingCookie(name: string, value: string, maxAge: number, isHttps: boolean): Cookie {
  return hostCookie({ name, value, path: "/", maxAge }, isHttps);
}

function sha256(text: string): string {
  return hash("sha256", text);
}
