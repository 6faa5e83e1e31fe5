import { urlFrom } from "../http/address.ts";
const MAX_LENGTH = 2048;
const WEB = /^(https?):\/\/([^/?]+)(.*)$/i;
/** RFC 8252, 7.1: a private-use scheme is a domain name in reverse, so it has a dot. */
const PRIVATE_USE = /^([a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:)(\/.*)$/i;
const USERINFO = /^[^/]*\/\/[^/?]*@/;
const DEFAULT_PORT: Readonly<Record<string, RegExp>> = { http: /:80$/, https: /:443$/ };

/** The parts of a `redirect_uri` that are compared. */
export interface RedirectUri {
  /** Scheme, host and port in normal form, such as `https://app.example:8443`; the scheme alone if it is private-use. */
  readonly origin: string;
  /** Undefined for a private-use scheme. */
  readonly hostname: string | undefined;
  readonly scheme: string;
  /** As it was written; `/` if the address has none. */
  readonly path: string;
  /** As it was written, with its `?`; empty if the address has none. */
  readonly query: string;
}

type ReadRedirectUri = RedirectUri | { readonly problem: string };

/**
 * Reads an address that could be registered. Letter case in scheme and host, and a default port, make no difference.
 * @returns `problem`, which names the rule, for any other
 */
export function readRedirectUri(uri: string): ReadRedirectUri {
  if (uri === "")
    return problem(
      "it is missing; add the address that the user returns to, as redirect_uri=http://localhost:3000/callback",
    );
  if (uri.length > MAX_LENGTH) return problem(`it is longer than ${MAX_LENGTH} characters`);
  if (/[^\u0021-\u007e]/.test(uri))
    return problem("it has spaces, control or non-ASCII characters; percent-encode them");
  if (uri.includes("\\")) return problem("it has a backslash");
  if (uri.includes("#")) return problem("it has a fragment");
  if (USERINFO.test(uri)) return problem("it has a user name or password");
  const [, privateScheme, privateRest] = PRIVATE_USE.exec(uri) ?? [];
  if (privateScheme !== undefined && privateRest !== undefined) {
    const scheme = privateScheme.toLowerCase();
    return { origin: scheme, hostname: undefined, scheme, ...splitQuery(privateRest) };
  }
  return parseWeb(uri);
}

function parseWeb(uri: string): ReadRedirectUri {
  const [, written = "", authority = "", rest = ""] = WEB.exec(uri) ?? [];
  const url = written === "" ? undefined : urlFrom(uri);
  if (url === undefined)
    return problem(
      "it is not an absolute address: http, https, or a private-use scheme such as com.example.app:/callback",
    );
  const scheme = written.toLowerCase();
  const origin = `${scheme}://${authority.toLowerCase().replace(DEFAULT_PORT[scheme]!, "")}`;
  const { path, query } = splitQuery(rest);
  // Refuses any other address that two parsers could read differently.
  if (url.origin !== origin || url.pathname !== (path || "/"))
    return problem(`it is not in normal form; write ${url.origin}${url.pathname}`);
  return { origin, hostname: url.hostname, scheme: url.protocol, path: path || "/", query };
}

function problem(why: string): ReadRedirectUri {
  return { problem: why };
}

/** Splits at the first `?`, which the query keeps; an empty query if there is none. */
export function splitQuery(text: string): { path: string; query: string } {
  const at = text.indexOf("?");
  return at < 0 ? { path: text, query: "" } : { path: text.slice(0, at), query: text.slice(at) };
}

/** The entry of `redirect_uris` that matches every address. */
export const ANY_ADDRESS = "*";
/** The end of an entry that matches its address with any query. */
export const ANY_QUERY = "?*";

export function withoutWildcard(entry: string): string {
  return entry.endsWith(ANY_QUERY) ? entry.slice(0, -ANY_QUERY.length) : entry;
}

/** The one address of an entry. Undefined if its host has a `*`, or it is `*`. */
export function addressIn(entry: string): string | undefined {
  const address = withoutWildcard(entry);
  return address.includes("*") ? undefined : address;
}

export function exampleOf(entry: string): string {
  return withoutWildcard(entry).replace("*", "preview");
}

/** The path, at the front door, where a sign-in without an application ends. */
export const SIGNED_IN_PATH = "/__svc/signed-in";

/**
 * The redirect URI of a sign-in from the dashboard: our own page, or the first web address that the instance lists.
 * @returns undefined if it lists none, or only such that stand for many hosts
 */
export function tryTarget(redirect_uris: readonly string[], front: string): string | undefined {
  if (redirect_uris.length === 0 || redirect_uris[0] === ANY_ADDRESS) return front + SIGNED_IN_PATH;
  return redirect_uris.map(addressIn).find((address) => address !== undefined && /^https?:/i.test(address));
}

/** How long a browser may take from its begin to its callback. */
export const STATE_LIFETIME_SECONDS = 600;

/** What an application adds to its callback's address, so that it knows its own sign-in again: 32 bytes as base64url. */
export const NONCE = "nonce";
const ADDED_NONCE = /(?:^\?|&)nonce=[A-Za-z0-9_-]{43}$/;

/** A query without the nonce at its end. Whole if another parameter has that name, as an application could read either. */
export function withoutNonce(query: string): string {
  const own = query.replace(ADDED_NONCE, "");
  return new URLSearchParams(own).has(NONCE) ? query : own;
}
