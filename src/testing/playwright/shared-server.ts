import { ServeError } from "../../server/errors.ts";
import type { SvcWorker } from "./fixtures.ts";

/**
 * The server that all workers use, if the environment names one.
 * @throws {ServeError} for an address without a key, and a key without an address
 */
export function sharedServer(env: Readonly<Record<string, string | undefined>>): SvcWorker["shared"] {
  const { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: controlKey } = env;
  if (url !== undefined && controlKey !== undefined) return { url, controlKey };
  if (url === undefined && controlKey === undefined) return undefined;
  const [set, missing] = url === undefined ? ["KEY", "URL"] : ["URL", "KEY"];
  throw new ServeError(
    `SVC_CONTROL_${set} is set without SVC_CONTROL_${missing}. Set both to share a server, or neither to start one for each worker.`,
  );
}
