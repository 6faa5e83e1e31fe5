import { LRUCache } from "lru-cache";
import type { WayBack } from "../errors.ts";

const MAX_KEPT = 1000;

/** What a callback that comes a second time is told, as far as this process remembers. */
export class FinishedSignIns {
  /** Only looked into, so that the oldest is forgotten first. */
  readonly #signIns = new LRUCache<string, { readonly wayBack: WayBack | undefined }>({ max: MAX_KEPT });

  add(state: string, wayBack: WayBack | undefined): void {
    this.#signIns.set(state, { wayBack });
  }

  has(state: string): boolean {
    return this.#signIns.has(state);
  }

  /** Where the application is. */
  wayBack(state: string): WayBack | undefined {
    return this.#signIns.peek(state)?.wayBack;
  }
}
