import { ApiError } from "../../errors.ts";
import { dashboardLink } from "../dashboard-keys.ts";
import type { Handlers } from "../deps.ts";

export const dashboardRoutes: Pick<
  Handlers,
  "POST /dashboard-links" | "POST /dashboard-keys" | "DELETE /dashboard-keys"
> = {
  "POST /dashboard-links": async (_, { dashboardKeys, addresses }) => ({
    url: await dashboardLink(dashboardKeys, addresses, false),
  }),

  "POST /dashboard-keys": async ({ body }, { dashboardKeys }) => {
    const key = await dashboardKeys.redeem(body.code);
    if (!key) throw new ApiError("unauthorized", "the link was used, or has expired; ask for another one");
    return key;
  },

  "DELETE /dashboard-keys": async (_, { dashboardKeys }) => {
    await dashboardKeys.revokeAll();
    return { revoked: true };
  },
};
