import { isWatching } from "../../wire/control/watching.ts";
import { exchangeOf, type Answered, type Asked, type Exchange } from "./exchange.ts";

const MAX_ENTRIES = 2000;

/** A request that was answered. */
export interface LoggedRequest extends Exchange {
  /** The answer's `Request-Id`. */
  readonly id: string;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  /** ISO 8601, by the service's clock. */
  readonly at: string;
  /** The subdomain of the instance that was asked. */
  readonly instance: string | null;
  readonly flow_id: string | null;
  /** Why it was refused. */
  readonly reason: string | null;
}

/** What the service tells of a request; with `path` where no route has it. */
type Told = Pick<LoggedRequest, "method" | "route" | "status" | "ms" | "instance"> &
  Partial<Pick<LoggedRequest, "flow_id" | "reason">> & { readonly request_id: string; readonly path?: string | null };

/** Has a log keep every request, and tells of it as before. */
export function noting<Request extends Told>(
  log: RequestLog,
  now: () => Date,
  tell: ((entry: Request) => void) | undefined,
): (entry: Request, asked: Asked, answered: Answered) => void {
  return (entry, asked, answered) => {
    log.add(entry, now(), exchangeOf(asked, answered, entry.path ?? undefined));
    tell?.(entry);
  };
}

/** A request as it is kept: most are pushed out before anyone looks at them. */
interface Entry {
  readonly sequence: number;
  readonly told: Told;
  readonly at: number;
  readonly exchange: Exchange;
  shown?: LoggedRequest;
}

/** The latest requests, in memory. Those of the control API and the dashboard are kept apart: watching must not push out what is watched. */
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
    const wanted = ({ told }: Entry): boolean => told.request_id === id;
    const entry = this.#product.entries.find(wanted) ?? this.#control.entries.find(wanted);
    return entry && shown(entry);
  }

  add(told: Told, at: Date, exchange: Exchange): void {
    const ring = isWatching(exchange.path) ? this.#control : this.#product;
    const entry: Entry = { sequence: this.#sequence++, told, at: at.getTime(), exchange };
    ring.add(entry);
    for (const listener of this.#listeners) listener(shown(entry));
  }

  /** Calls back with each request, until the function that is returned is called. */
  subscribe(listener: (request: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The latest entries, in no order: each takes the place of the oldest, so that none is kept for longer than it is seen. */
class Ring {
  readonly entries: Entry[] = [];
  #next = 0;

  add(entry: Entry): void {
    this.entries[this.#next] = entry;
    this.#next = (this.#next + 1) % MAX_ENTRIES;
  }
}

function shown(entry: Entry): LoggedRequest {
  const { request_id: id, method, route, status, ms, instance, flow_id = null, reason = null } = entry.told;
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
