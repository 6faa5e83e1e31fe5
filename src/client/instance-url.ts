import { isConfidential, isLoopback } from "../wire/http/address.ts";
import { trimSlash } from "../wire/http/request.ts";
import type { Instance } from "../wire/resources.ts";
import { ServiceError } from "./errors.ts";

/** How long a client may remember an instance's address (spec, "Limits"). */
const INSTANCE_CACHE_SECONDS = 60;

/** `insecure`: whether addresses that are neither https nor loopback are used. */
type Service = { readonly apiUrl: string; readonly insecure: boolean };

/**
 * An instance's address from its publishable key, asked for once in 60 seconds (spec, "Limits") however many ask at
 * the same time. Failures are not remembered.
 */
export function createInstanceUrl(resolve: () => Promise<Instance>, service: Service): () => Promise<string> {
  let known: { url: Promise<string>; until: number } | undefined;
  return () => {
    // Not by the time of day, which may be set back.
    const now = performance.now();
    if (known && known.until > now) return known.url;
    const entry = { url: urlOf(resolve(), service), until: now + INSTANCE_CACHE_SECONDS * 1000 };
    known = entry;
    entry.url.catch(() => {
      if (known === entry) known = undefined;
    });
    return entry.url;
  };
}

async function urlOf(resolving: Promise<Instance>, service: Service): Promise<string> {
  const { url, publishable_key } = (await resolving).data;
  if (url === null)
    throw new ServiceError(
      "instance_inactive",
      `The instance of ${publishable_key} is not active yet, so it has no address`,
    );
  if (!isBelow(url, service))
    throw new ServiceError(
      "unexpected_response",
      `The service returned an address for ${publishable_key} that can't be trusted: it must be https and below the service's own, or on loopback`,
    );
  return trimSlash(url);
}

/** A secret key is sent there, so it must be a place of the service that was asked. */
function isBelow(url: string, { apiUrl, insecure }: Service): boolean {
  if (!URL.canParse(url) || !URL.canParse(apiUrl)) return false;
  const [instance, api] = [new URL(url), new URL(apiUrl)];
  const mayBeUsed = isConfidential(instance) || (insecure && instance.protocol === "http:");
  if (!mayBeUsed || instance.username !== "" || instance.password !== "") return false;
  if (isLoopback(instance.hostname)) return isLoopback(api.hostname);
  // What is below `com` is not below `api.com`.
  const parent = api.hostname.replace(/^api\.(?=.*\.)/, "");
  return instance.hostname.endsWith(`.${parent}`);
}
