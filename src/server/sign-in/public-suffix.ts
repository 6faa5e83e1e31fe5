import { addressIn, ANY_ADDRESS } from "../../wire/sign-in/redirect-entry.ts";
import { parsePreviewEntry } from "./preview-entry.ts";

/** Where anyone gets a name too, and which the Public Suffix List lacks. */
const SHARED = ["app.github.dev", "csb.app", "gitpod.io", "loca.lt", "stackblitz.io", "webcontainer.io"];

/**
 * Why a preview instance may not have an entry: anyone could claim a host that it stands for.
 * @param entry of the right form
 */
export async function publicSuffixFault(entry: string): Promise<string | undefined> {
  if (entry === ANY_ADDRESS || addressIn(entry) !== undefined) return undefined;
  const { domain } = parsePreviewEntry(entry);
  if (await belongsToOne(domain)) return undefined;
  return `anyone can claim a name under ${domain}, and would get the tokens. Give previews a domain of your own, such as https://*.preview.acme.dev/callback, or a project's, such as https://*.my-project.pages.dev/callback`;
}

/** Whether a host and all names under it belong to who registered its domain. */
async function belongsToOne(host: string): Promise<boolean> {
  if (SHARED.some((shared) => host === shared || host.endsWith(`.${shared}`))) return false;
  // It takes as long to load as the rest of a start, and few instances need it.
  const { getDomain } = await import("tldts");
  const isPrivateToo = { allowPrivateDomains: true };
  const domain = getDomain(host, isPrivateToo);
  return domain !== null && getDomain(`x.${host}`, isPrivateToo) === domain;
}
