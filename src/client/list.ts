import { type Page, MAX_PAGE_SIZE, nextPage } from "../wire/http/request.ts";
import type { Call, WithResponse } from "./request.ts";
import { isServiceError, ServiceError, type ErrorCode } from "./errors.ts";

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
