import { ERRORS } from "../../wire/errors.ts";
import { StorageUnavailable, type Store } from "../store/store.ts";
import type { Incoming } from "./incoming.ts";
import { json, plain, type Reply } from "./reply.ts";

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

/** For load balancers and Prometheus, which ask by address: answered for every `Host`, without a key. */
export interface Monitoring {
  /** The process is running. */
  live(): Reply;
  /** 200 if the store can be read and written and no shutdown has begun, otherwise 503 with a code. */
  ready(): Promise<Reply>;
  /** In the text format of Prometheus; undefined if metrics are off. */
  readonly metrics: (() => Promise<Reply>) | undefined;
}

/** The metrics of a process, as text. */
export type RenderMetrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

export function createMonitoring(
  store: Pick<Store, "probe">,
  isStopping: () => boolean,
  render: RenderMetrics | undefined,
): Monitoring {
  let found: { readonly at: number; readonly fault: Promise<Unavailable | undefined> } | undefined;

  return {
    live: () => json({ status: "ok" }),
    metrics: render && (async () => plain(await render())),
    async ready() {
      if (isStopping())
        return json(unavailable("shutting_down", "The server is shutting down."), ERRORS.storage_unavailable.status);
      const now = performance.now();
      if (!found || now - found.at > FRESH_MS) found = { at: now, fault: faultOf(store) };
      const fault = await found.fault;
      return fault ? json(fault, ERRORS.storage_unavailable.status, { "retry-after": "1" }) : json({ status: "ok" });
    },
  };
}

/** @returns undefined if the request is for something else */
export function monitoringRoute(
  { method, target }: Incoming,
  { live, ready, metrics }: Monitoring,
): { route: string; answer: () => Reply | Promise<Reply> } | undefined {
  // Most requests are for something else.
  if (!target.startsWith("/__svc/")) return undefined;
  const route = target.split("?", 1)[0]!;
  const answer = { [LIVE]: live, [READY]: ready, [METRICS]: metrics }[route];
  if (!answer) return undefined;
  if (method !== "GET" && method !== "HEAD") {
    const { status, error } = ERRORS.method_not_allowed;
    return { route, answer: () => json({ error }, status, { allow: "GET, HEAD" }) };
  }
  return { route, answer };
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
