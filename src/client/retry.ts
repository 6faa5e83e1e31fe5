import type { Deadline } from "./deadline.ts";
import { isServiceError, type ServiceError } from "./errors.ts";
import { isRead, isUnavailable, isUnsent } from "./transient.ts";

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 8_000;

/** The connection was lost. The service may have handled the request. */
const BROKEN = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"]);

/**
 * Calls `ask` until it succeeds, another try would not help, or the deadline is too near for the next wait.
 * @param name the method and the path
 */
export async function withRetries<Result>(
  ask: (number: number) => Promise<Result>,
  name: string,
  retries: number,
  deadline: Deadline,
): Promise<Result> {
  for (let number = 1; ; number++) {
    try {
      return await ask(number);
    } catch (error) {
      if (number > retries || !isServiceError(error) || !mayRetry(name, error)) throw error;
      const delay = retryDelayMs(number - 1, error.retryAfterMs);
      if (delay >= deadline.leftMs()) throw error;
      await deadline.sleep(delay);
    }
  }
}

/**
 * Whether a failed call may be retried: a read or a verification after every transient failure, any other only if nothing
 * of it was sent. A deletion never: its second response would be about the first.
 */
export function mayRetry(
  name: string,
  { status, syscallCode = "" }: Pick<ServiceError, "status"> & { syscallCode?: string | undefined },
): boolean {
  const [method = "", path = ""] = name.split(" ");
  if (method === "DELETE") return false;
  if (isUnsent(syscallCode)) return true;
  return isRead(method, path) && (BROKEN.has(syscallCode) || status === 408 || status === 429 || isUnavailable(status));
}

/**
 * Full jitter: anything up to a bound that doubles, so that clients that failed together do not come back together.
 * Comes on top of what the service asked for, which is never shortened.
 * @param retries how many there were before
 */
export function retryDelayMs(retries: number, retryAfterMs = 0, random: () => number = Math.random): number {
  return retryAfterMs + random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** retries);
}

/** A `Retry-After` in milliseconds (RFC 9110, 10.2.3: seconds, or a date), or undefined. */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse takes much that is not an HTTP date, such as "-1" or "1.5".
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
