/** Guards for three kinds of servers: a request without a valid token gets 401 (RFC 6750, 3). */
import {
  authenticateRequest,
  checkAuthenticateOptions,
  type AuthenticateOptions,
  type RequestLike,
} from "./authenticate.ts";
import { ConfigError } from "./errors.ts";
import type { TokenClaims } from "../wire/claims.ts";

export type { AuthenticateOptions, RequestLike } from "./authenticate.ts";
export type { TokenClaims } from "../wire/claims.ts";

const authenticated = new WeakMap<object, TokenClaims>();

/**
 * The claims of the user who makes a request, as the guard found them.
 * @param request what the guard was given: Express's `req`, h3's `event`, or a `Request`
 * @throws {ConfigError} if no guard has let it through
 */
export function claimsOf(request: object): TokenClaims {
  const claims = authenticated.get(request);
  if (!claims)
    throw new ConfigError("This request has not passed the guard. Put withAuth, expressAuth or h3Auth before it");
  return claims;
}

type FetchHandler<Req, Rest extends unknown[], Res> = (
  request: Req,
  claims: TokenClaims,
  ...rest: Rest
) => Res | Promise<Res>;

/**
 * Guards a handler of fetch's form: Next.js, Hono, Bun, Deno, workers.
 * @param handler gets the claims as its second argument, and what comes after the request behind them; returns a `Response`
 * @throws {ConfigError} at once, for an invalid secret key, and for unknown or missing options; at a request, if the handler
 * returns no `Response`
 */
export function withAuth<
  Req extends RequestLike & object = Request,
  Rest extends unknown[] = [],
  Res extends Response = Response,
>(
  handler: FetchHandler<Req, Rest, Res>,
  options: AuthenticateOptions,
): (request: Req, ...rest: Rest) => Promise<Res | Response> {
  if (typeof handler !== "function")
    throw new ConfigError("withAuth takes the handler first, and the options after it");
  checkAuthenticateOptions("withAuth", options);
  return async (request, ...rest) => {
    const refusal = await refusalOf(request, [request], options);
    if (refusal) return toResponse(refusal);
    const answer = await handler(request, claimsOf(request), ...rest);
    if (!isResponse(answer))
      throw new ConfigError(
        "The handler of withAuth returned no Response. Write return Response.json(…). In Express, Koa or Fastify, use expressAuth",
      );
    return answer;
  };
}

/** A framework may have a class of its own, so that `instanceof` can't tell. */
function isResponse(answer: Partial<Response> | null | undefined): boolean {
  return typeof answer?.status === "number" && typeof answer.headers?.get === "function";
}

/** What is needed of Node's response. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Guards what comes after it in Express, Connect, Fastify, Koa and the like. @throws {ConfigError} at once */
export function expressAuth(
  options: AuthenticateOptions,
): (request: RequestLike & object, response: NodeResponse, next: () => void) => Promise<void> {
  checkAuthenticateOptions("expressAuth", options);
  return async (request, response, next) => {
    const refusal = await refusalOf(request, [request], options);
    if (!refusal) return next();
    response.writeHead(refusal.status, refusal.headers);
    response.end(refusal.body);
  };
}

/** Guards what comes after it in h3, version 1 or 2. @throws {ConfigError} at once */
export function h3Auth(
  options: AuthenticateOptions,
): (event: { readonly req: RequestLike & object }, next?: () => unknown) => Promise<unknown> {
  checkAuthenticateOptions("h3Auth", options);
  return async (event, next) => {
    const refusal = await refusalOf(event.req, [event, event.req], options);
    // Version 1 calls what comes next by itself.
    return refusal ? toResponse(refusal) : next?.();
  };
}

type Refusal = NonNullable<Awaited<ReturnType<typeof refusalOf>>>;

/**
 * Remembers the claims for `keys`, or returns the refusal. A request without a token is told how to send one; one with a
 * token, why it was refused.
 */
async function refusalOf(request: RequestLike, keys: readonly object[], options: AuthenticateOptions) {
  const state = await authenticateRequest(request, options);
  if (state.status === "signed-in") {
    for (const key of keys) authenticated.set(key, state.claims);
    return undefined;
  }
  const { reason, message } = state.error;
  const why = reason === "missing" ? "" : `, error="invalid_token", error_description="${message}"`;
  return {
    status: 401,
    headers: {
      "www-authenticate": `Bearer realm="svc"${why}`,
      "content-type": "application/json",
      "cache-control": "no-store",
    },
    body: JSON.stringify({ error: message }),
  };
}

function toResponse({ status, headers, body }: Refusal): Response {
  return new Response(body, { status, headers });
}
