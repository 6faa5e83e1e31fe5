import { hostCookie, readCookie, setCookie } from "../cookies.ts";
import { ownText } from "../own-text.ts";
import { randomBytes } from "../random.ts";

const LIFETIME_SECONDS = 86_400;
const NAME = "svc_simulator";

/** Tells browsers apart at the simulated providers: only the one that began a sign-in may choose the account. */
export function newBrowserId(): string {
  return randomBytes(16).toString("base64url");
}

/** `Set-Cookie` with a browser's id. */
export function browserIdCookie(value: string, isHttps: boolean): string {
  return setCookie({ name: NAME, value, path: "/__svc/simulator", maxAge: LIFETIME_SECONDS }, isHttps);
}

/** The browser's id in a `Cookie` header. */
export function readBrowserId(header: string | undefined, isHttps: boolean): string | undefined {
  const value = readCookie(header, hostCookie(NAME, isHttps));
  return value !== undefined && /^[\w-]{22}$/.test(value) ? ownText(value) : undefined;
}
