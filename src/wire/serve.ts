/** S-V-C on a phone. */
export const DEFAULT_PORT = 7820;

/** What `svc serve` reads in its directory, and `svc init` writes. */
export const CONFIG_FILE = "svc.config.json";

/** From the least to the most important. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * How providers without credentials are treated. `auto`: simulated if only this machine can reach the server, otherwise
 * off. `real`: off. `simulated`: every provider is simulated, even with credentials.
 */
export const PROVIDERS_MODES = ["auto", "real", "simulated"] as const;
export type ProvidersMode = (typeof PROVIDERS_MODES)[number];
