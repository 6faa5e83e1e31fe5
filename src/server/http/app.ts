import { randomUUID } from "node:crypto";
import { H3, type H3Event } from "h3";
import type { LogLevel } from "../../wire/serve.ts";
import { redactPath, redactText } from "../history/redact.ts";
import type { Exchanged } from "../history/request-log.ts";
import { Refusal } from "../errors.ts";
import { admit, refuseWebSocket, type AdmissionDeps } from "./admission.ts";
import { PROBES, anyHostAnswers, type MonitoringDeps } from "./any-host.ts";
import { peerOf, type ClientAddress } from "./client-address.ts";
import { nodeOf, type RequestContext } from "./context.ts";
import { answerFailure, isApi, type FailureDeps } from "./failure.ts";
import { settleConnection, targetOf } from "./listener.ts";
import { PAGE_FILES_ROUTE } from "./pages/style.ts";
import type { RequestEntry } from "./request-entry.ts";
import { Reply, toResponse, type Noted } from "./respond.ts";

export interface AppDeps extends AdmissionDeps, MonitoringDeps, FailureDeps {
  /** Default: the socket's peer. */
  readonly clientAddress?: ClientAddress | undefined;
  /** `recent` resolves when this process knows what others have changed; undefined if it already does. */
  readonly shared: { recent(): Promise<void> | undefined };
  /** Called with every request answered. The entry contains no secret; what was exchanged and the headers may. */
  onRequest(entry: RequestEntry, exchanged: Exchanged, headers: Headers): void;
}

/** What every request passes: the routes are added to it. Errors are answers, too. */
export function createApp(deps: AppDeps): H3 {
  const { readiness, clientAddress = peerOf, shared, onRequest } = deps;
  const answerAnyHost = anyHostAnswers(deps);
  const app = new H3({
    silent: true,
    // Admission refuses every path with a percent sign but that of a record, whose id is not decoded.
    allowMalformedURL: true,
    onRequest(event) {
      const request = beginRequest(event, clientAddress);
      event.context.request = request;
      // h3 has decoded what it takes for needless escapes, and the path could be another now.
      if (request.path.includes("%")) event.url.pathname = request.path;
    },
  });

  function answer(event: H3Event, next: () => unknown): unknown {
    refuseWebSocket(event);
    const open = answerAnyHost(event);
    if (open) return open;
    const { request } = event.context;
    const enter = (): unknown => {
      Object.assign(request, admit(event, deps));
      return next();
    };
    const reading = shared.recent();
    // A key that another process has revoked must be refused; a page is answered without the store, too.
    return reading ? reading.then(enter, isApi(request) ? undefined : enter) : enter();
  }

  return app.use(async (event, next) => {
    let reply: Reply;
    try {
      reply = requireReply(await answer(event, next));
    } catch (error) {
      reply = answerFailure(error, event, deps);
    }
    const { target, body } = event.context.request;
    const { location } = reply.headers;
    onRequest(entryOf(event, reply), { target, body, json: reply.jsonText, location }, event.req.headers);
    const node = nodeOf(event);
    const settling = node && settleConnection(node.res, readiness.isStopping);
    if (settling) await settling;
    return toResponse(event, reply);
  });
}

/** Whatever no route has answered is not there. @throws {Refusal} */
function requireReply(answered: unknown): Reply {
  if (answered instanceof Reply) return answered;
  throw new Refusal("not_found");
}

/** A program's own `Request` comes without a socket, and so from this machine. */
function beginRequest(event: H3Event, clientAddress: ClientAddress): RequestContext {
  const message = nodeOf(event)?.req;
  const { pathname, search } = message ? event.url : new URL(event.req.url);
  const target = message ? targetOf(message) : pathname + search;
  const [path = ""] = target.split("?", 1);
  return {
    id: randomUUID(),
    startedAt: performance.now(),
    target,
    path,
    ip_address: message ? clientAddress(message) : "127.0.0.1",
    headers: {},
  };
}

const QUIET_ROUTES = new Set([...PROBES, PAGE_FILES_ROUTE, "/__svc/simulator/avatars/:file"]);

/** The steps of a sign-in beside its callback, whose line is that of the sign-in. */
const STEPS = /^\/(?:sign-in|oauth\/authorize|__svc\/begin|__svc\/simulator\/.*)$/;

function entryOf({ req, context: { request } }: H3Event, { status, noted }: Reply): RequestEntry {
  const { id, startedAt, target, route } = request;
  const { flow_id, instance = request.instance, signIn, reason, refused } = noted;
  return {
    level: levelOf(route, status, noted),
    request_id: id,
    flow_id: flow_id ?? null,
    method: req.method,
    route: route ?? null,
    path: route === undefined ? redactPath(target) : null,
    status,
    ms: performance.now() - startedAt,
    instance: instance?.subdomain ?? null,
    sign_in: signIn ?? null,
    refused: refused ?? null,
    reason: reason ? redactText(reason) : null,
  };
}

function levelOf(route = "", status: number, { signIn, refused }: Noted): LogLevel {
  if (QUIET_ROUTES.has(route)) return "debug";
  if (status >= 500) return "error";
  if (refused !== undefined || (signIn && signIn.outcome !== "success")) return "warn";
  return status < 400 && STEPS.test(route) ? "debug" : "info";
}
