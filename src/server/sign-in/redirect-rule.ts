import { isLoopback } from "../../http/address.ts";
import type { Caller } from "../../http/headers.ts";
import {
  addressIn,
  ANY_ADDRESS,
  ANY_QUERY,
  withoutWildcard,
  withoutNonce,
  type RedirectUri,
} from "../../wire/redirect-uri.ts";
import { redactText } from "../history/redact.ts";
import type { InstanceRecord } from "../store/records.ts";
import { parseRedirectUri, redirectUriRefused } from "../instances/redirect-uri.ts";

export interface Destination {
  /** Scheme and host that the user returns to; the scheme alone if it is private-use. */
  readonly origin: string;
  /** A program named another host, and the instance has no redirect_uris: to be logged. */
  readonly isUnlisted: boolean;
}

/**
 * Decides whether a user may be redirected to an address with a token.
 *
 * With `redirect_uris`: only to those, also with a `nonce` of the application's behind them; a preview instance's may have
 * a `*` in the host. Without, if the server allows it: to loopback, and for a program to any address. Otherwise any page
 * could collect tokens.
 * @param allowsUnlisted whether only this machine can reach the server, and it is not strict
 * @throws {Refusal} `invalid_redirect_uri`, naming the rule and what to register
 */
export function redirectRule(
  text: string,
  instance: Pick<InstanceRecord, "name" | "redirect_uris" | "preview">,
  caller: Pick<Caller, "isPlainClient">,
  allowsUnlisted: boolean,
): Destination {
  const { name, redirect_uris, preview } = instance;
  const uri = parseRedirectUri(text);
  const isAny = allowsAny(instance);
  const register = `Add ${JSON.stringify(redactText(entryFor(uri)))} to its redirect_uris`;
  const isListed = redirect_uris.some((entry) => matches(entry, uri, preview));
  if (isListed || (allowsUnlisted && (isAny || (redirect_uris.length === 0 && isLoopbackUri(uri)))))
    return destinationOf(text);
  if (redirect_uris.length > 0 && !isAny)
    throw redirectUriRefused(
      `it is not one of the redirect_uris of ${name}, which must match exactly; loopback matches with any port. ${register}`,
    );
  if (isAny)
    throw redirectUriRefused(
      `the entry "*" of ${name} is allowed only without --strict, and on a server that no other machine can reach. ${register}`,
    );
  if (!allowsUnlisted)
    throw redirectUriRefused(
      `${name} has no redirect_uris. With --strict, or where others can reach the server, users are sent to registered addresses only. ${register}`,
    );
  if (caller.isPlainClient) return { ...destinationOf(text), isUnlisted: true };
  throw redirectUriRefused(
    `${name} has no redirect_uris, and without them a browser is sent to loopback only. ${register}`,
  );
}

/** An address that users may be sent to. @throws {Refusal} `invalid_redirect_uri` if its form rules that out */
export function destinationOf(text: string): Destination {
  return { origin: parseRedirectUri(text).origin, isUnlisted: false };
}

/**
 * @param isOnly whether the instance has no other
 * @throws {Refusal} if an entry of `redirect_uris` can match no address
 */
export function checkEntry(entry: string, { isOnly, isPreview }: { isOnly: boolean; isPreview: boolean }): void {
  if (entry === ANY_ADDRESS && isOnly) return;
  if (entry === ANY_ADDRESS) throw redirectUriRefused('"*" must be the only entry');
  const { origin, query } = parseRedirectUri(withoutWildcard(entry));
  if (addressIn(entry) === undefined) {
    if (isPreview) parsePreviewEntry(entry);
    else if (origin.includes("*"))
      throw redirectUriRefused(
        "a * in the host is for preview instances. Write one entry for each host, or set preview to true for an instance that has previews alone",
      );
    else
      throw redirectUriRefused("a * stands for nothing there. Write the exact address; ?* at its end takes any query");
  }
  if (entry.endsWith(ANY_QUERY) && query !== "")
    throw redirectUriRefused("?* matches the whole query; write no parameters before it");
}

