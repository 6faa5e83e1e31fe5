import { ConnectionError } from "../../client/errors.ts";
import { mayRetry, parseRetryAfter, retryDelayMs } from "../../client/retry.ts";
import { codeOf } from "./fetch.ts";
import type { Fetch, FetchInit, FetchResponse } from "../../wire/fetch.ts";

/** The response to a request, with its body. */
export interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

/**
 * Sends one request and reads the whole response. Redirects are not followed.
 * @param timeoutMs for both
 * @throws {ConnectionError} `timeout` or `connection`, with the reason as its cause
 */
export async function exchange(
  send: Fetch,
  url: string,
  timeoutMs: number,
  init: Omit<FetchInit, "redirect" | "signal"> = {},
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { accept: "application/json", ...init.headers };
    const response = await send(url, { method: "GET", ...init, headers, redirect: "manual", signal });
    return { response, text: await response.text() };
  } catch (error) {
    const code = signal.aborted ? "timeout" : "connection";
    throw new ConnectionError(code, `${url} did not answer`, { cause: error });
  }
}

/**
 * The same, repeated as the client would. The last response counts, whatever its status.
 * @param timeoutMs for all tries
 */
export async function exchangeAgain(
  send: Fetch,
  url: string,
  timeoutMs: number,
  init: Omit<FetchInit, "redirect" | "signal"> & { readonly method: string },
  retries: number,
): Promise<Answer> {
  const until = performance.now() + timeoutMs;
  for (let repeated = 0; ; repeated++) {
    const leftMs = Math.max(1, Math.ceil(until - performance.now()));
    let answer: Answer | undefined;
    let error: unknown;
    try {
      answer = await exchange(send, url, leftMs, init);
    } catch (fault) {
      error = fault;
    }
    const status = answer?.response.status;
    const retryAfter = parseRetryAfter(answer?.response.headers.get("retry-after") ?? null, Date.now());
    const pauseMs = retryDelayMs(repeated, retryAfter);
    const name = `${init.method} ${new URL(url).pathname}`;
    const syscallCode = codeOf((error as { cause?: unknown } | undefined)?.cause ?? {});
    const goesOn = repeated < retries && pauseMs < until - performance.now() && mayRetry(name, { status, syscallCode });
    if (goesOn) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    else if (answer) return answer;
    else throw error;
  }
}
