import { ERRORS } from "../../wire/errors.ts";
import { StorageUnavailable, type Store } from "../store/store.ts";
import type { Incoming } from "./incoming.ts";
import { json, type Reply } from "./reply.ts";

/** One answer serves all who ask within this time: nobody needs a key, so nobody must be able to keep a store busy. */
const FRESH_MS = 1_000;

export const LIVE = "/__svc/health/live";
export const READY = "/__svc/health/ready";

/** Why a server should be sent no requests, in a form that programs can tell apart. */
interface Unavailable {
  readonly status: "unavailable";
  readonly code: string;
  readonly error: string;
}

/** What a balancer asks, by address: answered for every `Host`, and without a key. */
export interface Health {
  /** The process answers. */
  live(): Reply;
  /** It can serve: the store can be read and written, and no shutdown has begun. Else 503 with a code. */
  ready(): Promise<Reply>;
}

export function createHealth(store: Pick<Store, "probe">, isStopping: () => boolean): Health {
  let found: { readonly at: number; readonly fault: Promise<Unavailable | undefined> } | undefined;

  return {
    live: () => json({ status: "ok" }),
    async ready() {
      if (isStopping())
        return json(unavailable("shutting_down", "The server is shutting down."), ERRORS.storage_unavailable.status);
      const now = performance.now();
      if (!found || now - found.at > FRESH_MS) found = { at: now, fault: faultOf(store) };
      const fault = await found.fault;
      return fault ? json(fault, ERRORS.storage_unavailable.status, { "retry-after": "1" }) : json({ status: "ok" });
    },
  };
}

/** @returns what answers a request for the server's own state; undefined: it is for something else */
export function healthRoute(
  { method, target }: Incoming,
  health: Health,
): { route: string; answer: () => Reply | Promise<Reply> } | undefined {
  const route = target.split("?", 1)[0]!;
  if (route !== LIVE && route !== READY) return undefined;
  if (method !== "GET" && method !== "HEAD") {
    const { status, error } = ERRORS.method_not_allowed;
    return { route, answer: () => json({ error }, status, { allow: "GET, HEAD" }) };
  }
  return { route, answer: route === LIVE ? () => health.live() : () => health.ready() };
}

async function faultOf(store: Pick<Store, "probe">): Promise<Unavailable | undefined> {
  try {
    await store.probe();
    return undefined;
  } catch (error) {
    if (error instanceof StorageUnavailable) return unavailable(error.code, error.message);
    return unavailable("store_unavailable", "The store failed in a way that is in the log.");
  }
}

function unavailable(code: string, error: string): Unavailable {
  return { status: "unavailable", code, error };
}
