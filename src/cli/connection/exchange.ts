import { ConnectionError } from "../../client/errors.ts";
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
