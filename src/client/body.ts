/** How much is taken in ahead of its reader. */
const MAX_HELD_BYTES = 65_536;

interface Source {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** A body on its way from a connection to whoever reads it, once. */
export interface Body extends AsyncIterable<Uint8Array> {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

/** @param source what the body comes from: held up while nobody reads, and ended where reading ends early */
export function createBody(source: Source): Body {
  const chunks: Uint8Array[] = [];
  let heldBytes = 0;
  let isOver = false;
  let isPaused = false;
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;

  const over = (): void => {
    isOver = true;
    wake?.();
  };
  // By hand and not as a generator, because every call comes through here.
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    // eslint-disable-next-line no-unmodified-loop-condition -- by what comes in
    while (chunks.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    if (failure) throw failure.error;
    const value = chunks.shift();
    if (!value) return { done: true, value };
    heldBytes -= value.length;
    if (isPaused && heldBytes === 0) {
      isPaused = false;
      source.resume();
    }
    return { done: false, value };
  };
  return {
    push(chunk) {
      chunks.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes > MAX_HELD_BYTES) {
        isPaused = true;
        source.pause();
      }
      wake?.();
    },
    end: over,
    fail(error) {
      failure = { error };
      over();
    },
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        if (!isOver) source.abort(new Error("the rest of the body is not wanted"));
        return { done: true, value: undefined };
      },
    }),
  };
}