/** Warns of instances that send tokens to any address, or to none. */
export function redirectWarnings(instances: readonly InstanceRecord[], allowsUnlisted: boolean): string[] {
  return instances.flatMap((instance) => {
    const { name, redirect_uris } = instance;
    if (allowsAny(instance))
      return allowsUnlisted
        ? `${name} sends tokens to any address, because its redirect_uris are "*". List its addresses before you expose this server.`
        : `${name} refuses every sign-in: its redirect_uris are "*", which is allowed only without --strict, and on a server that no other machine can reach. List its addresses.`;
    const isRefused = !allowsUnlisted && redirect_uris.length === 0;
    return isRefused ? `${name} refuses every sign-in: it has no redirect_uris. List its addresses.` : [];
  });
}

function allowsAny({ redirect_uris }: Pick<InstanceRecord, "redirect_uris">): boolean {
  return redirect_uris.length === 1 && redirect_uris[0] === ANY_ADDRESS;
}

function matches(entry: string, uri: RedirectUri, isPreview: boolean): boolean {
  const address = addressIn(entry);
  if (address === undefined && !isPreview) return false;
  try {
    const preview = address === undefined ? parsePreviewEntry(entry) : undefined;
    const own = preview?.address ?? parseRedirectUri(address!);
    if (own.path !== uri.path) return false;
    if (!entry.endsWith(ANY_QUERY) && ![uri.query, withoutNonce(uri.query)].includes(own.query)) return false;
    return preview ? isPreviewOf(preview, uri.origin) : isSameOrigin(own, uri);
  } catch {
    // A store that another program wrote may have entries that no seed could.
    return false;
  }
}

function isSameOrigin(own: RedirectUri, uri: RedirectUri): boolean {
  return (
    own.origin === uri.origin || (isLoopbackUri(own) && own.scheme === uri.scheme && own.hostname === uri.hostname)
  );
}

/** The entry that would allow an address. Its query may contain a secret of the application, and is left out. */
function entryFor({ origin, path, query }: RedirectUri): string {
  return `${origin}${path}${withoutNonce(query) === "" ? "" : ANY_QUERY}`;
}

function isLoopbackUri({ hostname }: RedirectUri): boolean {
  return hostname !== undefined && isLoopback(hostname);
}

/** What is behind the `*`: the rest of its label, the domain, and a port. */
const BEHIND = /^[a-z0-9-]*\.((?:[a-z0-9-]+\.)*[a-z0-9-]+)(?::\d+)?$/;
const LABEL = /^[a-z0-9-]+$/;

/**
 * An entry of a preview instance that stands for many hosts, such as `https://*.preview.acme.dev/callback`.
 * @returns also the origin before and behind the `*`, and the domain behind the label that has it
 * @throws {Refusal} if the entry has its `*` anywhere but once, in a label of an https host that has others behind it
 */
function parsePreviewEntry(entry: string) {
  const address = parseRedirectUri(withoutWildcard(entry));
  const [before = "", behind = "", ...more] = address.origin.split("*");
  const [, domain] = BEHIND.exec(behind) ?? [];
  const isElsewhere = more.length > 0 || (address.path + address.query).includes("*");
  if (address.scheme !== "https:" || domain === undefined || isElsewhere)
    throw redirectUriRefused(
      "a * stands for a-z, 0-9 and - in one label of an https host, in front of your domain. Write it once, such as https://*.preview.acme.dev/callback",
    );
  return { address, before, behind, domain };
}

/** Whether an origin in normal form differs from the entry's in its `*` alone. */
function isPreviewOf({ before, behind }: { before: string; behind: string }, origin: string): boolean {
  const isAround = origin.startsWith(before) && origin.endsWith(behind);
  return isAround && LABEL.test(origin.slice(before.length, origin.length - behind.length));
}

/**
 * Why a preview instance may not have an entry: by the Public Suffix List anyone can claim a host that it stands for. What the
 * list lacks, the operator must know.
 * @param entry of the right form
 */
export async function publicSuffixFault(entry: string): Promise<string | undefined> {
  if (entry === ANY_ADDRESS || addressIn(entry) !== undefined) return undefined;
  const { domain } = parsePreviewEntry(entry);
  // The list takes as long to load as the rest of a start, and few instances need it.
  const { belongsToOne } = await import("./registrable-domain.ts");
  if (belongsToOne(domain)) return undefined;
  return `anyone can claim a name under ${domain}, and would get the tokens. Give previews a domain of your own, such as https://*.preview.acme.dev/callback, or a project's, such as https://*.my-project.pages.dev/callback`;
}
