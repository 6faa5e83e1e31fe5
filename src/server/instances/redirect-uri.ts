import { remember } from "../memory-use.ts";
import { readRedirectUri, splitQuery, type RedirectUri } from "../../wire/redirect-uri.ts";
import { Refusal, type WayBack } from "../errors.ts";

/** An application uses the same few addresses for all its users. */
const MAX_PARSED = 500;
const parsed = new Map<string, RedirectUri>();

/**
 * Parses an address that could be registered. Letter case in scheme and host, and a default port, make no difference.
 * @throws {Refusal} `invalid_redirect_uri`, naming the rule
 */
export function parseRedirectUri(uri: string): RedirectUri {
  const read = known(uri);
  if ("problem" in read) throw redirectUriRefused(read.problem);
  return read;
}

function known(uri: string): ReturnType<typeof readRedirectUri> {
  const before = parsed.get(uri);
  if (before) return before;
  const read = readRedirectUri(uri);
  if (!("problem" in read)) remember(parsed, uri, read, MAX_PARSED);
  return read;
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

/** The application that an address belongs to; undefined for a private-use scheme, which has no page to return to. */
export function wayBackTo({ name }: { readonly name: string }, redirect_uri: string): WayBack | undefined {
  const read = known(redirect_uri);
  return "problem" in read || read.hostname === undefined ? undefined : { name, origin: read.origin };
}

/** The error `invalid_redirect_uri`. @param why names the rule, and what to write instead */
export function redirectUriRefused(why: string): Refusal {
  return new Refusal("invalid_redirect_uri", why);
}

/** Decoded as the application will decode it. */
function nameOf(part: string): string {
  return [...new URLSearchParams(`?${part}`).keys()][0] ?? "";
}
