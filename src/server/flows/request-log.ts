import { isWatching } from "../../wire/control/watching.ts";
import { exchangeOf, type Answered, type Asked, type Exchange } from "./exchange.ts";

const MAX_ENTRIES = 2000;

/** What the service tells of a request. */
interface Told {
  readonly request_id: string;
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  readonly instance: string | null;
  readonly flow_id?: string | null;
  readonly reason?: string | null;
}

/** Has a log keep every request, and tells of it as before. */
export function noting<Request extends Told>(
  log: RequestLog,
  now: () => Date,
  tell: ((entry: Request) => void) | undefined,
): (entry: Request, asked: Asked, answered: Answered) => void {
  return (entry, asked, answered) => {
    const { request_id: id, method, route, status, ms, instance, flow_id = null, reason = null } = entry;
    const at = now().toISOString();
    log.add({
      id,
      method,
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      at,
      instance,
      flow_id,
      reason,
      ...exchangeOf(asked, answered),
    });
    tell?.(entry);
  };
}

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

interface Entry {
  readonly sequence: number;
  readonly request: LoggedRequest;
}

/** The latest requests, in memory. Those of the control API and the dashboard are kept apart: watching must not push out what is watched. */
export class RequestLog {
  readonly #product: Entry[] = [];
  readonly #control: Entry[] = [];
  #sequence = 0;
  readonly #listeners = new Set<(request: LoggedRequest) => void>();

  /** Newest first. */
  get all(): LoggedRequest[] {
    const entries = [...this.#product, ...this.#control].toSorted((a, b) => b.sequence - a.sequence);
    return entries.map(({ request }) => request);
  }

  get(id: string): LoggedRequest | undefined {
    const wanted = ({ request }: Entry): boolean => request.id === id;
    return (this.#product.findLast(wanted) ?? this.#control.findLast(wanted))?.request;
  }

  add(request: LoggedRequest): void {
    const ring = isWatching(request.path) ? this.#control : this.#product;
    ring.push({ sequence: this.#sequence++, request });
    // Cut seldom, so that it costs little each time.
    if (ring.length >= 2 * MAX_ENTRIES) ring.splice(0, ring.length - MAX_ENTRIES);
    for (const listener of this.#listeners) listener(request);
  }

  /** Calls back with each request, until the function that is returned is called. */
  subscribe(listener: (request: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
