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
  // The list takes as long to load as the rest of a start, and few instances need it.
  const { belongsToOne } = await import("./registrable-domain.ts");
  if (!isShared(domain) && belongsToOne(domain)) return undefined;
  return `anyone can claim a name under ${domain}, and would get the tokens. Give previews a domain of your own, such as https://*.preview.acme.dev/callback, or a project's, such as https://*.my-project.pages.dev/callback`;
}

function isShared(host: string): boolean {
  return SHARED.some((shared) => host === shared || host.endsWith(`.${shared}`));
}
