import { isUtf8 } from "node:buffer";
import { readBytes } from "../../http/body.ts";
import { createAgent, loadUndici, type Agent } from "../../network/agent.ts";
import { ProxyFailure, proxyOf } from "../../network/proxy.ts";
import type { Fetch, FetchInit } from "../../http/fetch.ts";
import type { ProviderAnswer } from "./replies.ts";

const CONNECT_MS = 3_000;
export const MAX_REPLY_BYTES = 1 << 20;

/** Sends a request to a provider, and takes the whole of its answer. */
export type AskEndpoint = (url: string, init: FetchInit) => Promise<ProviderAnswer>;

/** @throws {BodyTooLong} */
export function answersBy(fetch: Fetch): AskEndpoint {
  return async (url, init) => {
    const { status, headers, body } = await fetch(url, init);
    const bytes = await readBytes(body ?? [], MAX_REPLY_BYTES);
    return { status, headers, text: isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined };
  };
}

/**
 * Asks providers, through the proxy that the environment names for an address.
 * @throws {ProxyFailure} if a proxy does not pass a request on
 */
export function createProviderFetch(env: Readonly<Record<string, string | undefined>> = {}): Fetch {
  /** By the proxy's address. */
  const agents = new Map<string | undefined, Agent>();
  return async (url, init) => {
    const undici = await loadUndici();
    const proxy = proxyOf(url, env);
    try {
      const dispatcher = agents.get(proxy) ?? createAgent(undici, { proxy, connectMs: CONNECT_MS });
      agents.set(proxy, dispatcher);
      return await undici.fetch(url, { ...init, dispatcher } as Parameters<typeof undici.fetch>[1]);
    } catch (error) {
      throw proxy === undefined ? error : new ProxyFailure(url, env, error);
    }
  };
}
