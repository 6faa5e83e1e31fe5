import { LRUCache } from "lru-cache";
import type { WayBack } from "../errors.ts";

const MAX_KEPT = 1000;

/** The latest sign-ins that this process finished, for the error that a repeated callback gets. */
export class FinishedSignIns {
  /** Read without updating recency, so that the oldest is dropped first. */
  readonly #signIns = new LRUCache<string, { readonly wayBack: WayBack | undefined }>({ max: MAX_KEPT });

  add(state: string, wayBack: WayBack | undefined): void {
    this.#signIns.set(state, { wayBack });
  }

  has(state: string): boolean {
    return this.#signIns.has(state);
  }

  /** The application that the sign-in was for. */
  wayBack(state: string): WayBack | undefined {
    return this.#signIns.peek(state)?.wayBack;
  }
}
