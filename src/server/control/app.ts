import { H3 } from "h3";
import { CONTROL_BASE } from "../../wire/control/paths.ts";
import { CONTROL_API, type CONTROL_ROUTES } from "../../wire/control/routes.ts";
import { Refusal } from "../errors.ts";
import { addRoutes, type HandlersOf } from "../http/dispatch.ts";
import { check } from "./check.ts";
import type { ControlDeps } from "./deps.ts";
import { guard } from "./guard.ts";
import { clientRoutes } from "./routes/clients.ts";
import { clockRoutes } from "./routes/clock.ts";
import { connectionRoutes } from "./routes/connections.ts";
import { dashboardRoutes } from "./routes/dashboard.ts";
import { flowRoutes } from "./routes/flows.ts";
import { instanceRoutes } from "./routes/instances.ts";
import { keyRoutes } from "./routes/keys.ts";
import { personaRoutes } from "./routes/personas.ts";
import { requestRoutes } from "./routes/requests.ts";
import { resetRoutes } from "./routes/reset.ts";
import { scenarioRoutes } from "./routes/scenarios.ts";
import { seedRoutes } from "./routes/seed.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { signInRoutes } from "./routes/sign-ins.ts";
import { snapshotRoutes } from "./routes/snapshots.ts";
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
    ...clientRoutes(deps),
    ...clockRoutes(deps),
    ...connectionRoutes(deps),
    ...dashboardRoutes(deps),
    ...flowRoutes(deps),
    ...instanceRoutes(deps),
    ...keyRoutes(deps),
    ...personaRoutes(deps),
    ...requestRoutes(deps),
    ...resetRoutes(deps),
    ...scenarioRoutes(deps),
    ...seedRoutes(deps),
    ...sessionRoutes(deps),
    ...signInRoutes(deps),
    ...snapshotRoutes(deps),
    ...stateRoutes(deps),
    ...tokenRoutes(deps),
    ...userRoutes(deps),
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
