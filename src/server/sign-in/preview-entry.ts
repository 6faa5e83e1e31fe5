import { withoutWildcard, addressIn, ANY_ADDRESS, type RedirectUri } from "../../wire/redirect-uri.ts";
import { parseRedirectUri, refused } from "./redirect-uri.ts";

/** What is behind the `*`: the rest of its label, the domain, and a port. */
const BEHIND = /^[a-z0-9-]*\.((?:[a-z0-9-]+\.)*[a-z0-9-]+)(?::\d+)?$/;
const LABEL = /^[a-z0-9-]+$/;

/** An entry of a preview instance that stands for many hosts, such as `https://*.preview.acme.dev/callback`. */
export interface PreviewEntry {
  readonly address: RedirectUri;
  /** The origin before the `*`, and behind it. */
  readonly before: string;
  readonly behind: string;
  /** The host behind the label that has the `*`. */
  readonly domain: string;
}

/** @throws {ApiError} if the entry has its `*` anywhere but once, in a label of an https host that has others behind it */
export function parsePreviewEntry(entry: string): PreviewEntry {
  const address = parseRedirectUri(withoutWildcard(entry));
  const [before = "", behind = "", ...more] = address.origin.split("*");
  const [, domain] = BEHIND.exec(behind) ?? [];
  const isElsewhere = more.length > 0 || (address.path + address.query).includes("*");
  if (address.scheme !== "https:" || domain === undefined || isElsewhere)
    throw refused(
      "a * stands for a-z, 0-9 and - in one label of an https host, in front of your domain. Write it once, such as https://*.preview.acme.dev/callback",
    );
  return { address, before, behind, domain };
}

/** Whether an origin in normal form differs from the entry's in its `*` alone. */
export function isPreviewOf({ before, behind }: PreviewEntry, origin: string): boolean {
  const isAround = origin.startsWith(before) && origin.endsWith(behind);
  return isAround && LABEL.test(origin.slice(before.length, origin.length - behind.length));
}

/** Where anyone gets a name too, and which the Public Suffix List lacks. */
const SHARED = ["app.github.dev", "csb.app", "gitpod.io", "loca.lt", "stackblitz.io", "webcontainer.io"];

/**
 * Why a preview instance may not have an entry: anyone could claim a host that it stands for.
 * @param entry of the right form
 */
export async function publicSuffixFault(entry: string): Promise<string | undefined> {
  if (entry === ANY_ADDRESS || addressIn(entry) !== undefined) return undefined;
  const { domain } = parsePreviewEntry(entry);
  // The list takes as long to load as the rest of a start, and few instances need it.
  const { belongsToOne } = await import("./registrable-domain.ts");
  if (!isShared(domain) && belongsToOne(domain)) return undefined;
  return `anyone can claim a name under ${domain}, and would get the tokens. Give previews a domain of your own, such as https://*.preview.acme.dev/callback, or a project's, such as https://*.my-project.pages.dev/callback`;
}

function isShared(host: string): boolean {
  return SHARED.some((shared) => host === shared || host.endsWith(`.${shared}`));
}
