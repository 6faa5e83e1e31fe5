import { randomBytes } from "node:crypto";
import { defineLazyEventHandler, type H3 } from "h3";
import { CLOCK_HEADER, CONTROL_BASE } from "../../wire/control/paths.ts";
import { Refusal } from "../errors.ts";
import { admitted } from "../http/context.ts";
import { addRoutes } from "../http/dispatch.ts";
import type { Store } from "../store/store.ts";
import { checkControlKey, createControlKey, createDashboardKeys } from "./keys.ts";
import type { ControlDeps } from "./deps.ts";
import { publicRoutes } from "./public.ts";

export type ControlOptions = ReturnType<typeof controlOptions>;

/**
 * The keys of the control API, and when it ends.
 * @param key from the configuration; default: a new one
 * @param closing aborts when the server closes
 * @throws {ServeError} if the key could be guessed
 */
export function controlOptions(store: Store, key: string | undefined, closing: AbortSignal) {
  return {
    controlKey: key === undefined ? createControlKey() : checkControlKey(key),
    dashboardKeys: createDashboardKeys(store, () => store.now?.() ?? new Date()),
    closing,
  };
}

type Parts = Omit<ControlDeps, "process" | keyof ControlOptions>;

/** Mounts the control API, which is loaded with the first request to it, the OpenAPI document and the dashboard. */
export function mountControl(app: H3, parts: Parts, options: ControlOptions): void {
  const deps: ControlDeps = {
    ...parts,
    ...options,
    process: `process_${randomBytes(6).toString("base64url")}`,
  };
  const api = defineLazyEventHandler(async () => (await import("./app.ts")).createControlApp(deps));
  app.all(`${CONTROL_BASE}/**`, async (event) => {
    const request = admitted(event);
    if (request.scope.kind !== "front") throw new Refusal("not_found");
    const reply = await api(event);
    // After the handler, which may have moved the clock or waited while another call did.
    request.headers[CLOCK_HEADER] = JSON.stringify(deps.shared.clock.read());
    return reply;
  });
  const routes = publicRoutes(parts.addresses.front);
  const rows = Object.fromEntries(Object.keys(routes).map((route) => [route, {}]));
  addRoutes(app, { base: "", on: ["front"], routes: rows }, routes);
}
