import { startDeadline } from "../../client/deadline.ts";
import { ConnectionError } from "../../client/errors.ts";
import type { Fetch, FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import type { Context, Reach } from "../context.ts";

type Place = Pick<Context, "network">;

export interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

/** Sends a request once, and reads the whole response, whatever its status. @throws as `fetchOf` */
export async function exchange(
  place: Place,
  url: string,
  { method = "GET", headers, body, ...reach }: Omit<FetchInit, "redirect" | "signal"> & Reach,
): Promise<Answer> {
  const accepting = { accept: "application/json", ...headers };
  const init: FetchInit = { method, headers: accepting, redirect: "manual", ...(body !== undefined && { body }) };
  const response = await fetchOf(place, reach)(url, init);
  return { response, text: await response.text() };
}

/**
 * Sends requests that are no calls of the client, each once. One without a signal of its own ends in time, with its body.
 * @throws {ConnectionError} `timeout` or `connection`, with the reason as its cause
 */
export function fetchOf({ network }: Place, reach: Reach): Fetch {
  return async (url, init) => {
    const deadline = startDeadline(init.signal ? Infinity : reach.timeoutMs, init.signal);
    const ending = async <Value>(promise: Promise<Value>): Promise<Value> => {
      try {
        return await deadline.until(promise);
      } catch (cause) {
        deadline.end();
        if (init.signal?.aborted) throw cause;
        throw new ConnectionError(deadline.isOver ? "timeout" : "connection", `${url} did not answer`, { cause });
      }
    };
    const attempt = async (): Promise<FetchResponse> => {
      const response = await network.send(url, { ...init, signal: deadline.signal }, reach);
      const isRedirect = response.status >= 300 && response.status <= 399;
      if (isRedirect && init.redirect === "error") throw new Error("the answer is a redirect, which is not followed");
      return response;
    };
    const response = await ending(attempt());
    const { status, headers, body } = response;
    return { status, headers, body, text: () => ending(response.text()).finally(deadline.end) };
  };
}
