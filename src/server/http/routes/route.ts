import type { Scope } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import type { Positions } from "../positions.ts";
import type { Reply } from "../reply.ts";
import type { AppRequest } from "../request.ts";
import type { Offers } from "../../providers/offers.ts";
import type { AnswerDeps } from "../../simulator/answer.ts";
import type { Tokens } from "../../token.ts";

/** What the routes depend on. */
export interface RouteDeps extends AnswerDeps {
  readonly instances: Instances;
  readonly offers: Offers;
  readonly tokens: Tokens;
  readonly positions: Positions;
  /** Known only to this process and the file that it wrote. */
  readonly identitySecret: string;
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
