/** What a call takes and returns. Programs see these types, so they stay apart from those of the schemas. */
import type { FetchResponse } from "../wire/http/fetch.ts";
import type { ServiceError } from "./errors.ts";
import type { Names } from "./known-options.ts";

/** The result with its response, for callers that need headers. */
export interface WithResponse<Result> {
  readonly data: Result;
  readonly response: Pick<FetchResponse, "status" | "headers">;
}

/** A promise of the result that can also be asked for the response. */
export interface Call<Result> extends Promise<Result> {
  /** The result, with the status and the headers of its response. */
  withResponse(): Promise<WithResponse<Result>>;
}

export interface RequestOptions {
  /** Ends the call, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** For the whole call: finding the address, every try, every body. Default 10,000; Infinity waits forever. */
  readonly timeoutMs?: number | undefined;
  /** Maximum retries of a failed call that is safe to repeat. Default 2; 0 means never. */
  readonly retry?: number | undefined;
}

export const REQUEST_OPTIONS: Names<RequestOptions> = { signal: true, timeoutMs: true, retry: true };

/** Of a call of any path. */
export interface AnyRequestOptions extends RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** One try of a call, as `onTry` gets it. It never contains a key or token. */
export interface Try {
  /** Such as `GET /api/v1/users/:id`. */
  readonly route: string;
  /** From 1. */
  readonly number: number;
  readonly durationMs: number;
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  readonly error: ServiceError | undefined;
}
