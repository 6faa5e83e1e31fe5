import { INSTANCE_CACHE_SECONDS } from "../wire/names.ts";
import type { Instance } from "../wire/resources.ts";
import { ServiceError } from "./errors.ts";

/**
 * An instance's address from its publishable key, asked for once in 60 seconds (spec, "Limits") however many ask at
 * the same time. Failures are not remembered.
 */
export function createInstanceUrl(
  resolve: () => Promise<Instance>,
  apiUrl: string,
  now: () => number,
): () => Promise<string> {
  let known: { url: Promise<string>; until: number } | undefined;
  return () => {
    if (known && known.until > now()) return known.url;
    const entry = { url: urlOf(resolve(), apiUrl), until: now() + INSTANCE_CACHE_SECONDS * 1000 };
    known = entry;
    entry.url.catch(() => {
      if (known === entry) known = undefined;
    });
    return entry.url;
  };
}

async function urlOf(resolving: Promise<Instance>, apiUrl: string): Promise<string> {
  const { url, publishable_key } = (await resolving).data;
  if (url === null)
    throw new ServiceError(
      "instance_inactive",
      `The instance of ${publishable_key} is not active yet, and so has no address`,
    );
  if (!isBelow(url, apiUrl))
    throw new ServiceError(
      "unexpected_response",
      `The service names an address of ${publishable_key} that is not its own: it must be https, or on this machine`,
    );
  return url.replace(/\/+$/, "");
}

/** A secret key is sent there, so it must be a place of the service that was asked. */
function isBelow(url: string, apiUrl: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(apiUrl)) return false;
  const [instance, api] = [new URL(url), new URL(apiUrl)];
  if (instance.username !== "" || instance.password !== "") return false;
  if (instance.protocol === "http:" || isLocal(instance))
    return /^https?:$/.test(instance.protocol) && isLocal(instance) && isLocal(api);
  // What is below `com` is not below `api.com`.
  const parent = api.hostname.replace(/^api\.(?=.*\.)/, "");
  return instance.protocol === "https:" && instance.hostname.endsWith(`.${parent}`);
}

function isLocal({ hostname }: URL): boolean {
  return /^(?:.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}
