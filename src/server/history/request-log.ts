import { isWatching } from "../../wire/control/paths.ts";
import type { AnswerOf } from "../../wire/control/types.ts";
import { shownAnswer, shownBody, shownHeaders, shownTarget, type Sent } from "./redacted-exchange.ts";

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

/** Reports a request, with what was sent and received, which may contain secrets. */
type OnRequest<Request> = (report: Request, sent: Sent, headers: Pick<Headers, "get">) => void;

/** Adds every request to a log, then passes it on. */
export function logTo<Request extends Report>(
  log: RequestLog,
  now: () => Date,
  onRequest: ((report: Request) => void) | undefined,
): OnRequest<Request> {
  return (report, sent, headers) => {
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
      path: shownTarget(sent.target, path),
      headers: shownHeaders(headers),
      body: shownBody(sent),
      answer: shownAnswer(sent),
    });
    onRequest?.(report);
  };
}

/** The latest requests, in memory. */
export class RequestLog {
  /** In the order in which they were answered. */
  readonly #requests = new Map<string, LoggedRequest>();
  /** Those of the control API and the dashboard are counted by themselves: watching must not push out what is watched. */
  readonly #product = new Latest();
  readonly #control = new Latest();
  readonly #listeners = new Set<(request: LoggedRequest) => void>();

  /** Newest first. */
  get all(): LoggedRequest[] {
    return [...this.#requests.values()].toReversed();
  }

  get(id: string): LoggedRequest | undefined {
    return this.#requests.get(id);
  }

  add(request: LoggedRequest): void {
    this.#requests.set(request.id, request);
    const dropped = (isWatching(request.path) ? this.#control : this.#product).add(request.id);
    if (dropped !== undefined) this.#requests.delete(dropped);
    for (const listener of this.#listeners) listener(request);
  }

  /** Calls back with each request. @returns a function that unsubscribes */
  subscribe(listener: (request: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The latest ids, unordered: each overwrites the oldest. */
class Latest {
  readonly #ids: string[] = [];
  #next = 0;

  /** @returns the id that is dropped */
  add(id: string): string | undefined {
    const oldest = this.#ids[this.#next];
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) % MAX_ENTRIES;
    return oldest;
  }
}
