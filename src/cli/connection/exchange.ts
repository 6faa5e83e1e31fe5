import { startDeadline } from "../../client/deadline.ts";
import { ConnectionError } from "../../client/errors.ts";
import { isUnavailable, isUnsent } from "../../client/retry.ts";
import { systemCode } from "../../http/address.ts";
import type { Fetch, FetchInit, FetchResponse } from "../../http/fetch.ts";
import { trimSlash } from "../../http/request.ts";
import type { Context, Reach } from "../context.ts";
import { startSpinner } from "../output/progress.ts";
import { waitMs } from "../quantities.ts";

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
    // Not every answer's body is read: what is left of a deadline then ends with the command.
    const deadline = startDeadline(init.signal ? Infinity : reach.timeoutMs, init.signal ?? network.signal);
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

type WaitingPlace = Pick<Context, "env" | "network"> & Partial<Pick<Context, "stderr">>;

const EVERY_MS = 250;
const TIMEOUT_MS = 5_000;

/** With `--wait`, waits until a service answers, before the first request of a command. What it answers is the command's to judge. */
export async function waitFor(place: WaitingPlace, address: string): Promise<void> {
  if (waitMs(place.env) === 0) return;
  const url = `${trimSlash(address)}/.well-known/openid-configuration`;
  await poll(place, new URL(url).host, async () => {
    try {
      const { response } = await exchange(place, url, { timeoutMs: TIMEOUT_MS });
      return !isUnavailable(response.status);
    } catch (error) {
      const code = systemCode((error as Error).cause);
      // The name of a container is not found until it starts. What will not pass, such as a wrong certificate, is not waited for.
      return !(isUnsent(code) || code === "ENOTFOUND" || (error as { code?: string }).code === "timeout");
    }
  });
}

/** Asks once, and as often as `--wait` allows, until it is up. */
export async function poll(place: WaitingPlace, host: string, isUp: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + waitMs(place.env);
  const stopSpinner = startSpinner(place, host);
  try {
    while (!(await isUp()) && performance.now() + EVERY_MS <= until)
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  } finally {
    stopSpinner();
  }
}
