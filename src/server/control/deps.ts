import type { Flows } from "../history/flows.ts";
import type { RequestLog } from "../history/request-log.ts";
import type { ApiDeps } from "../http/routes/access.ts";
import type { SharedState } from "../shared-state/shared-state.ts";
import type { ConnectProvider } from "../providers/connections.ts";
import type { Offers } from "../providers/offers.ts";
import type { ApplicationClients } from "../simulator/clients.ts";
import type { SignIns } from "../sign-in/sign-in.ts";
import type { Decide } from "../simulator/authorization-request.ts";
import type { Simulator } from "../simulator/simulator.ts";
import type { DashboardKeys } from "./keys.ts";
import type { CONTROL_ROUTES } from "../../wire/control/routes.ts";
import type { HandlersOf as RouteHandlers } from "../http/dispatch.ts";

/** What the control API reads and changes: what the product has, and what a development server adds. */
export interface ControlDeps extends ApiDeps {
  readonly flows: Flows;
  readonly decide: Decide | undefined;
  readonly controlKey: string;
  readonly dashboardKeys: DashboardKeys;
  readonly shared: SharedState;
  readonly connect: ConnectProvider;
  readonly offers: Offers;
  readonly simulator: Simulator;
  readonly clients: ApplicationClients;
  readonly signIns: SignIns;
  readonly requests: RequestLog;
  /** Identifies this process in flows and requests. */
  readonly process: string;
  /** Aborts when the server closes: streams must not keep it open. */
  readonly closing: AbortSignal;
}

type Rows = typeof CONTROL_ROUTES;
type Below<Path extends string> = Extract<keyof Rows, `${string} ${Path}` | `${string} ${Path}/${string}`>;

/** The handlers of the routes at and below these paths, but not of those at and below the others. */
export type ControlHandlers<Path extends string, Other extends string = never> = RouteHandlers<
  Pick<Rows, Exclude<Below<Path>, Below<Other>>>,
  undefined
>;
