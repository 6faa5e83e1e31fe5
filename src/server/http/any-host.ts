import type { H3Event } from "h3";
import { ERRORS } from "../../wire/errors.ts";
import { isLoopback } from "../../http/address.ts";
import { Refusal } from "../errors.ts";
import { StorageUnavailable, type Store } from "../store/store.ts";
import { PICKER_SCRIPT, SIGNED_IN_SCRIPT } from "./pages/scripts.ts";
import { PAGE_FILES_ROUTE, STYLE } from "./pages/style.ts";
import { json, Reply } from "./respond.ts";

const LIVE = "/__svc/health/live";
const READY = "/__svc/health/ready";
const METRICS = "/__svc/metrics";
/** What load balancers and Prometheus ask for, by address. */
export const PROBES: ReadonlySet<string> = new Set([LIVE, READY, METRICS]);

/** One answer is reused for this long: requests need no key, so each of them must not reach the store. */
const FRESH_MS = 1_000;

export type RenderMetrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

/** Undefined if the path is another. */
export type AnswerAnyHost = (event: H3Event) => Reply | Promise<Reply> | undefined;

export interface MonitoringDeps {
  readonly readiness: Readiness;
  readonly renderMetrics?: RenderMetrics | undefined;
}

/**
 * Answers what every host may ask for without a key: it contains no data. An unknown host gets a page that says so, and with it
 * the styles and scripts of pages.
 */
export function anyHostAnswers({ readiness, renderMetrics }: MonitoringDeps): AnswerAnyHost {
  const answers = new Map<string, (event: H3Event) => Reply | Promise<Reply>>();
  for (const { path, type, text } of [STYLE, PICKER_SCRIPT, SIGNED_IN_SCRIPT]) {
    const headers = { "content-type": type, "cache-control": "public, max-age=31536000, immutable" };
    answers.set(path, () => new Reply(text, { headers }));
  }
  answers.set(LIVE, () => json({ status: "ok" }));
  answers.set(READY, async (event) => {
    const fault = await readiness.fault();
    if (!fault) return json({ status: "ok" });
    // The sentence names databases and paths.
    const { code, error } = fault;
    const shown = isHere(event) ? { code, error } : { code };
    const headers = code === "shutting_down" ? {} : { "retry-after": "1" };
    return json({ status: "unavailable", ...shown }, { status: ERRORS.storage_unavailable.status, headers });
  });
  if (renderMetrics)
    answers.set(METRICS, async () => {
      const { contentType, text } = await renderMetrics();
      return new Reply(text, { headers: { "content-type": contentType } });
    });

  return (event) => {
    const { request } = event.context;
    const answer = answers.get(request.path);
    if (!answer) return undefined;
    request.route = PROBES.has(request.path) ? request.path : PAGE_FILES_ROUTE;
    if (event.req.method !== "GET" && event.req.method !== "HEAD")
      throw new Refusal("method_not_allowed", undefined, { allow: "GET, HEAD" });
    return answer(event);
  };
}

/** Whether a request comes from this machine, and through no proxy that would speak for others. */
function isHere({ req, context }: H3Event): boolean {
  return isLoopback(context.request.ip_address) && !req.headers.has("x-forwarded-for") && !req.headers.has("forwarded");
}

/** Why a server should get no requests, with a code for programs. */
interface Fault {
  readonly code: string;
  readonly error: string;
}

export type Readiness = ReturnType<typeof createReadiness>;

/** Whether a process should get requests: for balancers, and for the metrics. @param isStopping whether a shutdown has begun */
export function createReadiness(store: Pick<Store, "probe">, isStopping: () => boolean) {
  let latest: Promise<Fault | undefined> | undefined;

  async function look(): Promise<Fault | undefined> {
    const startedAt = performance.now();
    const fault = await faultOf(store);
    // Callers share a look that takes long: it sees when the store is back.
    setTimeout(() => (latest = undefined), FRESH_MS - (performance.now() - startedAt)).unref();
    return fault;
  }

  return {
    isStopping,
    async fault(): Promise<Fault | undefined> {
      if (isStopping()) return { code: "shutting_down", error: "The server is shutting down." };
      return (latest ??= look());
    },
  };
}

async function faultOf(store: Pick<Store, "probe">): Promise<Fault | undefined> {
  try {
    await store.probe();
    return undefined;
  } catch (error) {
    if (error instanceof StorageUnavailable) return { code: error.code, error: error.message };
    return { code: "store_unavailable", error: "The store failed. See the server's log." };
  }
}
