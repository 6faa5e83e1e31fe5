import { BROWSER_COOKIE } from "../../wire/outcomes.ts";
import { hostCookie, hostName, type Cookie, type Cookies } from "../cookies.ts";
import { randomBytes } from "../random.ts";

const LIFETIME_SECONDS = 86_400;
const NAME = "svc_simulator";

/** Tells browsers apart at the simulated providers: only the one that began a sign-in may choose the account. */
export function newBrowserId(): string {
  return randomBytes(16).toString("base64url");
}

export function browserIdCookie(value: string, isHttps: boolean): Cookie {
  return hostCookie({ name: NAME, value, path: "/__svc/simulator", maxAge: LIFETIME_SECONDS }, isHttps);
}

export function readBrowserId(cookies: Cookies, isHttps: boolean): string | undefined {
  const value = cookies.get(hostName(NAME, isHttps)) ?? "";
  return /^[\w-]{22}$/.test(value) ? value : undefined;
}

/** A browser that scenarios can be limited to. */
export interface LabelledBrowser {
  readonly id: string;
  readonly label: string | undefined;
}

/** The value of a labelled browser's cookie, which contains everything about it, for every process. */
export function labelledBrowserValue({ id, label }: LabelledBrowser): string {
  return label === undefined ? id : `${id}.${Buffer.from(label).toString("base64url")}`;
}

export function readLabelledBrowser(cookies: Cookies): LabelledBrowser | undefined {
  const value = cookies.get(BROWSER_COOKIE);
  const [, id, label] = /^([\w-]{1,64})(?:\.([\w-]{1,512}))?$/.exec(value ?? "") ?? [];
  if (id === undefined) return undefined;
  return { id, label: label === undefined ? undefined : Buffer.from(label, "base64url").toString() };
}
