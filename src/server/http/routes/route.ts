import type { Addresses, Scope } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import type { Positions } from "../positions.ts";
import type { Reply } from "../reply.ts";
import type { AppRequest } from "../request.ts";
import type { BeginDeps } from "../../sign-in/begin.ts";
import type { CompleteDeps } from "../../sign-in/complete.ts";
import type { Decide } from "../../simulator/answer.ts";
import type { Simulator } from "../../simulator/index.ts";
import type { Store } from "../../store/store.ts";
import type { Tokens } from "../../token.ts";

/** What the routes depend on. */
export interface RouteDeps extends BeginDeps, CompleteDeps {
  readonly store: Store;
  readonly addresses: Addresses;
  readonly instances: Instances;
  readonly tokens: Tokens;
  readonly positions: Positions;
  readonly simulator: Simulator;
  readonly decide: Decide | undefined;
  /** Whether only this machine can reach the server. */
  readonly isLocal: boolean;
  /** Known only to this process and the file that it wrote. */
  readonly identitySecret: string;
  now(): Date;
  /** Called with every bug. */
  onBug(error: unknown, request_id?: string): void;
}

export interface RouteDefinition {
  /** The hosts that serve it. */
  readonly on: readonly Scope["kind"][];
  /** Whether a GET saves or uses up something. Then HEAD, which must not change anything, is refused. */
  readonly hasEffect?: true;
  handle(request: AppRequest, deps: RouteDeps): Reply | Promise<Reply>;
}
