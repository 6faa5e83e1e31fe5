/** Start the service inside a program or a test. */
export { embed, type EmbeddedServer, type EmbedOptions } from "./embed.ts";
export { serve, type RunningServer, type ServeOptions } from "./serve.ts";
export { credentialsFromEnv, joinCredentials, type Credentials } from "./providers/credentials.ts";
export { PortUnavailable, SeedError, ServeError } from "./errors.ts";
export { defineSeed, type SeedInput } from "./seed/define.ts";
export { StoreRefused } from "./store/store.ts";
export { openMaintenance, parseConfig } from "./lazy.ts";
export type { Compaction, Copy, Digests, Filled, Maintenance, Repair } from "./store/move/index.ts";
export type { Migration, StoreCheck } from "./store/maintenance.ts";
export { LOG_LEVELS, type LogLevel, type RequestEntry } from "./http/entry.ts";
export type { ProvidersMode } from "./providers/connections.ts";
export type { ConnectionRecord, InstanceRecord } from "./store/records.ts";
