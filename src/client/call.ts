import type { Endpoint, Endpoints } from "../wire/product/routes.ts";
import type { FetchInit, FetchResponse } from "../http/fetch.ts";
import { requestPath } from "../http/request.ts";
import { readResult, ENDPOINTS } from "./result.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { ConfigError, isServiceError, masked, type ServiceError, ConnectionError } from "./errors.ts";
import { checkNames, REQUEST_OPTIONS } from "./options.ts";
import { type Call, type RequestOptions, type Try, type WithResponse } from "./request.ts";
import { mayRetry, repeat, type Fault } from "./retry.ts";
import type { Transport } from "./transport.ts";
import { connectionFault, systemCode } from "../http/address.ts";

export interface CallDeps {
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly retry: number;
  readonly now: () => number;
  readonly onTry: ((info: Try) => void) | undefined;
  readonly userAgent: string | undefined;
  baseUrl(): string | Promise<string>;
  headers(): Record<string, string>;
}

/**
 * Calls an endpoint by its route.
 * @param input called inside, so that invalid input is a rejection like every other failure
 * @throws {ServiceError}
 */
export function call<E extends Endpoint>(
  deps: CallDeps,
  route: E,
  input: () => Endpoints[E]["input"],
  options: RequestOptions = {},
): Call<Endpoints[E]["result"]> {
  return toCall(send(deps, route, input, options));
}

/** A promise of the result, from one of the result with its response. */
export function toCall<Result>(answer: Promise<WithResponse<Result>>): Call<Result> {
  const result = answer.then(({ data }) => data) as Call<Result>;
  result.withResponse = () => answer;
  // A caller that awaits the response alone handles its failure there.
  result.catch(() => undefined);
  return result;
}

async function send<E extends Endpoint>(
  deps: CallDeps,
  route: E,
  input: () => Endpoints[E]["input"],
  options: RequestOptions,
): Promise<WithResponse<Endpoints[E]["result"]>> {
  type Parts = { params?: Record<string, string>; query?: object; body?: unknown };
  const { params, query, body } = input() as Parts;
  checkNames(ENDPOINTS[route].method, options, REQUEST_OPTIONS);
  const retries = options.retry ?? deps.retry;
  if (!Number.isInteger(retries) || retries < 0) throw new ConfigError("retry must be 0 or a positive integer");
  const deadline = startDeadline(options.timeoutMs ?? deps.timeoutMs, options.signal);
  let base: string | undefined;
  const explain = (error: unknown, isAnswered = false): unknown =>
    failure(route, base, error, deadline, options.signal, isAnswered);
  try {
    const found = deps.baseUrl();
    base = typeof found === "string" ? found : await deadline.until(found);
    const url = base + requestPath(route, params, query);
    const init = initOf(deps, route.slice(0, route.indexOf(" ")), body);
    const attempt = async (number: number): Promise<WithResponse<Endpoints[E]["result"]>> => {
      const startedAt = performance.now();
      const tell = (status: number | undefined, error?: ServiceError): void =>
        deps.onTry?.({ route, number, durationMs: performance.now() - startedAt, status, error });
      let response: FetchResponse | undefined;
      let data: Endpoints[E]["result"];
      try {
        // Not every fetch honours its signal.
        response = await deadline.until(deps.transport.fetch(url, { ...init, signal: deadline.signal }));
        data = await deadline.until(readResult(route, response, deps.now()));
      } catch (thrown) {
        const error = explain(thrown, response !== undefined);
        if (isServiceError(error)) tell(error.status, error);
        throw error;
      }
      const { status, headers } = response;
      tell(status);
      return { data, response: { status, headers } };
    };
    const faultOf = (outcome: PromiseSettledResult<unknown>): Fault | undefined =>
      outcome.status === "rejected" && isServiceError(outcome.reason) ? outcome.reason : undefined;
    return await repeat(attempt, faultOf, { retries, mayRetry: (fault) => mayRetry(route, fault), deadline });
  } catch (error) {
    throw explain(error);
  } finally {
    deadline.end();
  }
}

function initOf({ userAgent, headers }: CallDeps, method: string, body: unknown): FetchInit {
  const own = { accept: "application/json", ...(userAgent && { "user-agent": userAgent }), ...headers() };
  if (body === undefined) return { method, headers: own, redirect: "manual" };
  const typed = { ...own, "content-type": "application/json" };
  return { method, headers: typed, body: JSON.stringify(body), redirect: "manual" };
}

/** The error that a caller gets for anything that was thrown. */
function failure(
  route: string,
  base: string | undefined,
  error: unknown,
  deadline: Deadline,
  own: AbortSignal | undefined,
  isAnswered: boolean,
): unknown {
  if (own?.aborted) return own.reason;
  if (isServiceError(error)) return error;
  if (base === undefined) {
    if (!deadline.isOver) return error;
    return new ConnectionError("timeout", `${route}: timed out while finding the instance's address`);
  }
  const { origin } = new URL(base);
  if (deadline.isOver)
    return new ConnectionError("timeout", `${route}: ${origin} did not answer in time`, { cause: error });
  const code = systemCode(error);
  const fault = isAnswered ? undefined : connectionFault(origin, code);
  const what = isAnswered ? "closed the connection in the middle of its response" : "could not be reached";
  const { message = String(error) } = ((error as { cause?: unknown }).cause ?? error) as { message?: string };
  const said = fault?.join(". ") ?? `${origin} ${what} (${code || masked(message)})`;
  return new ConnectionError("connection", `${route}: ${said}`, { cause: error, syscallCode: code || undefined });
}
