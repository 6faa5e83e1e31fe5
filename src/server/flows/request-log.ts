import { isWatching } from "../../wire/control/paths.ts";
import type { AnswerOf } from "../../wire/control/routes.ts";
import { redactedExchange, type Answered, type Asked, type RedactedExchange } from "./redacted-exchange.ts";

const MAX_ENTRIES = 2000;

/** A request that was answered. */
export type LoggedRequest = { readonly id: string } & Readonly<
  Omit<AnswerOf<"GET /requests">[number]["data"], "process">
>;

/** A request as the service reports it; with `path` if no route matched. */
type Report = Pick<LoggedRequest, "method" | "route" | "status" | "ms" | "instance"> &
  Partial<Pick<LoggedRequest, "flow_id" | "reason">> & { readonly request_id: string; readonly path?: string | null };

/** Adds every request to a log, then passes it on. */
export function logTo<Request extends Report>(
  log: RequestLog,
  now: () => Date,
  onRequest: ((entry: Request) => void) | undefined,
): (entry: Request, asked: Asked, answered: Answered) => void {
  return (entry, asked, answered) => {
    log.add(entry, now(), redactedExchange(asked, answered, entry.path ?? undefined));
    onRequest?.(entry);
  };
}

/** A stored request. Its public form is created on demand: most are dropped before they are read. */
interface Entry {
  readonly sequence: number;
  readonly report: Report;
  readonly at: number;
  readonly exchange: RedactedExchange;
  shown?: LoggedRequest;
}

/** The latest requests, in memory. Those of the control API and the dashboard have a ring of their own: watching must not push out what is watched. */
export class RequestLog {
  readonly #product = new Ring();
  readonly #control = new Ring();
  #sequence = 0;
  readonly #listeners = new Set<(request: LoggedRequest) => void>();

  /** Newest first. */
  get all(): LoggedRequest[] {
    const entries = [...this.#product.entries, ...this.#control.entries].toSorted((a, b) => b.sequence - a.sequence);
    return entries.map(shown);
  }

  get(id: string): LoggedRequest | undefined {
    const wanted = ({ report }: Entry): boolean => report.request_id === id;
    const entry = this.#product.entries.find(wanted) ?? this.#control.entries.find(wanted);
    return entry && shown(entry);
  }

  add(report: Report, at: Date, exchange: RedactedExchange): void {
    const ring = isWatching(exchange.path) ? this.#control : this.#product;
    const entry: Entry = { sequence: this.#sequence++, report, at: at.getTime(), exchange };
    ring.add(entry);
    for (const listener of this.#listeners) listener(shown(entry));
  }

  /** Calls back with each request. @returns a function that unsubscribes */
  subscribe(listener: (request: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The latest entries, unordered: each overwrites the oldest. */
class Ring {
  readonly entries: Entry[] = [];
  #next = 0;

  add(entry: Entry): void {
    this.entries[this.#next] = entry;
    this.#next = (this.#next + 1) % MAX_ENTRIES;
  }
}

function shown(entry: Entry): LoggedRequest {
  const { request_id: id, method, route, status, ms, instance, flow_id = null, reason = null } = entry.report;
  return (entry.shown ??= {
    id,
    method,
    route,
    status,
    ms: Math.round(ms * 10) / 10,
    at: new Date(entry.at).toISOString(),
    instance,
    flow_id,
    reason,
    ...entry.exchange,
  });
}
