import type { H3 } from "h3";
import { addRoutes, type Service } from "../dispatch.ts";
import type { PageDeps } from "./deps.ts";
import { PAGE_ROWS, pageRoutes } from "./pages.ts";
import { SIMULATOR_ROWS, simulatorRoutes, type SimulatorRouteDeps } from "./simulator.ts";

export { addProductRoutes } from "./product.ts";

/** Pages need no key, and read their queries themselves. */
export const PAGES: Service<undefined> = { admit: () => undefined, check: () => undefined };

export function addPageRoutes(app: H3, deps: PageDeps): void {
  addRoutes(app, { base: "", on: ["front", "api", "instance"], routes: PAGE_ROWS }, pageRoutes(deps), PAGES);
}

export function addSimulatorRoutes(app: H3, deps: SimulatorRouteDeps): void {
  addRoutes(app, { base: "", on: ["front"], routes: SIMULATOR_ROWS }, simulatorRoutes(deps), PAGES);
}
