const BYTE_ORDER_MARK = "\ufeff";

/** A body is longer than its reader is ready to take. */
export class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";
}

/** A body on its way from a connection to its one reader. A class, because V8 keeps what literals hold for too long. */
export class Body {
  readonly #stop: (reason: Error) => void;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #limit = Infinity;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** @param stop called where the rest is not wanted */
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

  /** All of it. @throws {BodyTooLong} where it has more bytes than that, and whatever it fails with */
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
    const reason = new BodyTooLong(`longer than ${this.#limit} bytes`);
    this.fail(reason);
    this.#stop(reason);
  }
}

/** The same for what can be iterated. */
export async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) throw new BodyTooLong(`longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return textOf(chunks);
}

/** UTF-8, without a byte order mark, as `fetch` has it. A TextDecoder takes several times as long for the same. */
function textOf(chunks: Uint8Array[]): string {
  const [first = Buffer.alloc(0)] = chunks;
  const { buffer, byteOffset, byteLength } = chunks.length > 1 ? Buffer.concat(chunks) : first;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString();
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
