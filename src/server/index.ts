import type { ServeOptions } from "./options.ts";
import type { Credentials } from "./providers/offers.ts";
import type { Maintenance } from "./store/move/index.ts";

/** Start the service inside a program or a test. */
export { embed, type EmbeddedServer, type EmbedOptions } from "./embed.ts";
export type { RunningServer, ServeOptions } from "./options.ts";
export { checkPort, serve } from "./start.ts";
export { credentialsFromEnv, joinCredentials } from "./providers/offers.ts";
export type { Credentials };
export { PortUnavailable, SeedError, ServeError } from "./errors.ts";
export { defineSeed, type SeedInput } from "./seed/apply.ts";
export { RESERVED_SUBDOMAINS } from "./instances/addresses.ts";
export { checkEntry as checkRedirectEntry } from "./sign-in/redirect-rule.ts";
export { seedPersona } from "./simulator/typed-account.ts";
export { storeHosts } from "./store/open.ts";
export { StoreRefused } from "./store/store.ts";
export type { Copy, Digests, Exported, Filled, Maintenance } from "./store/move/index.ts";
export type { Migration, StoreCheck } from "./store/maintenance.ts";
export { LOG_LEVELS, type LogLevel, type ProvidersMode } from "../wire/serve.ts";
export { withoutRequest } from "./http/audit-entry.ts";
export type { AuditAction, AuditEntry } from "./http/audit-entry.ts";
export type { RequestEntry } from "./http/request-entry.ts";
export type { ConnectionRecord, InstanceRecord } from "./store/records.ts";

// Loaded on demand, because few processes need them and they load the validators.

/** Maintains a store that is not served. @param warn called with messages that do not stop anything */
export async function openMaintenance(warn: (message: string) => void): Promise<Maintenance> {
  return (await import("./store/move/index.ts")).createMaintenance(warn);
}

/** Reads the text of a `svc.config.json`. @throws {ServeError} that lists every error with its path */
export async function parseConfig(source: string, name: string): Promise<ServeOptions> {
  return (await import("./config.ts")).parseConfig(source, name);
}

/** The token endpoints of the providers that these credentials are for. */
export async function tokenEndpoints(credentials: Credentials): Promise<string[]> {
  return (await import("./providers/connections.ts")).tokenEndpoints(credentials);
}
