import type { Endpoint, Endpoints } from "../wire/product/routes.ts";
import type { FetchInit, FetchResponse } from "../wire/http/fetch.ts";
import { requestPath } from "../wire/http/request.ts";
import { readAny, readResult, ENDPOINTS } from "./result.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import { ConfigError, isServiceError, masked, type ServiceError, ConnectionError } from "./errors.ts";
import { checkNames, REQUEST_OPTIONS } from "./options.ts";
import { type AnyRequestOptions, type Call, type RequestOptions, type Try, type WithResponse } from "./request.ts";
import { mayRetry, repeat, type Fault } from "./retry.ts";
import type { Transport } from "./transport.ts";
import { connectionFault, systemCode } from "../wire/http/address.ts";

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

/** `path` with its query, below the base URL. */
type Outgoing = () => { readonly path: string; readonly body?: unknown };

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
  const outgoing: Outgoing = () => {
    type Parts = { params?: Record<string, string>; query?: object; body?: unknown };
    const { params, query, body } = input() as Parts;
    checkNames(ENDPOINTS[route].method, options, REQUEST_OPTIONS);
    return { path: requestPath(route, params, query), body };
  };
  return toCall(send(deps, route, outgoing, (response) => readResult(route, response, deps.now()), options));
}

/** Calls any path. @throws {ServiceError} */
export function callAny(deps: CallDeps, method: string, path: string, options: AnyRequestOptions = {}): Call<unknown> {
  const name = `${method} ${path}`.split("?")[0]!;
  const outgoing: Outgoing = () => {
    if (!/^[A-Z]+$/.test(method))
      throw new ConfigError(
        `"${method}" is not a method. Write it apart from the path: request("GET", "/api/v1/users")`,
      );
    // Nothing in it may lead away from the service that the key is for.
    if (!/^\/(?!\/)[\x21-\x7e]*$/.test(path) || /\\|#|\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(path))
      throw new ConfigError(`"${path}" is not a path. Write it as /api/v1/users, percent-encoded.`);
    checkNames("request", options, { ...REQUEST_OPTIONS, body: true });
    return { path, body: options.body };
  };
  return toCall(send(deps, name, outgoing, (response) => readAny(name, response, deps.now()), options));
}

/** A promise of the result, from one of the result with its response. */
export function toCall<Result>(answer: Promise<WithResponse<Result>>): Call<Result> {
  const result = answer.then(({ data }) => data) as Call<Result>;
  result.withResponse = () => answer;
  // A caller that awaits the response alone handles its failure there.
  result.catch(() => undefined);
  return result;
}

async function send<Result>(
  deps: CallDeps,
  name: string,
  outgoing: Outgoing,
  read: (response: FetchResponse) => Promise<Result>,
  options: RequestOptions,
): Promise<WithResponse<Result>> {
  const { path, body } = outgoing();
  const retries = options.retry ?? deps.retry;
  if (!Number.isInteger(retries) || retries < 0) throw new ConfigError("retry must be 0 or a positive integer");
  const deadline = startDeadline(options.timeoutMs ?? deps.timeoutMs, options.signal);
  let base: string | undefined;
  const explain = (error: unknown, isAnswered = false): unknown =>
    failure(name, base, error, deadline, options.signal, isAnswered);
  try {
    const found = deps.baseUrl();
    base = typeof found === "string" ? found : await deadline.until(found);
    const url = base + path;
    const init = initOf(deps, name.slice(0, name.indexOf(" ")), body);
    const attempt = async (number: number): Promise<WithResponse<Result>> => {
      const startedAt = performance.now();
      const tell = (status: number | undefined, error?: ServiceError): void =>
        deps.onTry?.({ route: name, number, durationMs: performance.now() - startedAt, status, error });
      let response: FetchResponse | undefined;
      let data: Result;
      try {
        // Not every fetch honours its signal.
        response = await deadline.until(deps.transport.fetch(url, { ...init, signal: deadline.signal }));
        data = await deadline.until(read(response));
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
    return await repeat(attempt, faultOf, { retries, mayRetry: (fault) => mayRetry(name, fault), deadline });
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
  name: string,
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
    return new ConnectionError("timeout", `${name}: timed out while finding the instance's address`);
  }
  const { origin } = new URL(base);
  if (deadline.isOver)
    return new ConnectionError("timeout", `${name}: ${origin} did not answer in time`, { cause: error });
  const code = systemCode(error);
  const fault = isAnswered ? undefined : connectionFault(origin, code);
  const what = isAnswered ? "closed the connection in the middle of its response" : "could not be reached";
  const { message = String(error) } = ((error as { cause?: unknown }).cause ?? error) as { message?: string };
  const said = fault?.join(". ") ?? `${origin} ${what} (${code || masked(message)})`;
  return new ConnectionError("connection", `${name}: ${said}`, { cause: error, syscallCode: code || undefined });
}
