import { BodyTooLong } from "../wire/http/body.ts";
import { errorCode } from "../wire/errors.ts";
import { parsedJson } from "../wire/text/json.ts";
import type { Endpoint, Endpoints } from "../wire/product/routes.ts";
import type { ErrorBody } from "../wire/resources.ts";
import { isTokenProblem, REASON_HEADER } from "../wire/claims.ts";
import { ENDPOINTS, isAnswer } from "./endpoints.ts";
import { ApiError, ServiceError, TokenError, type ErrorCode } from "./errors.ts";
import { masked } from "./failure.ts";
import { parseRetryAfter, isUnavailable } from "./retry.ts";
import type { Answer } from "./transport.ts";

const MAX_RECORD_BYTES = 2 ** 20;
/** Some 800,000 users. */
const MAX_LIST_BYTES = 2 ** 28;
/** How much of an unexpected response goes into the error. */
const SHOWN = 200;

/** The result in an endpoint's answer. @throws {ServiceError} for an error, and for an unexpected response */
export async function readResult<E extends Endpoint>(
  route: E,
  response: Answer,
  now: number,
): Promise<Endpoints[E]["result"]> {
  const isList = ENDPOINTS[route].answer === "list";
  const body = await readBody(route, response, now, isList ? MAX_LIST_BYTES : MAX_RECORD_BYTES);
  const isRefusal = response.status !== 200 || (isObject(body) && body["valid"] === false);
  if (isRefusal) throw refusal(route, response, now, body);
  if (!isAnswer(route, body)) throw unexpected(route, response, now, "JSON of another form");
  return body as Endpoints[E]["result"];
}

/** The JSON of any successful response. Undefined if it has no body. @throws {ServiceError} */
export async function readAny(name: string, response: Answer, now: number): Promise<unknown> {
  if (response.status === 204) return undefined;
  const body = await readBody(name, response, now, MAX_LIST_BYTES);
  if (response.status >= 200 && response.status < 300) return body;
  throw refusal(name, response, now, body);
}

async function readBody(name: string, response: Answer, now: number, limit: number): Promise<unknown> {
  const { status } = response;
  const text = await response.text(limit).catch((error: unknown) => {
    if (!(error instanceof BodyTooLong)) throw error;
    const size = `${limit / 2 ** 20} MiB`;
    throw new ServiceError("response_too_large", `${name}: the response is larger than ${size}`, { status });
  });
  // A browser's `fetch` shows a redirect as status 0.
  if (status === 0 || (status >= 300 && status < 400))
    throw new ServiceError("redirect_refused", `${name}: the service redirected. Not followed, to protect the key`, {
      status,
    });
  const body = parsedJson(text);
  if (body !== undefined) return body;
  // The parser's own error repeats words of the answer, which may be a key.
  const start = masked(text.slice(0, 2 * SHOWN))
    .slice(0, SHOWN)
    .replace(/\p{C}+/gu, " ");
  const cause = new Error(text === "" ? "The response is empty" : `The response begins: ${start}`);
  throw unexpected(name, response, now, "not JSON", cause);
}

function refusal(name: string, response: Answer, now: number, body: unknown): ServiceError {
  if (!isErrorBody(body)) return unexpected(name, response, now, "JSON of another form");
  const { status } = response;
  const sentence = masked(body.error);
  const code = errorCode(status, body);
  if (body.valid === false) {
    const reason = response.headers.get(REASON_HEADER);
    return new TokenError(code ?? "token_invalid", sentence, { status, ...(isTokenProblem(reason) && { reason }) });
  }
  return new ApiError(code ?? codeOf(status), name, status, sentence, { retryAfterMs: retryAfter(response, now) });
}

/** The code of errors that are not in the table. */
function codeOf(status: number): ErrorCode {
  if (status === 429) return "rate_limited";
  return isUnavailable(status) ? "unavailable" : "unknown";
}

/** A gateway's own page has no form of ours, but its status tells enough. */
function unexpected(name: string, response: Answer, now: number, what: string, cause?: Error): ServiceError {
  const { status } = response;
  const retryAfterMs = retryAfter(response, now);
  const known = codeOf(status);
  const code = known === "unknown" ? "unexpected_response" : known;
  return new ServiceError(code, `${name}: unexpected response with status ${status}: ${what}`, {
    status,
    retryAfterMs,
    cause,
  });
}

function retryAfter({ headers }: Answer, now: number): number | undefined {
  return parseRetryAfter(headers.get("retry-after"), now);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isErrorBody(body: unknown): body is ErrorBody {
  return isObject(body) && typeof body["error"] === "string";
}
