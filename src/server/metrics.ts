import { setTimeout as delay } from "node:timers/promises";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { SIGN_IN_ERRORS } from "../wire/errors.ts";
import { PROVIDERS } from "../wire/providers.ts";
import type { AuditEntry } from "./http/audit-entry.ts";
import { PROBES, type Readiness, type RenderMetrics } from "./http/any-host.ts";
import { REFUSALS, type RequestEntry } from "./http/request-entry.ts";
import type { Store } from "./store/store.ts";

/** From a read in memory to a database just before its timeout. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

const PATIENCE_MS = 500;
const NO_ANSWER = { code: "store_unavailable" };

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
  const refusals = new Counter({
    name: "svc_requests_refused_total",
    help: "Callbacks without an open sign-in, and requests with a secret key that is not valid here",
    labelNames: ["reason"],
    registers,
  });
  // A rate needs a value before the first one.
  for (const reason of REFUSALS) refusals.inc({ reason }, 0);
  const signIns = new Counter({
    name: "svc_sign_ins_total",
    help: "Sign-ins that ended, by their outcome",
    labelNames: ["provider", "outcome"],
    registers,
  });
  for (const provider of PROVIDERS)
    for (const outcome of ["success", ...Object.keys(SIGN_IN_ERRORS)]) signIns.inc({ provider, outcome }, 0);
  const commits = new Histogram({
    name: "svc_store_commit_duration_seconds",
    help: "Time until a write was durable; of a file store one sync, which serves all writes that arrive together",
    buckets: COMMIT_SECONDS,
    registers,
  });
  const pruned = new Counter({
    name: "svc_sessions_pruned_total",
    help: "Sessions that were deleted because they were old",
    registers,
  });

  return {
    onRequest({ method, route, status, ms, sign_in, refused }: RequestEntry): void {
      // Of balancers and Prometheus: they would hide how few of the users' requests there are.
      if (route !== null && PROBES.has(route)) return;
      if (refused) refusals.inc({ reason: refused });
      const labels = { method, route: route ?? "none" };
      requests.inc({ ...labels, status });
      durations.observe(labels, ms / 1000);
      if (sign_in) signIns.inc({ provider: sign_in.provider, outcome: sign_in.outcome });
    },
    onAudit({ action, count }: AuditEntry): void {
      if (action === "sessions_pruned") pruned.inc(count);
    },
    /** @param seconds until a write was durable */
    onCommit: (seconds: number): void => commits.observe(seconds),
    /** Reads the state of the store whenever the metrics are asked for. */
    watch(store: Store, readiness: Pick<Readiness, "fault">): void {
      /** @param read undefined if the store does not tell it */
      const gauge = (name: string, help: string, read: (() => number) | undefined): void => {
        if (!read) return;
        const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
      };
      const ready: Gauge<"code"> = new Gauge({
        name: "svc_ready",
        help: "1 if the server is ready, otherwise 0; code is that of /__svc/health/ready",
        labelNames: ["code"],
        registers,
        async collect() {
          // Prometheus must not take a server for dead because its database does not answer.
          const fault = await Promise.race([readiness.fault(), delay(PATIENCE_MS, NO_ANSWER, { ref: false })]);
          ready.reset();
          ready.set({ code: fault?.code ?? "ok" }, fault ? 0 : 1);
        },
      });
      const { connections, hangingCommits, clockAheadMs, timeouts, journalBytes } = store;
      const ofConnections = (name: "most" | "inUse" | "waiting") => connections && (() => connections()[name]);
      gauge("svc_store_journal_bytes", "Changes of a file store that are not in its db.json", journalBytes);
      gauge("svc_store_connections_max", "The most connections to the database for requests", ofConnections("most"));
      gauge("svc_store_connections_in_use", "Connections to the database that are in use", ofConnections("inUse"));
      gauge(
        "svc_store_connections_waiting",
        "Statements that wait for a connection to the database",
        ofConnections("waiting"),
      );
      gauge(
        "svc_store_hanging_commits",
        "Commits of all servers that have waited for a synchronous standby for more than a second",
        hangingCommits,
      );
      gauge(
        "svc_store_clock_difference_seconds",
        "How far this machine's clock is ahead of the database's",
        clockAheadMs && (() => clockAheadMs() / 1000),
      );
      if (timeouts) {
        const counter: Counter = new Counter({
          name: "svc_store_timeouts_total",
          help: "Statements that ran into their time limit, or waited too long for a lock",
          registers,
          collect() {
            counter.reset();
            counter.inc(timeouts());
          },
        });
      }
    },
    render: (async () => ({
      contentType: register.contentType,
      text: await register.metrics(),
    })) satisfies RenderMetrics,
  };
}
