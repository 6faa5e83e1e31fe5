import { startDeadline, type Deadline } from "../../client/deadline.ts";
import { ConnectionError } from "../../client/errors.ts";
import { mayRetry, parseRetryAfter, repeat, type Fault } from "../../client/retry.ts";
import { systemCode } from "../../wire/http/address.ts";
import type { Fetch, FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import type { Context, Network, Reach } from "../context.ts";

type Place = Pick<Context, "network">;

export interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

/** A request that is no call of the client. Its time limit is for all tries and their bodies. */
export interface Request extends Omit<FetchInit, "redirect" | "signal">, Reach {
  /** How often it is repeated, as the client would. Default: never. */
  readonly retries?: number;
  /** Whether `--wait` waits until there is a service to answer it. Default: true. */
  readonly waits?: boolean;
}

/**
 * Sends a request, and reads the whole response. The last response counts, whatever its status.
 * @throws {ConnectionError} `timeout` or `connection`, with the reason as its cause
 */
export async function exchange({ network }: Place, url: string, request: Request): Promise<Answer> {
  const { method = "GET", headers, body, retries = 0, waits = true, timeoutMs } = request;
  const deadline = startDeadline(timeoutMs, undefined);
  const init: FetchInit = {
    method,
    headers: { accept: "application/json", ...headers },
    redirect: "manual",
    signal: deadline.signal,
    ...(body !== undefined && { body }),
  };
  const once = async (): Promise<Answer> => {
    const response = await network.send(url, init, request);
    return { response, text: await response.text() };
  };
  try {
    return await deadline.until(waits ? again(network, method, url, retries, deadline, once) : once());
  } catch (error) {
    throw new ConnectionError(deadline.isOver ? "timeout" : "connection", `${url} did not answer`, { cause: error });
  } finally {
    deadline.end();
  }
}

/** Sends requests that are not the client's, which `--wait` may wait for. Without a signal of its own, each ends in time. */
export function fetchOf({ network }: Place, reach: Reach): Fetch {
  return async (url, init) => {
    const deadline = startDeadline(init.signal ? Infinity : reach.timeoutMs, init.signal);
    const ending = async <Value>(promise: Promise<Value>): Promise<Value> => {
      try {
        return await deadline.until(promise);
      } catch (cause) {
        deadline.end();
        if (!deadline.isOver) throw cause;
        throw new ConnectionError("timeout", `${url} did not answer in time`, { cause });
      }
    };
    const send = async (): Promise<{ response: FetchResponse }> => {
      const response = await network.send(url, { ...init, signal: deadline.signal }, reach);
      const isRedirect = response.status >= 300 && response.status <= 399;
      if (isRedirect && init.redirect === "error") throw new Error("the answer is a redirect, which is not followed");
      return { response };
    };
    const { response } = await ending(again(network, init.method ?? "GET", url, 0, deadline, send));
    const { status, headers, body } = response;
    return { status, headers, body, text: () => ending(response.text()).finally(deadline.end) };
  };
}

function again<Result extends { readonly response: FetchResponse }>(
  network: Network,
  method: string,
  url: string,
  retries: number,
  deadline: Deadline,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const may = (fault: Fault): boolean => mayRetry(`${method} ${new URL(url).pathname}`, fault);
  return repeat(attempt, faultOf, { retries, mayRetry: may, patience: network.patience(method, url), deadline });
}

function faultOf(outcome: PromiseSettledResult<{ readonly response: FetchResponse }>): Fault | undefined {
  if (outcome.status === "rejected") return { syscallCode: systemCode(outcome.reason) };
  const { status, headers } = outcome.value.response;
  if (status < 400) return undefined;
  return { status, retryAfterMs: parseRetryAfter(headers.get("retry-after"), Date.now()) };
}
