/** The least of `fetch` that is needed: the global one, undici's and an in-process application all fit. */
export interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  redirect?: "error" | "manual";
  signal?: AbortSignal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Bytes | null;
  text(): Promise<string>;
}

/** The chunks of a body. Not every browser can iterate a stream, and to TypeScript before 6 none can. */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array> | ByteStream;

/** The least of `ReadableStream` that is needed. */
interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}

export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export async function* chunksOf(body: Bytes): AsyncGenerator<Uint8Array, void> {
  if (!("getReader" in body) || Symbol.asyncIterator in body) return yield* body as AsyncIterable<Uint8Array>;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); part.value; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}
