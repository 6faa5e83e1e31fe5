import type { BeginDeps } from "../sign-in/begin.ts";
import type { CompleteDeps } from "../sign-in/complete.ts";
import type { Simulator } from "./simulator.ts";

/** What a whole sign-in depends on. */
export interface HeadlessDeps extends BeginDeps, CompleteDeps {
  readonly simulator: Simulator;
}
