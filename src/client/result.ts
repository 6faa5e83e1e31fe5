import type { Endpoint, Endpoints } from "../wire/product/routes.ts";
import { BodyTooLong, readText } from "../http/body.ts";
import type { FetchResponse } from "../http/fetch.ts";
import { errorCode, ERRORS } from "../wire/errors.ts";
import { isObject, parsedJson } from "../text/json.ts";
import type { ErrorBody, VerifiedToken } from "../wire/resources.ts";
import { isTokenProblem, MAX_TOKEN_BYTES, REASON_HEADER, type TokenClaims } from "../wire/claims.ts";
import {
  ApiError,
  isServiceError,
  masked,
  missingToken,
  ServiceError,
  TokenError,
  whyHeader,
  type ErrorCode,
} from "./errors.ts";
import { parseRetryAfter, isUnavailable } from "./retry.ts";
import type { TokenCheck } from "./request.ts";

type Parts = Readonly<Record<string, unknown>>;

/** How a good answer is told from any other JSON. The rest is left to the types, so that new fields break no program. */
type Form = "list" | ((body: Parts) => boolean);

/** What the client knows of each endpoint while it runs: the table of routes itself is schemas, of which it has the types alone. */
export const ENDPOINTS: { readonly [E in Endpoint]: { method: Endpoints[E]["method"]; answer: Form } } = {
  "GET /.well-known/openid-configuration": {
    method: "discovery",
    answer: ({ issuer }) => typeof issuer === "string",
  },
  "POST /api/v1/tokens/verify": { method: "tokens.verify", answer: record("token", ({ valid }) => valid === true) },
  "GET /api/v1/instances/search": { method: "instances.resolve", answer: record("instance") },
  "GET /api/v1/sessions": { method: "sessions.list", answer: "list" },
  "GET /api/v1/sessions/search": { method: "sessions.search", answer: "list" },
  "GET /api/v1/sessions/:id": { method: "sessions.get", answer: record("session") },
  "GET /api/v1/users": { method: "users.list", answer: "list" },
  "GET /api/v1/users/search": { method: "users.search", answer: "list" },
  "GET /api/v1/users/:id": { method: "users.get", answer: record("user") },
  "DELETE /api/v1/users/:id": { method: "users.delete", answer: ({ deleted }) => deleted === true },
};

function record(name: string, isGood: (data: Parts) => boolean = () => true): Form {
  return ({ resource, id, data }) => resource === name && typeof id === "string" && isObject(data) && isGood(data);
}

function hasForm(form: Form, body: unknown): boolean {
  return form === "list" ? Array.isArray(body) : isObject(body) && form(body);
}

const MAX_RECORD_BYTES = 2 ** 20;
/** Some 800,000 users. */
const MAX_LIST_BYTES = 2 ** 28;
/** How much of an unexpected response goes into the error. */
const SHOWN = 200;

/** The result in an endpoint's answer. @throws {ServiceError} for an error, and for an unexpected response */
export async function readResult<E extends Endpoint>(
  route: E,
  response: FetchResponse,
  now: number,
): Promise<Endpoints[E]["result"]> {
  const isList = ENDPOINTS[route].answer === "list";
  const body = await readBody(route, response, now, isList ? MAX_LIST_BYTES : MAX_RECORD_BYTES);
  const isRefusal = response.status !== 200 || (isObject(body) && body["valid"] === false);
  if (isRefusal) throw refusal(route, response, now, body);
  if (!hasForm(ENDPOINTS[route].answer, body)) throw unexpected(route, response, now, "JSON of another form");
  return body as Endpoints[E]["result"];
}

async function readBody(name: string, response: FetchResponse, now: number, limit: number): Promise<unknown> {
  const { status, body } = response;
  const text = await readText(body ?? [], limit).catch((error: unknown) => {
    if (!(error instanceof BodyTooLong)) throw error;
    const size = `${limit / 2 ** 20} MiB`;
    throw new ServiceError("response_too_large", `${name}: the response is larger than ${size}`, { status });
  });
  // A browser's `fetch` shows a redirect as status 0.
  if (status === 0 || (status >= 300 && status < 400))
    throw new ServiceError("redirect_refused", `${name}: the service redirected. Not followed, to protect the key`, {
      status,
    });
  const json = parsedJson(text);
  if (json !== undefined) return json;
  // The parser's own error repeats words of the answer, which may be a key.
  const start = masked(text.slice(0, 2 * SHOWN))
    .slice(0, SHOWN)
    .replace(/\p{C}+/gu, " ");
  const cause = new Error(text === "" ? "The response is empty" : `The response begins: ${start}`);
  throw unexpected(name, response, now, "not JSON", cause);
}

function refusal(name: string, response: FetchResponse, now: number, body: unknown): ServiceError {
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
function unexpected(name: string, response: FetchResponse, now: number, what: string, cause?: Error): ServiceError {
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

function retryAfter({ headers }: FetchResponse, now: number): number | undefined {
  return parseRetryAfter(headers.get("retry-after"), now);
}

function isErrorBody(body: unknown): body is ErrorBody {
  return isObject(body) && typeof body["error"] === "string";
}

/** The token as it is. Nothing, and what is too long for a token, is not sent. */
export function tokenToSend(token: unknown): string {
  if (typeof token !== "string" || token === "") throw missingToken();
  if (token.length > MAX_TOKEN_BYTES)
    throw new TokenError("token_invalid_signature", ERRORS.token_invalid_signature.error, { reason: "malformed" });
  const why = whyHeader(token);
  if (why !== undefined)
    throw new TokenError("token_invalid_signature", ERRORS.token_invalid_signature.error, { reason: "signature", why });
  return token;
}

/** What the service says of a token. @throws {ServiceError} if it does not decide */
export async function checked(text: string, verifying: Promise<VerifiedToken>): Promise<TokenCheck> {
  try {
    const token = await verifying;
    return { ok: true, token, claims: await claimsIn(text) };
  } catch (error) {
    const isAnswer = error instanceof TokenError || isServiceError(error, "user_not_found");
    if (isAnswer) return { ok: false, error };
    throw error;
  }
}

/** Of a token that the service has verified, so they are complete. A service that a test wrote itself may accept any text. */
async function claimsIn(token: string): Promise<TokenClaims> {
  const { decodeToken } = await import("./verify.ts");
  try {
    return decodeToken(token).claims as TokenClaims;
  } catch {
    return {} as TokenClaims;
  }
}
