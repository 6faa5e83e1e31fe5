import { PUBLISHABLE_KEY_HEADER } from "../../wire/names.ts";
import type { Addresses } from "../instances/addresses.ts";
import { ApiError } from "../errors.ts";
import { ownText } from "../own-text.ts";
import { callerOf, type Caller } from "../sign-in/caller.ts";
import type { Instances } from "../instances/instances.ts";
import type { Incoming } from "./incoming.ts";
import type { AppRequest } from "./request.ts";

export interface AdmissionDeps {
  readonly addresses: Addresses;
  readonly instances: Instances;
}

/** Without percent-encoding: no route needs it, and without it no path can be mistaken for another. */
const PATH = /^(?:\/|\/__svc\/|(?:\/[A-Za-z0-9_~.-]+)+)$/;
/** In lower case, as browsers send it. */
const HOST_NAME = /^(?:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}|\[[0-9a-f:]+\])(?::\d{1,5})?$/;
/** Of a longer address the values are copied: what is stored of them, such as a `redirect_uri`, would keep all of it. */
const LONG_TARGET = 1024;
const NO_QUERY: ReadonlyMap<string, string> = new Map();
const DOTS = /\/\.{1,2}(?:\/|$)/;

/**
 * Checks every request before its route is chosen.
 * @throws {ApiError} if its host, path, query or origin is refused
 */
export function admit(incoming: Incoming, { addresses, instances }: AdmissionDeps): AppRequest {
  const { header, text } = incoming;
  const host = header("host") ?? "";
  const scope = addresses.scopeOf(host);
  if (!scope) throw unknownHost(host);

  const [path, search] = splitOnce(incoming.target, "?");
  if (!PATH.test(path) || DOTS.test(path)) throw new ApiError("not_found");

  if (path.startsWith("/api/")) refuseOtherOrigins(path, header, header("sec-fetch-site"));

  let caller: Caller | undefined;
  return {
    scope,
    instance: scope.kind === "instance" ? instances.bySubdomain(scope.subdomain) : undefined,
    path,
    params: {},
    query: parseQueryString(search, incoming.target.length > LONG_TARGET),
    ip_address: incoming.ip_address,
    caller: () => (caller ??= callerOf(header, host.replace(/:\d*$/, ""), addresses.isHttps)),
    header,
    text,
  };
}

function splitOnce(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Names the host only if it looks like one: it may be a secret that was sent by mistake. */
function unknownHost(host: string): ApiError {
  const name = HOST_NAME.test(host) ? host : "it";
  return new ApiError("unknown_host", `this server does not answer for ${name}; add it with --allowed-host`);
}

function parseQueryString(search: string, isLong: boolean): ReadonlyMap<string, string> {
  if (search === "") return NO_QUERY;
  const query = new Map<string, string>();
  new URLSearchParams(search).forEach((value, name) => {
    if (query.has(name)) throw new ApiError("bad_request", "a query parameter is repeated");
    query.set(name, isLong ? ownText(value) : value);
  });
  return query;
}

/** Keys are for servers: a page of another site may only resolve its instance. */
function refuseOtherOrigins(path: string, header: AppRequest["header"], site: string | undefined): void {
  if (
    path === "/api/v1/instances/search" &&
    (header(PUBLISHABLE_KEY_HEADER) !== undefined || header("access-control-request-method") !== undefined)
  )
    return;
  if (!isOwnSite(site) || header("origin") !== undefined)
    throw new ApiError("cross_origin", "secret keys are used from servers, not from pages");
}

/** Whether `Sec-Fetch-Site` says that no page of another origin sent the request. Programs don't send it. */
export function isOwnSite(site: string | undefined): boolean {
  return site === undefined || site === "same-origin" || site === "none";
}
