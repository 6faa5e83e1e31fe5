import { EventEmitter } from "node:events";
import { isWatching, isControlApi } from "../../wire/control/paths.ts";
import type { AnswerOf } from "../../wire/control/types.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../wire/ids.ts";
import { beginningOf, REDACTED, redactBody, redactPath, redactText, redactUrl } from "./redact.ts";

const MAX_ENTRIES = 2000;

/** A request that was answered, without secrets. */
export type LoggedRequest = { readonly id: string } & Readonly<
  Omit<AnswerOf<"GET /requests">[number]["data"], "process">
>;

/** A request as the service reports it; with `path` if no route matched. */
type Report = Pick<LoggedRequest, "method" | "route" | "status" | "ms" | "instance" | "flow_id" | "reason"> & {
  readonly request_id: string;
  readonly path: string | null;
};

/** Adds every request to a log, with what was sent and received, which may contain secrets, then passes it on. */
export function logTo<Request extends Report>(
  log: RequestLog,
  now: () => Date,
  onRequest: ((report: Request) => void) | undefined,
) {
  return (report: Request, exchanged: Exchanged, headers: Pick<Headers, "get">): void => {
    const { request_id: id, method, route, status, ms, instance, flow_id, reason, path } = report;
    // Secrets are removed here, so that they are never stored.
    log.add({
      id,
      method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      at: now().toISOString(),
      instance,
      flow_id,
      reason,
      path: shownTarget(exchanged.target, path),
      headers: shownHeaders(headers),
      body: shownBody(exchanged),
      answer: shownAnswer(exchanged),
    });
    onRequest?.(report);
  };
}

/** The latest requests, in memory: bounded, and without secrets. */
export class RequestLog {
  readonly changes = new EventEmitter<{ change: [LoggedRequest] }>().setMaxListeners(0);
  #answered = 0;
  /** The oldest first. Those of the control API and the dashboard are kept apart: watching must not push out what is watched. */
  readonly #product: Numbered[] = [];
  readonly #control: Numbered[] = [];

  /** Newest first. */
  get all(): LoggedRequest[] {
    return [...this.#product, ...this.#control].toSorted((a, b) => b.number - a.number).map(({ request }) => request);
  }

  get(id: string): LoggedRequest | undefined {
    return this.all.find((request) => request.id === id);
  }

  add(request: LoggedRequest): void {
    const latest = isWatching(request.path) ? this.#control : this.#product;
    latest.push({ number: this.#answered++, request });
    if (latest.length > MAX_ENTRIES) latest.shift();
    this.changes.emit("change", request);
  }
}

interface Numbered {
  /** In the order in which they were answered. */
  readonly number: number;
  readonly request: LoggedRequest;
}

const MAX_ANSWER_LENGTH = 2048;
const MAX_HEADER_LENGTH = 512;
const SHOWN_HEADERS = [
  "host",
  "user-agent",
  "accept",
  "content-type",
  "content-length",
  "origin",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
  "x-forwarded-for",
  PUBLISHABLE_KEY_HEADER,
] as const;
/** An address with something else than plain text in its path: escapes can hide a secret. */
const HIDDEN = /^[^?]*[^\w/.~?-]/;
/** Shown without their values. */
const SECRET_HEADERS = ["authorization", "cookie", SECRET_KEY_HEADER] as const;

export function shownHeaders(headers: Pick<Headers, "get">): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of SHOWN_HEADERS) {
    const value = headers.get(name);
    if (value !== null) shown[name] = shortened(value, MAX_HEADER_LENGTH);
  }
  for (const name of SECRET_HEADERS) if (headers.get(name) !== null) shown[name] = REDACTED;
  return shown;
}

/** Path and query of a request. @param path what is shown before the query, if no route matched */
function shownTarget(target: string, path: string | null): string {
  return redactUrl(target, path ?? (HIDDEN.test(target) ? redactPath(target) : undefined));
}

/** What was sent and answered. It may contain secrets. */
export interface Exchanged {
  /** Path and query of the request, as they were sent. */
  readonly target: string;
  readonly body?: unknown;
  readonly json?: string | undefined;
  /** Where the answer redirects to. */
  readonly location?: string | undefined;
}

/** The body if it is JSON, the address of a redirect, or null for a page, a stream and answers with keys. */
export function shownAnswer({ target, json, location }: Exchanged): string | null {
  // Answers of the control API contain keys and tokens.
  if (isControlApi(target)) return null;
  if (location !== undefined) return redactUrl(location);
  return json === undefined ? null : shortened(json, MAX_ANSWER_LENGTH);
}

/** The body of a request as JSON without secrets, or null if there is none or it is too long to be repeated. */
function shownBody({ body }: Exchanged): string | null {
  const shown = body === undefined ? undefined : redactBody(body);
  return shown === undefined ? null : JSON.stringify(shown);
}

function shortened(text: string, length: number): string {
  return redactText(text.length <= length ? text : `${beginningOf(text, length)}…`);
}
