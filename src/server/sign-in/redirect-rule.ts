import { isLoopback } from "../../wire/http/loopback.ts";
import { ANY_ADDRESS, ANY_QUERY, withoutWildcard } from "../../wire/sign-in/redirect-entry.ts";
import { withoutNonce } from "../../wire/sign-in/attempt.ts";
import type { RedirectUri } from "../../wire/sign-in/redirect-uri.ts";
import type { ApiError } from "../errors.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { Caller } from "./caller.ts";
import { parseRedirectUri, refused } from "./redirect-uri.ts";

/** What the decision depends on besides the address and the instance's `redirect_uris`. */
export interface Circumstances {
  readonly caller: Caller;
  /** Whether only this machine can reach the server. */
  readonly isLocal: boolean;
  /** Whether the provider is a simulated one. */
  readonly isSimulated: boolean;
}

export interface Destination {
  /** Scheme and host that the user returns to; the scheme alone if it is private-use. */
  readonly origin: string;
  /** The user must choose an account on a page that names the destination first. */
  readonly needsClick: boolean;
  /** A program named another host, and the instance has no redirect_uris: to be logged. */
  readonly isUnlisted: boolean;
}

/**
 * Decides whether a user may be redirected to an address with a token.
 *
 * With `redirect_uris`: only to those, also with a `nonce` of the application's behind them. Without, on a server that only this machine can reach: a program may name any
 * address; a browser may name loopback, or another host through a simulated provider after a click. Otherwise any page
 * could collect tokens.
 * @throws {ApiError} `invalid_redirect_uri`, naming the rule and what to register
 */
export function checkRedirectUri(
  text: string,
  instance: Pick<InstanceRecord, "name" | "redirect_uris">,
  { caller, isLocal, isSimulated }: Circumstances,
): Destination {
  const { name, redirect_uris } = instance;
  const uri = parseRedirectUri(text);
  const isAny = allowsAny(instance);
  const listed = listedDestination(uri);
  const register = `Add ${JSON.stringify(entryFor(uri))} to its redirect_uris`;

  if (redirect_uris.length > 0 && !isAny) {
    if (redirect_uris.some((entry) => matches(entry, uri))) return listed;
    throw refused(
      `it is not one of the redirect_uris of ${name}, which must match exactly; loopback matches with any port. ${register}`,
    );
  }
  if (!isLocal)
    throw refused(
      isAny
        ? `the entry "*" of ${name} is allowed only on a server that no other machine can reach. ${register}`
        : `${name} has no redirect_uris, and a server that others can reach sends users to registered addresses only. ${register}`,
    );
  if (isLoopbackUri(uri)) return listed;
  if (caller.isPlainClient) return { ...listed, isUnlisted: !isAny };
  if (isAny) return { ...listed, needsClick: isSimulated };
  if (!isSimulated)
    throw unlisted(name, "a browser that signs in with a real provider is sent to loopback only", register);
  if (uri.hostname === undefined) throw unlisted(name, "a browser is sent to http and https addresses only", register);
  return { ...listed, needsClick: true };
}

/** An address that users may be sent to without a click. */
export function listedDestination({ origin }: RedirectUri): Destination {
  return { origin, needsClick: false, isUnlisted: false };
}

/** @throws {ApiError} if an entry of `redirect_uris` can match no address */
export function checkEntry(entry: string, isOnly: boolean): void {
  if (entry === ANY_ADDRESS && isOnly) return;
  if (entry === ANY_ADDRESS) throw refused('"*" must be the only entry');
  const { query } = parseRedirectUri(withoutWildcard(entry));
  if (entry.endsWith(ANY_QUERY) && query !== "")
    throw refused("?* matches the whole query; write no parameters before it");
}

/** Warns of instances that send tokens to any address, or to none. */
export function redirectWarnings(instances: readonly InstanceRecord[], isLocal: boolean): string[] {
  if (isLocal)
    return instances
      .filter(allowsAny)
      .map(
        ({ name }) =>
          `${name} sends tokens to any address, because its redirect_uris are "*". List its addresses before you expose this server.`,
      );
  return instances
    .filter((instance) => allowsAny(instance) || instance.redirect_uris.length === 0)
    .map(({ name, redirect_uris }) =>
      redirect_uris.length === 0
        ? `${name} refuses every sign-in: it has no redirect_uris. List its addresses.`
        : `${name} refuses every sign-in: its redirect_uris are "*", which is allowed only on a server that no other machine can reach. List its addresses.`,
    );
}

function allowsAny({ redirect_uris }: Pick<InstanceRecord, "redirect_uris">): boolean {
  return redirect_uris.length === 1 && redirect_uris[0] === ANY_ADDRESS;
}

function matches(entry: string, uri: RedirectUri): boolean {
  const own = parseEntry(entry);
  if (own === undefined || own.path !== uri.path) return false;
  if (!entry.endsWith(ANY_QUERY) && ![uri.query, withoutNonce(uri.query)].includes(own.query)) return false;
  return (
    own.origin === uri.origin || (isLoopbackUri(own) && own.scheme === uri.scheme && own.hostname === uri.hostname)
  );
}

function parseEntry(entry: string): RedirectUri | undefined {
  try {
    return parseRedirectUri(withoutWildcard(entry));
  } catch {
    // A store that another program wrote may have entries that no seed could.
    return undefined;
  }
}

/** The entry that would allow an address. Its query may contain a secret of the application, and is left out. */
function entryFor({ origin, path, query }: RedirectUri): string {
  return `${origin}${path}${withoutNonce(query) === "" ? "" : ANY_QUERY}`;
}

function isLoopbackUri({ hostname }: RedirectUri): boolean {
  return hostname !== undefined && isLoopback(hostname);
}

function unlisted(name: string, rule: string, register: string): ApiError {
  return refused(`${name} has no redirect_uris, and without them ${rule}. ${register}`);
}
