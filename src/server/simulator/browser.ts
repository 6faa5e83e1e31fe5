import { randomBytes } from "node:crypto";

const LIFETIME_SECONDS = 86_400;
const NAME = "svc_simulator";

/** Tells browsers apart at the simulated providers: only the one that asked may choose the account. */
export function newBrowser(): string {
  return randomBytes(16).toString("base64url");
}

/** `Set-Cookie` for it. */
export function browserCookie(browser: string, isHttps: boolean): string {
  const scope = isHttps ? "Path=/; Secure" : "Path=/__svc/simulator";
  return `${cookieName(isHttps)}=${browser}; ${scope}; HttpOnly; SameSite=Lax; Max-Age=${LIFETIME_SECONDS}`;
}

/** The value of the cookie that a request shows. */
export function shownBrowser(cookie: string | undefined, isHttps: boolean): string | undefined {
  const start = `${cookieName(isHttps)}=`;
  const pair = cookie?.split(/; */).find((each) => each.startsWith(start));
  const value = pair?.slice(start.length);
  return value !== undefined && /^[\w-]{22}$/.test(value) ? value : undefined;
}

function cookieName(isHttps: boolean): string {
  return isHttps ? `__Host-${NAME}` : NAME;
}
