import { randomUUID } from "node:crypto";
import { H3, type H3Event } from "h3";
import type { LogLevel } from "../../wire/serve.ts";
import { redactPath, redactText } from "../history/redact.ts";
import { admission, refuseWebSocket, settlePath, type AdmissionDeps } from "./admission.ts";
import { PROBES, answerAnyHost, type MonitoringDeps } from "./any-host.ts";
import { nodeOf, type RequestContext } from "./context.ts";
import { answerFailure, isApi, type FailureDeps } from "./failure.ts";
import { peerOf, settleConnection, targetOf, type ClientAddress } from "./listener.ts";
import { PAGE_FILES_ROUTE } from "./pages/style.ts";
import type { RequestEntry } from "./request-entry.ts";
import { setCommonHeaders } from "./respond.ts";

export interface AppDeps extends AdmissionDeps, MonitoringDeps, FailureDeps {
  /** Default: the socket's peer. */
  readonly clientAddress?: ClientAddress | undefined;
  /** Resolves when this process knows what others have changed; undefined if it already does. */
  recent?(): Promise<void> | undefined;
  /** Called with every request answered. The entry contains no secret; its context and headers may. */
  readonly onRequest?: ((entry: RequestEntry, request: RequestContext, headers: Headers) => void) | undefined;
}

/** What every request passes: the routes are added to it. Errors are answers, too. */
export function createApp(deps: AppDeps): H3 {
  const { readiness, clientAddress = peerOf, recent, onRequest } = deps;
  const app = new H3({
    silent: true,
    // Admission refuses every path with a percent sign, and an id with one is not decoded.
    allowMalformedURL: true,
    onRequest(event) {
      event.context.request = beginRequest(event, clientAddress);
      settlePath(event);
      setCommonHeaders(event, event.context.request.id);
    },
    onError: (error, event) => answerFailure(error, event, deps),
    onResponse(response, event) {
      const { req, context } = event;
      onRequest?.(entryOf(event, response.status), context.request, req.headers);
      const node = nodeOf(event);
      return node && settleConnection(node.res, readiness.isStopping);
    },
  });
  app.use(refuseWebSocket);
  answerAnyHost(app, deps);
  app.use(async (event, next) => {
    const reading = recent?.();
    // A key that another process has revoked must be refused; what needs no key is answered without the store, too.
    if (reading) await (isApi(event.context.request) ? reading : reading.catch(() => undefined));
    return next();
  });
  return app.use(admission(deps));
}

/** A program's own `Request` comes without a socket, and so from this machine. */
function beginRequest(event: H3Event, clientAddress: ClientAddress): RequestContext {
  const message = nodeOf(event)?.req;
  const { pathname, search } = message ? event.url : new URL(event.req.url);
  return {
    id: randomUUID(),
    startedAt: performance.now(),
    target: message ? targetOf(message) : pathname + search,
    ip_address: message ? clientAddress(message) : "127.0.0.1",
  };
}

const QUIET_ROUTES = new Set([...PROBES, PAGE_FILES_ROUTE, "/__svc/simulator/avatars/:file"]);

/** The steps of a sign-in before the callback, whose line is that of the sign-in. */
const STEPS = /^\/(?:sign-in|oauth\/authorize|__svc\/begin|__svc\/simulator\/.*)$/;

function entryOf({ req, context }: H3Event, status: number): RequestEntry {
  const { id, startedAt, target, route, flow_id, instance, signIn, reason } = context.request;
  return {
    level: levelOf(context.request, status),
    request_id: id,
    flow_id: flow_id ?? null,
    method: req.method,
    route: route ?? null,
    path: route === undefined ? redactPath(target) : null,
    status,
    ms: performance.now() - startedAt,
    instance: instance?.subdomain ?? null,
    sign_in: signIn ?? null,
    refused: context.request.refused ?? null,
    reason: reason ? redactText(reason) : null,
  };
}

function levelOf({ route = "", signIn, refused }: RequestContext, status: number): LogLevel {
  if (QUIET_ROUTES.has(route)) return "debug";
  if (status >= 500) return "error";
  if (refused !== undefined || (signIn && signIn.outcome !== "success")) return "warn";
  return status < 400 && STEPS.test(route) ? "debug" : "info";
}
