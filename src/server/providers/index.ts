import { isConfidential, urlFrom } from "../../http/address.ts";
import { isProvider, type Provider } from "../../wire/providers.ts";
import { github } from "./github.ts";
import { google } from "./google.ts";
import type { ProviderDefinition } from "./provider.ts";
import { twitter } from "./twitter.ts";

export const DEFINITIONS: Readonly<Record<Provider, ProviderDefinition>> = { google, github, twitter };

/**
 * Errors in the addresses that replace a provider's own. They receive secrets, so they must be https or loopback.
 * @param path of `endpoints`, for the messages
 * @param insecure whether plain http to other hosts is allowed
 */
export function checkEndpoints(
  provider: string,
  endpoints: Readonly<Record<string, string>> | undefined,
  path: string,
  insecure = false,
): string[] {
  if (!endpoints || !isProvider(provider)) return [];
  const known = Object.keys(DEFINITIONS[provider].endpoints);
  return Object.entries(endpoints).flatMap(([name, address]) => {
    if (!known.includes(name)) return [`${path}.${name}: ${provider} has no such endpoint; it has ${known.join(", ")}`];
    const url = urlFrom(address);
    if (url && (isConfidential(url) || (insecure && url.protocol === "http:"))) return [];
    return [`${path}.${name}: must be an https address, or one on loopback`];
  });
}
