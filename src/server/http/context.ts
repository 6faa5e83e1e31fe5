import type { IncomingMessage, ServerResponse } from "node:http";
import type { H3Event } from "h3";
import { callerOf, cookiesIn, type Caller } from "../../http/headers.ts";
import type { Cookies } from "../cookies.ts";
import type { Scope } from "../instances/addresses.ts";
import type { InstanceRecord } from "../store/records.ts";

/** What is known of a request besides what it says itself, as `event.context.request`. Its answer says the rest for the log. */
export interface RequestContext {
  /** Unique; sent in the answer as `Request-Id`. */
  readonly id: string;
  /** In milliseconds of `performance.now`. */
  readonly startedAt: number;
  /** Path and query as they were sent, with the leading `/`. */
  readonly target: string;
  readonly path: string;
  /** The client's address; the socket's peer, or what a trusted proxy says. */
  readonly ip_address: string;
  /** What every answer to it says, be it an error. */
  readonly headers: Record<string, string>;
  /** The route's pattern, once a route was chosen. */
  route?: string;
  /** By its host, or by its key once that was checked. */
  instance?: InstanceRecord | undefined;
  /** The body that was sent, if it is JSON that the route takes. */
  body?: unknown;
  readonly scope?: Scope;
  /** The query's parameters, decoded. None is repeated. */
  readonly query?: ReadonlyMap<string, string>;
}

declare module "h3" {
  interface H3EventContext {
    request: RequestContext;
  }
}

/** A request that admission has let through. */
export type Admitted = RequestContext & Required<Pick<RequestContext, "scope" | "query">>;

/** What admission has found out. For the handlers of routes, which run behind it. */
export function admitted({ context }: H3Event): Admitted {
  return context.request as Admitted;
}

/** @param name in lower case */
export function headerIn({ req }: H3Event, name: string): string | undefined {
  return req.headers.get(name) ?? undefined;
}

export function cookiesOf(event: H3Event): Cookies {
  return cookiesIn(headerIn(event, "cookie") ?? "");
}

/** Node's objects of a request that came by a socket; HTTP/2 is not served. Undefined for a program's own `Request`. */
export function nodeOf({ runtime }: H3Event): { req: IncomingMessage; res: ServerResponse } | undefined {
  return runtime?.node as { req: IncomingMessage; res: ServerResponse } | undefined;
}

export function hostOf(event: H3Event): string {
  return headerIn(event, "host") ?? (nodeOf(event) ? "" : event.url.host);
}

export function callerIn(event: H3Event, isHttps: boolean): Caller {
  return callerOf((name) => headerIn(event, name), hostOf(event).replace(/:\d*$/, ""), isHttps);
}
