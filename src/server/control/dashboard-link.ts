import type { Addresses } from "../instances/addresses.ts";
import type { DashboardKeys } from "./dashboard-keys.ts";

/** A link that opens the dashboard once. The code stands behind the #, so that no server logs it. */
export async function dashboardLink(keys: DashboardKeys, { front }: Addresses, isFirst: boolean): Promise<string> {
  return `${front}/__svc/#code=${await keys.createCode(isFirst)}`;
}
