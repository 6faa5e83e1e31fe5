import type { WayBack } from "../errors.ts";

const MAX_KEPT = 1000;

/** What a callback that comes a second time is told, as far as this process remembers. */
export class FinishedSignIns {
  readonly #wayBacks = new Map<string, WayBack | undefined>();

  add(state: string, wayBack: WayBack | undefined): void {
    const [oldest] = this.#wayBacks.keys();
    if (this.#wayBacks.size >= MAX_KEPT && oldest !== undefined) this.#wayBacks.delete(oldest);
    this.#wayBacks.set(state, wayBack);
  }

  has(state: string): boolean {
    return this.#wayBacks.has(state);
  }

  /** Where the application is. */
  wayBack(state: string): WayBack | undefined {
    return this.#wayBacks.get(state);
  }
}
