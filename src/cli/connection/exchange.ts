import { ConnectionError } from "../../client/errors.ts";
import type { Fetch, FetchInit, FetchResponse } from "../../wire/fetch.ts";

/** What a request was answered with. */
export interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

/**
 * Sends one request, and reads the whole answer. No redirect is followed.
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
