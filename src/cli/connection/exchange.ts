import { startDeadline } from "../../client/deadline.ts";
import { ConnectionError } from "../../client/errors.ts";
import { mayRetry, parseRetryAfter, repeat, type Fault } from "../../client/retry.ts";
import { systemCode } from "../../wire/http/address.ts";
import type { Fetch, FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import type { Context, Reach } from "../context.ts";

type Place = Pick<Context, "network">;

export interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

/** How requests are sent that are no calls of the client. */
export interface Sending extends Reach {
  /** How often one is repeated, as the client would. Default: never. */
  readonly retries?: number;
  /** Whether bodies are read as they come. Default: a body that is cut off is a failed try. */
  readonly streams?: boolean;
}

/** Sends a request, and reads the whole response. The last response counts, whatever its status. @throws as `fetchOf` */
export async function exchange(
  place: Place,
  url: string,
  { method = "GET", headers, body, ...sending }: Omit<FetchInit, "redirect" | "signal"> & Sending,
): Promise<Answer> {
  const accepting = { accept: "application/json", ...headers };
  const init: FetchInit = { method, headers: accepting, redirect: "manual", ...(body !== undefined && { body }) };
  const response = await fetchOf(place, sending)(url, init);
  return { response, text: await response.text() };
}

/**
 * Sends requests that are no calls of the client. One without a signal of its own ends in time, with all its tries.
 * @throws {ConnectionError} `timeout` or `connection`, with the reason as its cause
 */
export function fetchOf({ network }: Place, { retries, streams = false, ...reach }: Sending): Fetch {
  return async (url, init) => {
    const { method = "GET", signal } = init;
    const deadline = startDeadline(signal ? Infinity : reach.timeoutMs, signal);
    const ending = async <Value>(promise: Promise<Value>): Promise<Value> => {
      try {
        return await deadline.until(promise);
      } catch (cause) {
        deadline.end();
        if (signal?.aborted) throw cause;
        throw new ConnectionError(deadline.isOver ? "timeout" : "connection", `${url} did not answer`, { cause });
      }
    };
    const attempt = async () => {
      const response = await network.send(url, { ...init, signal: deadline.signal }, reach);
      const isRedirect = response.status >= 300 && response.status <= 399;
      if (isRedirect && init.redirect === "error") throw new Error("the answer is a redirect, which is not followed");
      return { response, text: streams ? undefined : await response.text() };
    };
    const mayRepeat = (fault: Fault): boolean => mayRetry(`${method} ${new URL(url).pathname}`, fault);
    const { response, text } = await ending(repeat(attempt, faultOf, { retries, mayRetry: mayRepeat, deadline }));
    if (!streams) deadline.end();
    const { status, headers, body } = response;
    return { status, headers, body, text: async () => text ?? ending(response.text()).finally(deadline.end) };
  };
}

function faultOf(outcome: PromiseSettledResult<{ readonly response: FetchResponse }>): Fault | undefined {
  if (outcome.status === "rejected") return { syscallCode: systemCode(outcome.reason) };
  const { status, headers } = outcome.value.response;
  if (status < 400) return undefined;
  return { status, retryAfterMs: parseRetryAfter(headers.get("retry-after"), Date.now()) };
}
