import type { H3Event } from "h3";
import { ERRORS, errorBody } from "../../wire/errors.ts";
import type { LogLevel } from "../../wire/serve.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import { TokenRefused } from "../token.ts";
import { redactPath, redactText } from "../history/redact.ts";
import type { RequestContext } from "./context.ts";
import { LIVE, METRICS, READY } from "./monitoring.ts";
import { PAGE_FILES_ROUTE } from "./pages/files.ts";
import type { RequestEntry } from "./request-entry.ts";

const QUIET_ROUTES = new Set([LIVE, READY, METRICS, PAGE_FILES_ROUTE, "/__svc/simulator/avatars/:file"]);

/** The steps of a sign-in before the callback, whose line is that of the sign-in. */
const STEPS = /^\/(?:sign-in|oauth\/authorize|__svc\/begin|__svc\/simulator\/.*)$/;

/** The log entry of a request with an answer. */
export function entryOf({ req, context }: H3Event, status: number): RequestEntry {
  const { id, startedAt, target, route, flow_id, instance, signIn, reason = signIn?.reason } = context.request;
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
    sign_in: signIn ? { provider: signIn.provider, outcome: signIn.outcome } : null,
    refused: context.request.refused ?? null,
    reason: reason ? redactText(reason) : null,
  };
}

/** For the log: the answer's error, with the cause that the answer omits. */
export function reasonOf(cause: unknown, answered: ApiError, request: RequestContext): string {
  const { error: text } = errorBody(answered.code, answered.detail);
  if (!(cause instanceof ApiError)) return cause instanceof Error ? `${text}: ${cause.message}` : text;
  if (cause instanceof SignInRefused && cause.reason !== undefined) return `${text}. ${cause.reason}`;
  if (cause instanceof TokenRefused) {
    const { code, reason, explanation } = cause;
    return [code === "token_invalid" ? `${text}: ${reason}` : text, explanation].filter(Boolean).join(". ");
  }
  // The details of API errors quote searches, which contain personal data.
  return isApi(request) && cause.code !== "unknown_host" ? ERRORS[cause.code].error : text;
}

/** Whether a request is for the product API, whose callers are programs. */
export function isApi({ target }: RequestContext): boolean {
  return target.startsWith("/api/");
}

function levelOf({ route = "", signIn, refused }: RequestContext, status: number): LogLevel {
  if (QUIET_ROUTES.has(route)) return "debug";
  if (status >= 500) return "error";
  if (refused !== undefined || (signIn && signIn.outcome !== "success")) return "warn";
  return status < 400 && STEPS.test(route) ? "debug" : "info";
}
