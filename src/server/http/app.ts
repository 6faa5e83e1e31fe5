import { randomUUID } from "node:crypto";
import { H3, type H3Event } from "h3";
import { admission, refuseWebSocket, settlePath, type AdmissionDeps } from "./admission.ts";
import { answerAnyHost } from "./any-host.ts";
import { type ClientAddress, targetOf } from "./message.ts";
import { nodeOf, type RequestContext } from "./context.ts";
import { answerFailure } from "./failure.ts";
import { settleConnection } from "./listener.ts";
import { entryOf, isApi } from "./log-entry.ts";
import type { RequestEntry } from "./request-entry.ts";
import { monitoringAnswers, type MonitoringDeps } from "./monitoring.ts";
import { pageFileAnswers } from "./page-files.ts";
import { setCommonHeaders } from "./respond.ts";

export interface AppDeps extends AdmissionDeps {
  readonly monitoring: MonitoringDeps;
  readonly clientAddress: ClientAddress;
  /** Resolves when this process knows what others have changed; undefined if it already does. */
  recent?(): Promise<void> | undefined;
  /** Called with every request answered. The entry contains no secret; its context and headers may. */
  readonly onRequest?: ((entry: RequestEntry, request: RequestContext, headers: Headers) => void) | undefined;
  /** The address of the start page. Undefined on a server that has none. */
  readonly home?: string | undefined;
  /** Called with every bug. */
  onBug(error: unknown, request_id?: string): void;
}

/** What every request passes: the routes are added to it. Errors are answers, too. */
export function createApp(deps: AppDeps): H3 {
  const { monitoring, clientAddress, recent, onRequest } = deps;
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
      const node = nodeOf(event);
      if (node) settleConnection(node.res, monitoring.readiness.isStopping());
      const { req, context } = event;
      onRequest?.(entryOf(event, response.status), context.request, req.headers);
    },
  });
  app.use(refuseWebSocket);
  answerAnyHost(app, new Map([...monitoringAnswers(monitoring), ...pageFileAnswers()]));
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
