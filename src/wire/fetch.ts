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
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
  text(): Promise<string>;
}

export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
