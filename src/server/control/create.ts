import { randomBytes } from "node:crypto";
import { checkControlKey, createControlKey } from "./control-key.ts";
import { createDashboardKeys } from "./dashboard-keys.ts";
import type { ControlDeps } from "./deps.ts";
import { Jobs } from "./jobs.ts";
import type { Reply } from "../http/reply.ts";
import type { AppRequest } from "../http/request.ts";
import type { Store } from "../store/store.ts";

export type ControlOptions = ReturnType<typeof controlOptions>;

/**
 * The keys of the control API, and when it ends.
 * @param key from the configuration; default: a new one
 * @param closing aborts when the server closes
 * @throws {ServeError} if the key could be guessed
 */
export function controlOptions(store: Store, key: string | undefined, closing: AbortSignal) {
  return {
    controlKey: key === undefined ? createControlKey() : checkControlKey(key),
    dashboardKeys: createDashboardKeys(store, () => new Date()),
    closing,
  };
}

type Parts = Omit<ControlDeps, "jobs" | "process" | keyof ControlOptions>;

/** The control API. Its schemas are loaded with the first request to it. */
export function createControl(
  parts: Parts,
  options: ControlOptions,
): (request: AppRequest, method: string) => Promise<Reply> {
  const deps: ControlDeps = {
    ...parts,
    ...options,
    jobs: new Jobs({
      store: parts.store,
      realNow: parts.live.clock.real,
      closing: options.closing,
      onBug: (error) => parts.onBug(error),
    }),
    process: `process_${randomBytes(6).toString("base64url")}`,
  };
  return async (request, method) => (await import("./answer.ts")).answerControl(request, method, deps);
}
