import { CONTROL_BASE } from "./control/paths.ts";
import { CONTROL_ROUTES } from "./control/routes.ts";
import { PRODUCT_ROUTES } from "./product/routes.ts";
import type { RouteTable } from "./route.ts";

/** Every route that is documented. */
export const APIS = {
  product: { base: "", key: "secret", on: ["front", "instance"], routes: PRODUCT_ROUTES },
  control: { base: CONTROL_BASE, key: "control", on: ["front"], routes: CONTROL_ROUTES },
} as const satisfies Readonly<Record<string, RouteTable>>;
