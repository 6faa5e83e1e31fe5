import { H3 } from "h3";
import { CLOCK_HEADER, CONTROL_BASE } from "../../wire/control/paths.ts";
import { CONTROL_API, type CONTROL_ROUTES } from "../../wire/control/routes.ts";
import { ApiError } from "../errors.ts";
import { addRoutes, type Call, type HandlersOf } from "../http/dispatch.ts";
import { setHeaders } from "../http/respond.ts";
import { check } from "./check.ts";
import type { ControlDeps, Handlers } from "./deps.ts";
import { guard } from "./guard.ts";
import { clockRoutes } from "./routes/clock.ts";
import { flowRoutes } from "./routes/flows.ts";
import { instanceRoutes } from "./routes/instances.ts";
import { personaRoutes } from "./routes/personas.ts";
import { requestRoutes } from "./routes/requests.ts";
import { scenarioRoutes } from "./routes/scenarios.ts";
import { stateRoutes } from "./routes/state.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { userRoutes } from "./routes/users.ts";

const HANDLERS: Handlers = {
  ...stateRoutes,
  ...instanceRoutes,
  ...userRoutes,
  ...personaRoutes,
  ...tokenRoutes,
  ...scenarioRoutes,
  ...clockRoutes,
  ...flowRoutes,
  ...requestRoutes,
};

/**
 * The control API, as an application of its own. The key is checked first: without one, a caller does not even learn which
 * routes exist.
 */
export function createControlApp(deps: ControlDeps): H3 {
  const app = new H3();
  addRoutes(app, CONTROL_API, handlersWith(deps), {
    async admit(event, row) {
      await guard(event, deps, row?.key !== "none");
      return undefined;
    },
    check,
  });
  return app.all(`${CONTROL_BASE}/**`, async (event) => {
    await guard(event, deps, true);
    throw new ApiError("not_found", "the control API has no such route; see /__svc/docs");
  });
}

function handlersWith(deps: ControlDeps): HandlersOf<typeof CONTROL_ROUTES, undefined> {
  const handlers = Object.entries(HANDLERS).map(([route, handle]) => [
    route,
    async (call: Call) => {
      const result = await (handle as (call: Call, deps: ControlDeps) => unknown)(call, deps);
      // After the handler, which may have moved the clock or waited while another call did.
      setHeaders(call.event, { [CLOCK_HEADER]: JSON.stringify(deps.shared.clock.read()) });
      return result;
    },
  ]);
  return Object.fromEntries(handlers) as HandlersOf<typeof CONTROL_ROUTES, undefined>;
}
