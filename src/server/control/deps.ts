import type { Fetch } from "../../wire/fetch.ts";
import type { Flows } from "../flows/flows.ts";
import type { RequestLog } from "../flows/request-log.ts";
import type { RouteDeps } from "../http/routes/route.ts";
import type { Live } from "../live/index.ts";
import type { DashboardKeys } from "./dashboard-keys.ts";
import type { Jobs } from "./jobs.ts";

/** What the control API needs of the world: the service as it runs, and what it has seen. */
export interface ControlDeps extends RouteDeps {
  readonly controlKey: string;
  readonly dashboardKeys: DashboardKeys;
  /** What of the service can be changed while it runs. */
  readonly live: Live;
  readonly flows: Flows;
  readonly requests: RequestLog;
  readonly jobs: Jobs;
  /** Reaches the real providers. */
  readonly fetch: Fetch;
  /** Names this process in what it has seen. */
  readonly process: string;
  /** Ends when the server closes: streams must not keep it open. */
  readonly closing: AbortSignal;
}
