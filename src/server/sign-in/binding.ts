import { hash, timingSafeEqual } from "node:crypto";
import { STATE_LIFETIME_SECONDS } from "../../wire/redirect-uri.ts";
import { hostCookie, hostName, type Cookie, type ReadCookie } from "../cookies.ts";
import { randomBytes } from "../random.ts";

/** In the record of a sign-in that a browser began at another host: the first at the simulated provider's page binds it. */
export const AWAITS_BROWSER = "page";
/** Before the hash of a browser that was bound at that page. */
const AT_PAGE = `${AWAITS_BROWSER}:`;
const HASH_CHARACTERS = 64;

/**
 * Ties a sign-in to the browser that began it, so that an attacker can't have another browser finish the attacker's
 * (login CSRF, RFC 9700, 4.7.1): a cookie there, its hash in the state's record.
 */
export function createBinding(state: string, isHttps: boolean) {
  const secret = randomBytes(32).toString("base64url");
  return { hash: sha256(secret), cookie: bindingCookie(state, secret, STATE_LIFETIME_SECONDS, isHttps) };
}

/**
 * The binding of the first browser at a simulated provider's page. The same each time, so that the page can be reloaded.
 * @param browser its secret id at the simulated providers
 */
export function pageBinding(state: string, browser: string, isHttps: boolean) {
  const secret = pageSecret(state, browser);
  return { hash: pageHash(state, browser), cookie: bindingCookie(state, secret, STATE_LIFETIME_SECONDS, isHttps) };
}

export function pageHash(state: string, browser: string): string {
  return AT_PAGE + sha256(pageSecret(state, browser));
}

function pageSecret(state: string, browser: string): string {
  return hash("sha256", `${state} ${browser}`, "base64url");
}

/** Whether it is that of a browser at a simulated provider's page, or awaits one. */
export function isPageBinding(binding: string | null): boolean {
  return binding === AWAITS_BROWSER || (binding?.startsWith(AT_PAGE) ?? false);
}

/** Deletes the cookie. */
export function endBinding(state: string, isHttps: boolean): Cookie {
  return bindingCookie(state, "", 0, isHttps);
}

/**
 * Why a request may not finish a sign-in: undefined if it comes from the client that began it. A browser must send the cookie;
 * a sign-in that a program began must be finished by a program.
 */
export function bindingFault(
  record: { state: string; binding: string | null },
  request: { cookie: ReadCookie; caller: { isBrowser: boolean } },
  isHttps: boolean,
): string | undefined {
  if (record.binding === null)
    return request.caller.isBrowser
      ? "A program began the sign-in, so a browser can't finish it. Start it in the browser."
      : undefined;
  if (record.binding === AWAITS_BROWSER)
    return "The browser that began the sign-in did not open the provider's page. Start a new one.";
  const secret = request.cookie(hostName(cookieName(record.state), isHttps)) ?? "";
  const isBound = timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(record.binding.slice(-HASH_CHARACTERS)));
  return isBound
    ? undefined
    : "The sign-in began in another browser: its cookie is missing. Finish it in the browser that began it.";
}

/** A name for each sign-in, so that several in one browser don't interfere. */
function cookieName(state: string): string {
  return `svc_oauth_${sha256(state).slice(0, 8)}`;
}

function bindingCookie(state: string, value: string, maxAge: number, isHttps: boolean): Cookie {
  return hostCookie({ name: cookieName(state), value, path: "/oauth", maxAge }, isHttps);
}

function sha256(text: string): string {
  return hash("sha256", text);
}
