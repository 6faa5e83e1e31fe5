import { getQuery, type H3Event } from "h3";
import { isWebSocketHandshake } from "../../http/headers.ts";
import { PRODUCT_ROUTES } from "../../wire/product/routes.ts";
import { Refusal } from "../errors.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { Instances } from "../instances/instances.ts";
import { ownText } from "../memory-use.ts";
import { headerIn, hostOf, type Admitted } from "./context.ts";

export interface AdmissionDeps {
  readonly addresses: Addresses;
  readonly instances: Instances;
}

/** Without percent-encoding: no route needs it, and without it no path can be mistaken for another. */
const PLAIN_PATH = /^(?:\/|\/__svc\/|(?:\/[A-Za-z0-9_~.-]+)+)$/;
/** In lower case, as browsers send it. */
const HOST_NAME = /^(?:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}|\[[0-9a-f:]+\])(?::\d{1,5})?$/;
const DOTS = /\/\.{1,2}(?:\/|$)/;
/** The paths up to an id, such as `/api/v1/users/`. */
const BEFORE_ID = new Set(Object.keys(PRODUCT_ROUTES).flatMap((name) => /(\/.*\/):id$/.exec(name)?.[1] ?? []));
/** Whatever stands where an id belongs, except what URL parsers take for another path (WHATWG URL, 4.4): its row judges it. */
const ANY_ID = /^(?!(?:\.|%2e){1,2}$)[^\\#]+$/i;

/**
 * Checks the host, path and query of a request, and finds the instance that its host names.
 * @throws {Refusal} if one of them is refused
 */
export function admit(
  event: H3Event,
  { addresses, instances }: AdmissionDeps,
): Pick<Admitted, "scope" | "instance" | "query"> {
  const { path } = event.context.request;
  const host = hostOf(event);
  const scope = addresses.scopeOf(host);
  if (!scope) throw unknownHost(host);
  if (!(PLAIN_PATH.test(path) && !DOTS.test(path)) && !hasId(path)) throw new Refusal("not_found");
  const instance = scope.kind === "instance" ? instances.bySubdomain(scope.subdomain) : undefined;
  return { scope, instance, query: queryOf(event) };
}

function hasId(path: string): boolean {
  const start = path.lastIndexOf("/") + 1;
  return BEFORE_ID.has(path.slice(0, start)) && ANY_ID.test(path.slice(start));
}

/** Refuses a WebSocket, whatever it asks for: of a sign-in's routes, a handshake would pass for a navigation. */
export function refuseWebSocket(event: H3Event): void {
  if (isWebSocketHandshake((name) => headerIn(event, name)))
    throw new Refusal("bad_request", "this server speaks no WebSocket");
}

/** Names the host only if it looks like one: it may be a secret that was sent by mistake. */
function unknownHost(host: string): Refusal {
  const name = HOST_NAME.test(host) ? host : "it";
  return new Refusal("unknown_host", `this server does not answer for ${name}; add it with --allowed-host`);
}

function queryOf(event: H3Event): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of Object.entries(getQuery<Record<string, string | string[]>>(event))) {
    if (Array.isArray(value)) throw new Refusal("bad_request", "a query parameter is repeated");
    // What is stored of it, such as a `redirect_uri`, would else keep the whole address.
    query.set(name, ownText(value));
  }
  return query;
}
