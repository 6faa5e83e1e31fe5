import { hostCookie, hostName, type Cookie, type ReadCookie } from "../cookies.ts";
import { ownText } from "../memory-use.ts";
import { randomBytes } from "../random.ts";

const LIFETIME_SECONDS = 86_400;
const NAME = "svc_simulator";

/** Tells browsers apart at the simulated providers: only the one that began a sign-in may choose the account. */
export function newBrowserId(): string {
  return randomBytes(16).toString("base64url");
}

/** Keeps a browser's id. */
export function browserIdCookie(value: string, isHttps: boolean): Cookie {
  return hostCookie({ name: NAME, value, path: "/__svc/simulator", maxAge: LIFETIME_SECONDS }, isHttps);
}

/** The id that a browser was given before. */
export function readBrowserId(cookie: ReadCookie, isHttps: boolean): string | undefined {
  const value = cookie(hostName(NAME, isHttps));
  return value !== undefined && /^[\w-]{22}$/.test(value) ? ownText(value) : undefined;
}
