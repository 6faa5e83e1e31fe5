import type { H3Event } from "h3";
import { ERRORS } from "../../wire/errors.ts";
import { StorageUnavailable, type Store } from "../store/store.ts";
import type { OpenAnswer } from "./any-host.ts";
import { json, setHeaders } from "./respond.ts";

/** One answer is reused for this long: requests need no key, so each of them must not reach the store. */
const FRESH_MS = 1_000;

export const LIVE = "/__svc/health/live";
export const READY = "/__svc/health/ready";
export const METRICS = "/__svc/metrics";

/** Why a server should get no requests, with a code for programs. */
interface Unavailable {
  readonly status: "unavailable";
  readonly code: string;
  readonly error: string;
}

/** The metrics of a process, as text in the format of Prometheus. */
export type RenderMetrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

export interface MonitoringDeps {
  readonly store: Pick<Store, "probe">;
  /** Whether a shutdown has begun. */
  isStopping(): boolean;
  /** Undefined if metrics are off. */
  readonly renderMetrics: RenderMetrics | undefined;
}

/** For load balancers and Prometheus, which ask by address. */
export function monitoringAnswers({ store, isStopping, renderMetrics }: MonitoringDeps): Map<string, OpenAnswer> {
  let found: { readonly at: number; readonly fault: Promise<Unavailable | undefined> } | undefined;

  const answers = new Map<string, OpenAnswer>();
  const add = (path: string, answer: (event: H3Event) => unknown): unknown =>
    answers.set(path, { route: path, answer });
  add(LIVE, (event) => json(event, { status: "ok" }));
  add(READY, async (event) => {
    const { status } = ERRORS.storage_unavailable;
    if (isStopping()) return json(event, unavailable("shutting_down", "The server is shutting down."), status);
    const now = performance.now();
    if (!found || now - found.at > FRESH_MS) found = { at: now, fault: faultOf(store) };
    const fault = await found.fault;
    if (!fault) return json(event, { status: "ok" });
    setHeaders(event, { "retry-after": "1" });
    return json(event, fault, status);
  });
  if (renderMetrics)
    add(METRICS, async (event) => {
      const { contentType, text } = await renderMetrics();
      setHeaders(event, { "content-type": contentType });
      return text;
    });
  return answers;
}

async function faultOf(store: Pick<Store, "probe">): Promise<Unavailable | undefined> {
  try {
    await store.probe();
    return undefined;
  } catch (error) {
    if (error instanceof StorageUnavailable) return unavailable(error.code, error.message);
    return unavailable("store_unavailable", "The store failed. See the server's log.");
  }
}

function unavailable(code: string, error: string): Unavailable {
  return { status: "unavailable", code, error };
}
