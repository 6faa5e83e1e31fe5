import { INSTANCE_CACHE_SECONDS } from "../wire/names.ts";
import type { Instance } from "../wire/resources.ts";
import { ServiceError } from "./errors.ts";

/**
 * An instance's address from its publishable key, asked for once in 60 seconds (spec, "Limits") however many ask at
 * the same time. Failures are not remembered.
 */
export function createInstanceUrl(resolve: () => Promise<Instance>, now: () => number): () => Promise<string> {
  let known: { url: Promise<string>; until: number } | undefined;
  return () => {
    if (known && known.until > now()) return known.url;
    const entry = { url: urlOf(resolve()), until: now() + INSTANCE_CACHE_SECONDS * 1000 };
    known = entry;
    entry.url.catch(() => {
      if (known === entry) known = undefined;
    });
    return entry.url;
  };
}

async function urlOf(resolving: Promise<Instance>): Promise<string> {
  const { url, publishable_key } = (await resolving).data;
  if (url === null)
    throw new ServiceError(
      "instance_inactive",
      `The instance of ${publishable_key} is not active yet, and so has no address`,
    );
  if (!isSafe(url))
    throw new ServiceError(
      "unexpected_response",
      `The address of ${publishable_key} is neither https nor on this machine`,
    );
  return url;
}

/** A secret key is sent there. */
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isLoopback = hostname === "127.0.0.1" || hostname === "[::1]" || /(^|\.)localhost$/.test(hostname);
  return protocol === "https:" || (protocol === "http:" && isLoopback);
}
