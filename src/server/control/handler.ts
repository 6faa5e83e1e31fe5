import type { CONTROL_ROUTES } from "../../wire/control/routes.ts";
import type { ControlRoute } from "../../wire/control/types.ts";
import type { Answer, Call } from "../http/dispatch.ts";
import type { ControlDeps } from "./deps.ts";

type Rows = typeof CONTROL_ROUTES;

/** The handler of each route. */
export type Handlers = {
  readonly [Route in ControlRoute]: (
    call: Call<Rows[Route], undefined, Route>,
    deps: ControlDeps,
  ) => Answer<Rows[Route]>;
};

/** The handlers of one noun. */
export type HandlersOf<Path extends string> = Pick<
  Handlers,
  Extract<ControlRoute, `${string} ${Path}` | `${string} ${Path}/${string}`>
>;
