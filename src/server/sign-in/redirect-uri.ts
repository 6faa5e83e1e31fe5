import { LRUCache } from "lru-cache";
import { cacheLimit } from "../cache-limit.ts";
import { ApiError } from "../errors.ts";

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

/** An application uses the same few addresses for all its users. */
const PARSED = new LRUCache<string, RedirectUri>({ ...cacheLimit(500), memoMethod: parse });

/**
 * Parses an address that could be registered. Letter case in scheme and host, and a default port, make no difference.
 * @throws {ApiError} `invalid_redirect_uri`, naming the rule
 */
export function parseRedirectUri(uri: string): RedirectUri {
  return PARSED.memo(uri);
}

function parse(uri: string): RedirectUri {
  if (uri === "")
    throw refused(
      "it is missing; add the address that the user returns to, as redirect_uri=http://localhost:3000/callback",
    );
  if (uri.length > MAX_LENGTH) throw refused(`it is longer than ${MAX_LENGTH} characters`);
  if (/[^\u0021-\u007e]/.test(uri))
    throw refused("it has spaces, control or non-ASCII characters; percent-encode them");
  if (uri.includes("\\")) throw refused("it has a backslash");
  if (uri.includes("#")) throw refused("it has a fragment");
  if (USERINFO.test(uri)) throw refused("it has a user name or password");
  const [, privateScheme, privateRest] = PRIVATE_USE.exec(uri) ?? [];
  if (privateScheme !== undefined && privateRest !== undefined) {
    const scheme = privateScheme.toLowerCase();
    return { origin: scheme, hostname: undefined, scheme, ...splitQuery(privateRest) };
  }
  return parseWeb(uri);
}

/**
 * Sets query parameters, replaces those of the same name, and removes those named in `removed`. Every other byte of the
 * address stays as it is.
 */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string>>,
  removed: readonly string[] = [],
): string {
  const { path: base, query } = splitQuery(uri);
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${encoded(value)}`);
  if (query.length < 2) return `${base}?${added.join("&")}`;
  const names = new Set([...Object.keys(parameters), ...removed]);
  const parts = query.slice(1).split("&");
  const kept = parts.filter((part) => !names.has(nameOf(part)));
  return `${base}?${[...kept, ...added].join("&")}`;
}

/** Most values need no encoding, and testing is cheaper than encoding. */
const PLAIN = /^[\w.~-]*$/;

function encoded(value: string): string {
  return PLAIN.test(value) ? value : encodeURIComponent(value);
}

export function refused(why: string): ApiError {
  return new ApiError("invalid_redirect_uri", why);
}

function parseWeb(uri: string): RedirectUri {
  const [, written = "", authority = "", rest = ""] = WEB.exec(uri) ?? [];
  if (written === "" || !URL.canParse(uri))
    throw refused(
      "it is not an absolute address: http, https, or a private-use scheme such as com.example.app:/callback",
    );
  const url = new URL(uri);
  const scheme = written.toLowerCase();
  const origin = `${scheme}://${authority.toLowerCase().replace(DEFAULT_PORT[scheme]!, "")}`;
  const { path, query } = splitQuery(rest);
  // Refuses any other address that two parsers could read differently.
  if (url.origin !== origin || url.pathname !== (path || "/"))
    throw refused(`it is not in normal form; write ${url.origin}${url.pathname}`);
  return { origin, hostname: url.hostname, scheme: url.protocol, path: path || "/", query };
}

function splitQuery(text: string): { path: string; query: string } {
  const at = text.indexOf("?");
  return at < 0 ? { path: text, query: "" } : { path: text.slice(0, at), query: text.slice(at) };
}

/** Decoded as the application will decode it. */
function nameOf(part: string): string {
  return [...new URLSearchParams(`?${part}`).keys()][0] ?? "";
}
