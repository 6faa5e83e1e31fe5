const IDLE_MS = 1000;
/** Between compactions that fail: each attempt may take the last free space for a moment, and then no change is written. */
const RETRY_MS = 60_000;
const COMPACT_BYTES = 8 << 20;

interface CompactorOptions {
  /** The lengths of the journal and of the document, in bytes, and whether an earlier compaction is unfinished. */
  look(): { readonly journal: number; readonly document: number; readonly hasOld: boolean };
  compact(): Promise<void>;
  /** Told of the first of several failures in a row. */
  onFailure(error: unknown): void;
}

/** Decides when the journal is compacted: when it has grown long, and when nothing happens. */
export class Compactor {
  readonly #options: CompactorOptions;
  #running: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** No compaction starts by itself before this time. 0 if the last one did not fail. */
  #retryAt = 0;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** To be called whenever there is more to compact. */
  plan(): void {
    clearTimeout(this.#idle);
    const { journal, document, hasOld } = this.#options.look();
    const isLong = journal > Math.max(COMPACT_BYTES, document);
    const wait = Math.max(isLong ? 0 : IDLE_MS, this.#retryAt - performance.now());
    if (wait === 0) {
      this.#start();
    } else if (isLong || hasOld || journal * 8 > document) {
      this.#idle = setTimeout(() => this.#start(), wait);
      this.#idle.unref();
    }
  }

  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Stops it, with a last compaction if that is wanted. */
  async close(isWanted: () => boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#running;
    if (isWanted()) await this.#compact();
  }

  #start(): void {
    this.#running ??= this.#compactAndPlan();
  }

  async #compactAndPlan(): Promise<void> {
    await this.#compact();
    this.#running = undefined;
    // What came meanwhile may be enough for the next.
    if (!this.#isClosed) this.plan();
  }

  /** A compaction that fails loses nothing: the journal stays until one succeeds. */
  async #compact(): Promise<void> {
    const isRetry = this.#retryAt > 0;
    try {
      await this.#options.compact();
      this.#retryAt = 0;
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      if (!isRetry) this.#options.onFailure(error);
    }
  }
}
