import type { H3Event } from "h3";
import { ERRORS } from "../../wire/errors.ts";
import type { OpenAnswer } from "./any-host.ts";
import type { Readiness } from "./readiness.ts";
import { json, setHeaders } from "./respond.ts";

export const LIVE = "/__svc/health/live";
export const READY = "/__svc/health/ready";
export const METRICS = "/__svc/metrics";

/** The metrics of a process, as text in the format of Prometheus. */
export type RenderMetrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

export interface MonitoringDeps {
  readonly readiness: Readiness;
  /** Undefined if metrics are off. */
  readonly renderMetrics: RenderMetrics | undefined;
}

/** For load balancers and Prometheus, which ask by address. */
export function monitoringAnswers({ readiness, renderMetrics }: MonitoringDeps): Map<string, OpenAnswer> {
  const answers = new Map<string, OpenAnswer>();
  const add = (path: string, answer: (event: H3Event) => unknown): unknown =>
    answers.set(path, { route: path, answer });
  add(LIVE, (event) => json(event, { status: "ok" }));
  add(READY, async (event) => {
    const fault = await readiness.fault();
    if (!fault) return json(event, { status: "ok" });
    if (fault.code !== "shutting_down") setHeaders(event, { "retry-after": "1" });
    return json(event, { status: "unavailable", ...fault }, ERRORS.storage_unavailable.status);
  });
  if (renderMetrics)
    add(METRICS, async (event) => {
      const { contentType, text } = await renderMetrics();
      setHeaders(event, { "content-type": contentType });
      return text;
    });
  return answers;
}
