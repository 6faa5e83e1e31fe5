import { getQuery, type H3Event, type Middleware } from "h3";
import { isWebSocketHandshake } from "../../wire/http/headers.ts";
import { PRODUCT_ROUTES } from "../../wire/product/routes.ts";
import { ApiError } from "../errors.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { Instances } from "../instances/instances.ts";
import { ownText } from "../memory-use.ts";
import { headerOf, hostOf } from "./context.ts";

export interface AdmissionDeps {
  readonly addresses: Addresses;
  readonly instances: Instances;
}

/** Without percent-encoding: no route needs it, and without it no path can be mistaken for another. */
const PLAIN_PATH = /^(?:\/|\/__svc\/|(?:\/[A-Za-z0-9_~.-]+)+)$/;
/** In lower case, as browsers send it. */
const HOST_NAME = /^(?:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}|\[[0-9a-f:]+\])(?::\d{1,5})?$/;
/** Of a longer address the values are copied: what is stored of them, such as a `redirect_uri`, would keep all of it. */
const LONG_TARGET = 1024;
const DOTS = /\/\.{1,2}(?:\/|$)/;
/** The paths up to an id, such as `/api/v1/users/`. */
const BEFORE_ID = new Set(Object.keys(PRODUCT_ROUTES).flatMap((name) => /(\/.*\/):id$/.exec(name)?.[1] ?? []));
/** Whatever stands where an id belongs, except what URL parsers take for another path (WHATWG URL, 4.4). */
const ANY_ID = /^(?!(?:\.|%2e){1,2}$)[^\\#]+$/i;
const NO_ID = "-";

/**
 * Checks the host, path and query of every request, and finds the instance that its host names.
 * @throws {ApiError} if one of them is refused
 */
export function admission({ addresses, instances }: AdmissionDeps): Middleware {
  return (event, next) => {
    const { request } = event.context;
    const host = hostOf(event);
    const scope = addresses.scopeOf(host);
    if (!scope) throw unknownHost(host);

    const path = pathOf(request.target);
    if (!hasId(path) && (!PLAIN_PATH.test(path) || DOTS.test(path))) throw new ApiError("not_found");

    request.scope = scope;
    request.instance = scope.kind === "instance" ? instances.bySubdomain(scope.subdomain) : undefined;
    request.query = queryOf(event);
    return next();
  };
}

/**
 * Chooses the path that h3 looks for among its routes. Text that can't be part of an id is not decoded, as it could become
 * another path: it is an id that no record has.
 */
export function settlePath({ url, context }: H3Event): void {
  const path = pathOf(context.request.target);
  if (hasId(path) && !PLAIN_PATH.test(path)) url.pathname = beforeId(path) + NO_ID;
}

function pathOf(target: string): string {
  return target.split("?", 1)[0]!;
}

function hasId(path: string): boolean {
  const start = beforeId(path);
  return BEFORE_ID.has(start) && ANY_ID.test(path.slice(start.length));
}

function beforeId(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** Refuses a WebSocket, whatever it asks for: of a sign-in's routes, a handshake would pass for a navigation. */
export const refuseWebSocket: Middleware = (event, next) => {
  if (isWebSocketHandshake((name) => headerOf(event, name)))
    throw new ApiError("bad_request", "this server speaks no WebSocket");
  return next();
};

/** Names the host only if it looks like one: it may be a secret that was sent by mistake. */
function unknownHost(host: string): ApiError {
  const name = HOST_NAME.test(host) ? host : "it";
  return new ApiError("unknown_host", `this server does not answer for ${name}; add it with --allowed-host`);
}

function queryOf(event: H3Event): ReadonlyMap<string, string> {
  const isLong = event.context.request.target.length > LONG_TARGET;
  const query = new Map<string, string>();
  for (const [name, value] of Object.entries(getQuery<Record<string, string | string[]>>(event))) {
    if (Array.isArray(value)) throw new ApiError("bad_request", "a query parameter is repeated");
    query.set(name, isLong ? ownText(value) : value);
  }
  return query;
}
