import { H3 } from "h3";
import { CONTROL_BASE } from "../../wire/control/paths.ts";
import { CONTROL_API, type CONTROL_ROUTES } from "../../wire/control/routes.ts";
import { Refusal } from "../errors.ts";
import { addRoutes, type HandlersOf } from "../http/dispatch.ts";
import { check } from "./check.ts";
import type { ControlDeps } from "./deps.ts";
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

/**
 * The control API, as an application of its own. The key is checked first: without one, a caller does not even learn which
 * routes exist.
 */
export function createControlApp(deps: ControlDeps): H3 {
  const app = new H3();
  const handlers: HandlersOf<typeof CONTROL_ROUTES, undefined> = {
    ...stateRoutes(deps),
    ...instanceRoutes(deps),
    ...userRoutes(deps),
    ...personaRoutes(deps),
    ...tokenRoutes(deps),
    ...scenarioRoutes(deps),
    ...clockRoutes(deps),
    ...flowRoutes(deps),
    ...requestRoutes(deps),
  };
  addRoutes(app, CONTROL_API, handlers, {
    async accessOf(event, row) {
      await guard(event, deps, row?.key !== "none");
      return {};
    },
    check,
  });
  return app.all(`${CONTROL_BASE}/**`, async (event) => {
    await guard(event, deps, true);
    throw new Refusal("not_found", "the control API has no such route; see /__svc/openapi.json");
  });
}
