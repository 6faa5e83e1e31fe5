import type { RequestLog } from "../flows/request-log.ts";
import type { RouteDeps } from "../http/routes/route.ts";
import type { Live } from "../live/live.ts";
import type { DashboardKeys } from "./dashboard-keys.ts";
import type { Jobs } from "./jobs.ts";

/** The parts of the service that the control API reads and changes. */
export interface ControlDeps extends RouteDeps {
  readonly controlKey: string;
  readonly dashboardKeys: DashboardKeys;
  /** The state that can be changed while the service runs. */
  readonly live: Live;
  readonly requests: RequestLog;
  readonly jobs: Jobs;
  /** Identifies this process in flows and requests. */
  readonly process: string;
  /** Aborts when the server closes: streams must not keep it open. */
  readonly closing: AbortSignal;
}
