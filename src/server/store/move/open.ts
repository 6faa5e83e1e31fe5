import type { Maintenance } from "./index.ts";

/** What can be done with a store beside serving it; loaded when it is asked for, as servers never do. */
export async function openMaintenance(): Promise<Maintenance> {
  return (await import("./index.ts")).maintenance;
}
