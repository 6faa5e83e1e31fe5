import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RequestEntry } from "./http/request-entry.ts";
import type { RenderMetrics } from "./http/monitoring.ts";
import type { Store } from "./store/store.ts";

/** From a read in memory to a database just before its timeout. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

export type Metrics = Awaited<ReturnType<typeof createMetrics>>;

/**
 * What a process counts of itself, named as Prometheus advises, with what every Node process does: memory, CPU, handles
 * and the event loop's delay.
 */
export async function createMetrics() {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: "svc_http_requests_total",
    help: "Requests answered",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "svc_http_request_duration_seconds",
    help: "Time until an answer was ready to be sent",
    labelNames: ["method", "route"],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const signIns = new Counter({
    name: "svc_sign_ins_total",
    help: "Sign-ins that ended, by their outcome",
    labelNames: ["provider", "outcome"],
    registers,
  });
  const commits = new Histogram({
    name: "svc_store_commit_duration_seconds",
    help: "Time until a write was durable; of a file store one sync, which serves all writes that arrive together",
    buckets: COMMIT_SECONDS,
    registers,
  });

  return {
    onRequest({ method, route, status, ms, sign_in }: RequestEntry): void {
      const labels = { method, route: route ?? "none" };
      requests.inc({ ...labels, status });
      durations.observe(labels, ms / 1000);
      if (sign_in) signIns.inc({ provider: sign_in.provider, outcome: sign_in.outcome });
    },
    /** @param seconds until a write was durable */
    onCommit: (seconds: number): void => commits.observe(seconds),
    /** Reads the store's connections whenever the metrics are asked for. */
    watch(store: Pick<Store, "connections">): void {
      if (!store.connections) return;
      const pool = new Gauge({
        name: "svc_store_connections",
        help: "Connections to the database: the most there can be, and those in use",
        labelNames: ["state"],
        registers,
        collect(): void {
          const { most, inUse } = store.connections!();
          pool.set({ state: "most" }, most);
          pool.set({ state: "in_use" }, inUse);
        },
      });
      const waiting: Gauge = new Gauge({
        name: "svc_store_connections_waiting",
        help: "Statements that wait for a connection to the database",
        registers,
        collect(): void {
          waiting.set(store.connections!().waiting);
        },
      });
    },
    render: (async () => ({
      contentType: register.contentType,
      text: await register.metrics(),
    })) satisfies RenderMetrics,
  };
}
