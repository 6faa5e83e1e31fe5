import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { Refusal } from "../../errors.ts";
import { dashboardLink } from "../keys.ts";

export const dashboardRoutes = (deps: ControlDeps): ControlHandlers<"/dashboard-links" | "/dashboard-keys"> => ({
  "POST /dashboard-links": async () => ({
    url: await dashboardLink(deps.dashboardKeys, deps.addresses, false),
  }),

  "POST /dashboard-keys": async ({ body }) => {
    const key = await deps.dashboardKeys.redeem(body.code);
    if (!key) throw new Refusal("unauthorized", "the link was used, or has expired; ask for another one");
    return key;
  },

  "DELETE /dashboard-keys": async ({ event }) => {
    await deps.dashboardKeys.revokeAll();
    deps.audit(event, { action: "dashboard_keys_revoked" });
    return { revoked: true };
  },
});
