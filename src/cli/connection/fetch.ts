import { isRead, isUnavailable, isUnsent } from "../../client/transient.ts";
import { isLoopbackUrl } from "../../wire/loopback.ts";
import type { Fetch, FetchInit, FetchResponse } from "../../wire/fetch.ts";
import { userAgent } from "../../wire/version.ts";
import type { Context } from "../context.ts";
import { startSpinner } from "../output/spinner.ts";
import { proxyOf } from "./proxy.ts";
import type { RunningServerFile } from "./server-file.ts";
import { endWait, waitEnd } from "./wait.ts";

type Place = Pick<Context, "env" | "fetch"> & Partial<Pick<Context, "stderr">>;

/** What the last request of a command came to, for an error to say more than the client can. */
export interface Exchange {
  readonly url: string;
  /** Whether `--wait` waits until the service can answer it. */
  readonly isRead: boolean;
  /** How long an answer was waited for. */
  readonly timeoutMs: number;
  readonly status?: number | undefined;
  readonly contentType?: string | undefined;
  readonly location?: string | undefined;
  readonly retryAfter?: string | undefined;
  /** The proxy that it went through. */
  readonly proxy?: string | undefined;
}

type Send = (url: string, init: FetchInit, timeoutMs: number) => Promise<FetchResponse>;
/** By a command's environment, of which each run has a copy. Connections are kept from one request to the next. */
const MADE = new WeakMap<object, Map<string, Send>>();
const LAST = new WeakMap<object, Exchange>();

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/**
 * How requests to a service are sent: through a proxy if one is set, and again while `--wait` allows it.
 * @param timeoutMs the limit that the caller sets, for the message if there is no answer
 */
export async function fetchOf(
  place: Place,
  { server }: { server?: RunningServerFile | undefined },
  timeoutMs: number,
): Promise<Fetch> {
  const made = MADE.get(place.env) ?? new Map<string, Send>();
  MADE.set(place.env, made);
  const certificate = server?.certificate ?? "";
  const send = made.get(certificate) ?? (await createSend(place, certificate || undefined));
  made.set(certificate, send);
  const agent = { "user-agent": userAgent("cli") };
  return (url, init) => send(url, { ...init, headers: { ...agent, ...init.headers } }, timeoutMs);
}

export function lastExchange({ env }: Pick<Context, "env">): Exchange | undefined {
  return LAST.get(env);
}

async function createSend(place: Place, certificate: string | undefined): Promise<Send> {
  const direct = place.fetch ?? (await import("./http-fetch.ts")).createHttpFetch(certificate);
  let proxied: Fetch | undefined;
  return async (url, init, timeoutMs) => {
    const proxy = place.fetch || isLoopbackUrl(url) ? undefined : proxyOf(url, place.env);
    if (proxy !== undefined) proxied ??= (await import("./proxy-fetch.ts")).createProxyFetch(place.env);
    const isSafe = isRead(init.method ?? "GET", new URL(url).pathname);
    const exchange: Exchange = { url, isRead: isSafe, timeoutMs, proxy };
    LAST.set(place.env, exchange);
    const stop = startSpinner(place, new URL(url).host);
    try {
      const response = await sendWithWait(place, url, init, isSafe, proxy === undefined ? direct : proxied!);
      const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
      LAST.set(place.env, {
        ...exchange,
        status: response.status,
        contentType: header("content-type"),
        location: header("location"),
        retryAfter: header("retry-after"),
      });
      return response;
    } finally {
      stop();
    }
  };
}

/** Sends again, for as long as `--wait` allows, if nothing of a request was sent or a read found the service unavailable. */
async function sendWithWait(
  { env }: Place,
  url: string,
  init: FetchInit,
  isSafe: boolean,
  send: Fetch,
): Promise<FetchResponse> {
  const until = waitEnd(env);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const isOver = performance.now() + pause > until;
    const response = await send(url, init).catch((error: unknown) => {
      const code = codeOf(error);
      // The name of a container is not found until it starts.
      if (isOver || init.signal?.aborted || !(isUnsent(code) || code === "ENOTFOUND")) throw error;
    });
    if (response) {
      const isAway = isUnavailable(response.status);
      if (!isAway) endWait(env);
      if (isOver || !isAway || !isSafe) return response;
      // A body that is not read would keep its connection, and so the command, from ending.
      await response.text().catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The system's code for an error, such as `ECONNREFUSED`; empty if there is none. */
export function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const own = cause?.code ?? code;
  return typeof own === "string" ? own : "";
}
