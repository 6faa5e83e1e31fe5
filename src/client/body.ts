import { BodyTooLong, textOf } from "../wire/body.ts";

/** A body on its way from a connection to its one reader. A class, because V8 keeps what literals hold for too long. */
export class Body {
  readonly #stop: (reason: Error) => void;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #limit = Infinity;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** @param stop called if the rest is not wanted */
  constructor(stop: (reason: Error) => void) {
    this.#stop = stop;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#limit) this.#refuse();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.end();
  }

  /** The whole body. @throws {BodyTooLong} if it has more bytes than the limit, and the error that it fails with */
  async text(limit: number): Promise<string> {
    this.#limit = limit;
    if (this.#length > limit) this.#refuse();
    if (!this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
    const chunks = this.#chunks;
    this.#chunks = [];
    if (this.#failure) throw this.#failure.error;
    return textOf(chunks);
  }

  #refuse(): void {
    const reason = new BodyTooLong(this.#limit);
    this.fail(reason);
    this.#stop(reason);
  }
}
