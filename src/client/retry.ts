/** No connection was made. */
const UNSENT = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** Whether nothing of a request was sent. @param code the system's, such as `ECONNREFUSED` */
export function isUnsent(code: string): boolean {
  return UNSENT.has(code);
}

/** Whether a status says that the service, or the gateway before it, is unavailable for now. */
export function isUnavailable(status: number | undefined): boolean {
  return status === 502 || status === 503 || status === 504;
}

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 8_000;

/** The connection was lost. The service may have handled the request. */
const BROKEN = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"]);

/** What went wrong with a try, as far as another one depends on it. */
export interface Fault {
  readonly status?: number | undefined;
  /** The system's, such as `ECONNREFUSED`. */
  readonly syscallCode?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

export interface Repetition {
  /** Default: none. */
  readonly retries?: number | undefined;
  readonly mayRetry?: (fault: Fault) => boolean;
  readonly deadline: { leftMs(): number; sleep(milliseconds: number): Promise<unknown> };
}

/**
 * Tries until there is no fault, another try would not help, or the time left is too short for the next wait.
 * @returns what the last try did @throws what the last try threw
 */
export async function repeat<Result>(
  attempt: (number: number) => Promise<Result>,
  faultOf: (outcome: PromiseSettledResult<Result>) => Fault | undefined,
  { retries = 0, mayRetry: may = () => true, deadline }: Repetition,
): Promise<Result> {
  for (let number = 1; ; number++) {
    const trying = attempt(number);
    const [outcome] = await Promise.allSettled([trying]);
    const fault = faultOf(outcome);
    if (!fault || number > retries || !may(fault)) return trying;
    const pauseMs = retryDelayMs(number - 1, fault.retryAfterMs);
    if (pauseMs >= deadline.leftMs()) return trying;
    await deadline.sleep(pauseMs);
  }
}

/**
 * Whether a failed call may be retried: a read or the verification of a token, after every transient failure. A deletion
 * never: its second response would be about the first.
 */
export function mayRetry(route: string, { status, syscallCode = "" }: Fault): boolean {
  if (!route.startsWith("GET") && route !== "POST /api/v1/tokens/verify") return false;
  if (isUnsent(syscallCode)) return true;
  return BROKEN.has(syscallCode) || status === 408 || status === 429 || isUnavailable(status);
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
