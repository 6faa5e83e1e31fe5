import { ERRORS, errorBody } from "../../wire/errors.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import { redactPath, redactText } from "../flows/redact.ts";
import type { Incoming } from "./incoming.ts";
import { LIVE, METRICS, READY } from "./monitoring.ts";
import type { AppRequest, SignInOutcome } from "./request.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The log entry of a request that was answered. It contains no secret. */
export interface RequestEntry {
  /** `error`: the server failed; `warn`: a sign-in did; `debug`: probes and pictures. */
  readonly level: LogLevel;
  /** As in the answer's `Request-Id` header. */
  readonly request_id: string;
  /** The sign-in that it belongs to; all its requests have the same id. */
  readonly flow_id: string | null;
  readonly method: string;
  /** The route's pattern, never the address itself: that may hold a token. */
  readonly route: string | null;
  /** The path, if no route matched: only its words, short numbers and ids of records are kept. */
  readonly path: string | null;
  readonly status: number;
  readonly ms: number;
  /** The subdomain of the instance, by host, key or sign-in; null if none of these names one. */
  readonly instance: string | null;
  /** Set if the request ended a sign-in. */
  readonly sign_in: Omit<SignInOutcome, "reason"> | null;
  /** Why it failed; null if it did not. */
  readonly reason: string | null;
}

const QUIET_ROUTES = new Set([LIVE, READY, METRICS, "/__svc/simulator/avatars/:file"]);

/** The log entry of a request. @param request undefined if the request was refused before a route was chosen */
export function entryOf(
  { id, method, target }: Incoming,
  request: AppRequest | undefined,
  { route, status, ms, reason }: Pick<RequestEntry, "route" | "status" | "ms" | "reason">,
): RequestEntry {
  const { signIn } = request ?? {};
  const why = reason ?? signIn?.reason ?? undefined;
  return {
    level: levelOf(route, status, signIn),
    request_id: id,
    flow_id: request?.flow_id ?? null,
    method,
    route,
    path: route === null ? redactPath(target) : null,
    status,
    ms,
    instance: request?.instance?.subdomain ?? null,
    sign_in: signIn ? { provider: signIn.provider, outcome: signIn.outcome } : null,
    reason: why === undefined ? null : redactText(why),
  };
}

/** For the log: the answer's error, with the cause that the answer omits. */
export function reasonOf(cause: unknown, answered: ApiError, incoming: Incoming): string {
  const { error: text } = errorBody(answered.code, answered.detail);
  if (!(cause instanceof ApiError)) return cause instanceof Error ? `${text}: ${cause.message}` : text;
  if (cause instanceof SignInRefused && cause.reason !== undefined) return `${text}: ${cause.reason}`;
  // The details of API errors quote searches, which contain personal data.
  return isApi(incoming) && cause.code !== "unknown_host" ? ERRORS[cause.code].error : text;
}

/** Whether a request is for the product API, whose callers are programs. */
export function isApi({ target }: Incoming): boolean {
  return target.startsWith("/api/");
}

function levelOf(route: string | null, status: number, signIn: SignInOutcome | undefined): LogLevel {
  if (route !== null && QUIET_ROUTES.has(route)) return "debug";
  if (status >= 500) return "error";
  return signIn && signIn.outcome !== "success" ? "warn" : "info";
}
