/** What few processes need, loaded when it is asked for: with it come the validators. */
import type { ServeOptions } from "./options.ts";
import type { Maintenance } from "./store/move/index.ts";

/** What can be done with a store beside serving it. @param warn receives what is worth knowing and stops nothing */
export async function openMaintenance(warn: (message: string) => void): Promise<Maintenance> {
  return (await import("./store/move/index.ts")).createMaintenance(warn);
}

/** Reads the text of a `svc.config.json`. @throws {ServeError} listing every fault with its path */
export async function parseConfig(source: string, name: string): Promise<ServeOptions> {
  return (await import("./config.ts")).parseConfig(source, name);
}
