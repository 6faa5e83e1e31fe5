import type { Handlers } from "../deps.ts";
import { browserRoutes, outcomeRoutes, scenarioRoutes } from "./scenarios.ts";
import { clockRoutes } from "./clock.ts";
import { connectionRoutes } from "./connections.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { eventRoutes } from "./events.ts";
import { flowRoutes } from "./flows.ts";
import { instanceRoutes } from "./instances.ts";
import { keyRoutes } from "./keys.ts";
import { personaRoutes } from "./personas.ts";
import { requestRoutes } from "./requests.ts";
import { resetRoutes, stateRoutes } from "./state.ts";
import { seedRoutes } from "./seed.ts";
import { sessionRoutes } from "./sessions.ts";
import { signInRoutes } from "./sign-ins.ts";
import { snapshotRoutes } from "./snapshots.ts";
import { tokenRoutes } from "./tokens.ts";
import { userRoutes } from "./users.ts";

export const HANDLERS: Handlers = {
  ...stateRoutes,
  ...instanceRoutes,
  ...keyRoutes,
  ...connectionRoutes,
  ...userRoutes,
  ...sessionRoutes,
  ...personaRoutes,
  ...tokenRoutes,
  ...signInRoutes,
  ...outcomeRoutes,
  ...scenarioRoutes,
  ...browserRoutes,
  ...clockRoutes,
  ...snapshotRoutes,
  ...resetRoutes,
  ...seedRoutes,
  ...flowRoutes,
  ...requestRoutes,
  ...eventRoutes,
  ...dashboardRoutes,
};
