import type { Endpoint, Endpoints } from "../wire/endpoints.ts";
import { errorCode } from "../wire/errors.ts";
import type { Fetch, FetchResponse } from "../wire/fetch.ts";
import type { ErrorBody } from "../wire/resources.ts";
import { ApiError, ConnectionError, ServiceError, TokenError } from "./errors.ts";

/** The response behind a result, for who needs its headers. */
export interface WithResponse<Result> {
  readonly data: Result;
  readonly response: Pick<FetchResponse, "status" | "headers">;
}

/** A promise of the result that can also be asked for the response. */
export interface Call<Result> extends Promise<Result> {
  withResponse(): Promise<WithResponse<Result>>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** For the whole call, body included. Default 10,000. */
  readonly timeoutMs?: number;
}

export interface CallDeps {
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  baseUrl(): Promise<string>;
  headers(): Record<string, string>;
}

type Input<E extends Endpoint> = Pick<Endpoints[E], keyof Endpoints[E] & ("params" | "query" | "body")>;

/**
 * Calls an endpoint by its route.
 * @param input made inside, so that what is wrong with it is a rejection like every other
 * @throws {ServiceError}
 */
export function call<E extends Endpoint>(
  deps: CallDeps,
  route: E,
  input: () => Input<E>,
  options: RequestOptions = {},
): Call<Endpoints[E]["result"]> {
  const answer = send<E>(deps, route, input, options);
  const result = answer.then(({ data }) => data) as Call<Endpoints[E]["result"]>;
  result.withResponse = () => answer;
  // Whoever asks for the response alone handles its failure there.
  result.catch(() => undefined);
  return result;
}

async function send<E extends Endpoint>(
  deps: CallDeps,
  route: E,
  input: () => Input<E>,
  options: RequestOptions,
): Promise<WithResponse<Endpoints[E]["result"]>> {
  const [method = "GET", pattern = ""] = route.split(" ");
  const {
    params = {},
    query = {},
    body,
  } = input() as { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
  const name = `${method} ${pattern}`;
  const timeout = AbortSignal.timeout(options.timeoutMs ?? deps.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const base = await until(signal, deps.baseUrl()).catch((error: unknown) => {
    if (options.signal?.aborted) throw options.signal.reason;
    if (timeout.aborted) throw new ConnectionError("timeout", `${name}: the instance's address was not found in time`);
    throw error;
  });
  const url = base + fill(pattern, params) + toSearch(query);
  const headers = {
    accept: "application/json",
    ...deps.headers(),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const { response, text } = await exchange(
    deps,
    name,
    url,
    { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
    { own: options.signal, timeout, signal },
  );
  return { data: parseAnswer(name, response, text) as Endpoints[E]["result"], response };
}

async function exchange(
  deps: CallDeps,
  name: string,
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string },
  { own, timeout, signal }: { own: AbortSignal | undefined; timeout: AbortSignal; signal: AbortSignal },
): Promise<{ response: FetchResponse; text: string }> {
  try {
    const response = await deps.fetch(url, { ...init, redirect: "manual", signal });
    return { response, text: await response.text() };
  } catch (error) {
    if (own?.aborted) throw own.reason;
    const { origin } = new URL(url);
    if (timeout.aborted)
      throw new ConnectionError("timeout", `${name}: ${origin} did not answer in time`, { cause: error });
    throw new ConnectionError("connection", `${name}: ${origin} could not be reached (${reasonOf(error)})`, {
      cause: error,
    });
  }
}

/** What is shared with others goes on; only this one's waiting ends. */
function until<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function parseAnswer(name: string, response: FetchResponse, text: string): unknown {
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new ServiceError("redirect_refused", `${name}: the service answered with a redirect, which is not followed`);
  const body = parseJson(text);
  if (status === 200 && body !== undefined) return body;
  if (!isErrorBody(body))
    throw new ServiceError("unexpected_response", `${name}: ${status} and something else than JSON`);
  const code = errorCode(status, body) ?? "unknown";
  if (body.valid === false) throw new TokenError(code, body.error);
  throw new ApiError(code, name, status, body.error);
}

function fill(pattern: string, params: Record<string, string>): string {
  return pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

/** Spaces as %20: a strict reader takes `+` for itself. */
function toSearch(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.length === 0
    ? ""
    : `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && typeof (body as { error?: unknown }).error === "string";
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  return code ?? message ?? String(error);
}
