import { LOOPBACK_NAMES } from "../instances/addresses.ts";
import { ApiError } from "../errors.ts";

const MAX_LENGTH = 2048;

/**
 * Lets through the addresses that a user may be sent back to with a token: those in `registered`, letter by letter,
 * where a loopback address matches with any port (RFC 8252, 7.3). With nothing registered `allowAny` decides.
 * @throws {ApiError} `invalid_redirect_uri`, naming the rule
 */
export function checkRedirectUri(uri: string, registered: readonly string[], allowAny: boolean): void {
  const url = parse(uri);
  if (registered.length === 0) {
    if (allowAny) return;
    throw refused(
      "none is registered for this instance, and without one only a server bound to loopback takes any. Add it to the instance's redirect_uris",
    );
  }
  if (!registered.some((entry) => entry === uri || isSameButForPort(new URL(entry), url))) {
    throw refused("it is not one of the instance's redirect_uris, which must match letter by letter");
  }
}

/** @throws {ApiError} where text is not an address that could be registered */
export function parse(uri: string): URL {
  if (uri === "") throw refused("it is missing");
  if (uri.length > MAX_LENGTH) throw refused(`it is longer than ${MAX_LENGTH} characters`);
  if (/[^\u0021-\u007e]/.test(uri))
    throw refused("it has spaces, control or non-ASCII characters; percent-encode them");
  if (uri.includes("\\")) throw refused("it has a backslash");
  if (uri.includes("#")) throw refused("it has a fragment");
  if (!/^https?:\/\/[^/]/i.test(uri) || !URL.canParse(uri))
    throw refused("it is not an absolute http or https address");
  const url = new URL(uri);
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?]*@/.test(uri))
    throw refused("it has a user name or password");
  if (url.href !== uri && url.href !== withRootSlash(uri)) throw refused(`it is not in normal form; write ${url.href}`);
  return url;
}

/**
 * Sets parameters of an address's query, in place of those that have the same name or are named in `removed`;
 * every other byte of it stays as it is.
 */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string>>,
  removed: readonly string[] = [],
): string {
  const [base, query] = splitOnce(uri, "?");
  const names = new Set([...Object.keys(parameters), ...removed]);
  const kept = query === "" ? [] : query.split("&").filter((part) => !names.has(nameOf(part)));
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${base}?${[...kept, ...added].join("&")}`;
}

function isSameButForPort(entry: URL, url: URL): boolean {
  return (
    LOOPBACK_NAMES.includes(entry.hostname) &&
    entry.protocol === url.protocol &&
    entry.hostname === url.hostname &&
    entry.pathname === url.pathname &&
    entry.search === url.search
  );
}

/** The one thing that normalising may add: the slash of an empty path. */
function withRootSlash(uri: string): string {
  return uri.replace(/^(https?:\/\/[^/?]+)(?=\?|$)/, "$1/");
}

/** Decoded just as the application will decode it. */
function nameOf(part: string): string {
  return [...new URLSearchParams(`?${part}`).keys()][0] ?? "";
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function refused(why: string): ApiError {
  return new ApiError("invalid_redirect_uri", why);
}
