/** What a call takes and returns. Programs see these types, so they stay apart from those of the schemas. */
import type { TokenClaims } from "../wire/claims.ts";
import type { FetchResponse } from "../http/fetch.ts";
import type { VerifiedToken } from "../wire/resources.ts";
import { isServiceError, ServiceError, type ErrorCode, type TokenReason } from "./errors.ts";
import { type Page, MAX_PAGE_SIZE, nextPage } from "../http/request.ts";

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

/** Whether a token is valid, and what is wrong with it if not. `claims` are those in the token, such as `exp`. */
export type TokenCheck =
  | { ok: true; token: VerifiedToken; claims: TokenClaims }
  | { ok: false; error: ServiceError & { readonly reason?: TokenReason | undefined } };

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

const UNKNOWN_LIMIT: ReadonlySet<ErrorCode> = new Set(["bad_request", "unknown"]);

/**
 * A list. Awaited, it is one response: all records, or the page in the arguments. Iterated, it is all records after
 * `after`, requested in pages of `limit` (default: 1,000) if the service has pages, so that memory holds one page only.
 * Records may be deleted while iterating. No request is sent before it is awaited or iterated.
 */
export interface ListCall<Item> extends Call<Item[]>, AsyncIterable<Item> {}

type Ask<Item> = (page: object) => Promise<WithResponse<Item[]>>;

/** @param ask sends the request for a page, or for all records without `limit` and `after` */
export function listCall<Item>(ask: Ask<Item>, page: Page): ListCall<Item> {
  let answer: Promise<WithResponse<Item[]>> | undefined;
  const withResponse = (): Promise<WithResponse<Item[]>> => (answer ??= ask(page));
  const result = async (): Promise<Item[]> => (await withResponse()).data;
  return {
    // eslint-disable-next-line unicorn/no-thenable
    then: (onFulfilled, onRejected) => result().then(onFulfilled, onRejected),
    catch: (onRejected) => result().catch(onRejected),
    finally: (onFinally) => result().finally(onFinally),
    withResponse,
    [Symbol.asyncIterator]: () => items(ask, page),
    [Symbol.toStringTag]: "ListCall",
  };
}

async function* items<Item>(ask: Ask<Item>, asked: Page): AsyncGenerator<Item, void> {
  let answer = await ask({ limit: MAX_PAGE_SIZE, ...asked }).catch((error: unknown) => {
    // Paging is not part of the specification, so a strict service may ignore it.
    if (isServiceError(error) && UNKNOWN_LIMIT.has(error.code) && asked.limit === undefined) return ask(asked);
    throw error;
  });
  const seen = new Set<string>();
  for (;;) {
    yield* answer.data;
    const next = nextPage(answer.response.headers.get("link"));
    if (next === undefined) return;
    if (seen.has(next)) throw new ServiceError("unexpected_response", "The service returned the same page twice");
    seen.add(next);
    answer = await ask(Object.fromEntries(new URLSearchParams(next)));
  }
}
