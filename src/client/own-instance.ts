import { isConfidential, isLoopback, urlFrom } from "../http/address.ts";
import { trimSlash } from "../http/request.ts";
import type { Instance } from "../wire/resources.ts";
import { ServiceError } from "./errors.ts";
import type { WithResponse } from "./request.ts";

/** How long a client may remember an instance (spec, "Limits"). */
const INSTANCE_CACHE_SECONDS = 60;

/** `insecure`: whether addresses that are neither https nor loopback are used. */
type Service = { readonly apiUrl: string; readonly insecure: boolean };

type Answer = Promise<WithResponse<Instance>>;

interface Asking {
  /** Asks the service whatever is known. */
  readonly isFresh: boolean;
  /** Its request has a signal, a time limit or retries of its own, so no other call may wait for it, nor it for another's. */
  readonly isAlone: boolean;
}

/**
 * What the service says of the client's own instance, asked for once in 60 seconds (spec, "Limits") however many ask at
 * the same time. Neither failures are remembered, nor an instance that has no address yet.
 * @param now in milliseconds
 */
export function createOwnInstance(now: () => number): (ask: () => Answer, asking: Asking) => Answer {
  let known: { answer: Answer; at: number; isOver: boolean } | undefined;
  return (ask, { isFresh, isAlone }) => {
    const age = known === undefined ? -1 : now() - known.at;
    // Below zero the clock was set back.
    const isCurrent = age >= 0 && age < INSTANCE_CACHE_SECONDS * 1000;
    if (known && isCurrent && !isFresh && (known.isOver || !isAlone)) return known.answer;
    const entry = { answer: ask(), at: now(), isOver: false };
    if (!isAlone) known = entry;
    const keep = async (): Promise<void> => {
      const found = await entry.answer.catch(() => undefined);
      entry.isOver = typeof found?.data.data.url === "string";
      if (entry.isOver) known = entry;
      else if (known === entry) known = undefined;
    };
    void keep();
    return entry.answer;
  };
}

/** The address of a client's instance. @throws {ServiceError} if it has none, or one that a secret key must not be sent to */
export function addressOf({ data: { url, publishable_key } }: Instance, service: Service): string {
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
  const [instance, api] = [urlFrom(url), urlFrom(apiUrl)];
  if (!instance || !api) return false;
  const mayBeUsed = isConfidential(instance) || (insecure && instance.protocol === "http:");
  if (!mayBeUsed || instance.username !== "" || instance.password !== "") return false;
  if (isLoopback(instance.hostname)) return isLoopback(api.hostname);
  // What is below `com` is not below `api.com`.
  const parent = api.hostname.replace(/^api\.(?=.*\.)/, "");
  return instance.hostname.endsWith(`.${parent}`);
}
