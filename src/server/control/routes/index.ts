import type { Handlers } from "../deps.ts";
import { clockRoutes } from "./clock.ts";
import { flowRoutes } from "./flows.ts";
import { instanceRoutes } from "./instances.ts";
import { personaRoutes } from "./personas.ts";
import { requestRoutes } from "./requests.ts";
import { scenarioRoutes } from "./scenarios.ts";
import { stateRoutes } from "./state.ts";
import { tokenRoutes } from "./tokens.ts";
import { userRoutes } from "./users.ts";

export const HANDLERS: Handlers = {
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
