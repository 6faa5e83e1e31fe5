import { Authorize } from "../../../wire/product/inputs.ts";
import { PRODUCT_ROUTES } from "../../../wire/product/routes.ts";
import type { RouteDefinition } from "../../../wire/route.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { HandlersOf } from "../dispatch.ts";

/** The routes of the specification, and steps of its sign-in that it does not name. */
export const PRODUCT_ROWS = {
  ...PRODUCT_ROUTES,
  /** The second hop of a browser that asked another host to sign it in at a real provider. */
  "GET /__svc/begin": { on: ["front"], key: "none", isNavigation: true, hasEffect: true, query: Authorize },
  /** The CORS preflight for the key's header. */
  "OPTIONS /api/v1/instances/search": { on: ["front", "api", "instance"], key: "none", isPublic: true },
} as const satisfies Readonly<Record<string, Partial<RouteDefinition>>>;

type Rows = typeof PRODUCT_ROWS;
type Below<Path extends string> = `${string} ${Path}` | `${string} ${Path}/${string}`;
/** The handlers of the routes below a path. */
export type ProductHandlers<Path extends string> = HandlersOf<
  Pick<Rows, Extract<keyof Rows, Below<Path>>>,
  InstanceRecord
>;
