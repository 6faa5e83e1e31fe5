import { createUndiciFetch } from "../../client/on-node/undici.ts";
import { loadUndici } from "../../network/agent.ts";
import { proxyOf } from "../../network/proxy.ts";
import type { Fetch } from "../../http/fetch.ts";
import { userAgent } from "../../wire/version.ts";
import { INSTANCE_HEADER, isUuid, SECRET_KEY_HEADER, SUBDOMAIN } from "../../wire/ids.ts";
import type { Exchange, NamedInstance, Network, World } from "../context.ts";
import { startSpinner } from "../output/progress.ts";
import { mask } from "../output/text.ts";

export function createNetwork(world: Pick<World, "env" | "fetch"> & Partial<Pick<World, "stderr">>): Network {
  const { env } = world;
  const proxyFor = (url: string): string | undefined => (world.fetch ? undefined : proxyOf(url, env));
  const over = new AbortController();
  /** By the certificate that they trust. Connections are kept from one request to the next. */
  const made = new Map<string | undefined, Fetch>();
  const fetchFor = (certificate: string | undefined): Fetch => {
    const how = { certificate, signal: over.signal, proxyOf: proxyFor };
    const fetch = made.get(certificate) ?? world.fetch ?? createUndiciFetch(loadUndici, how).fetch;
    made.set(certificate, fetch);
    return fetch;
  };
  let last: Exchange | undefined;
  let instance: NamedInstance | undefined;
  let changes = 0;
  return {
    get last() {
      return last;
    },
    get instance() {
      return instance;
    },
    get changes() {
      return changes;
    },

    async send(url, init, { certificate, timeoutMs, keySource }) {
      const key = init.headers?.[SECRET_KEY_HEADER];
      const keyInWords = key && `${mask(key)}${keySource ? `, from ${keySource}` : ""}`;
      const exchange: Exchange = { url, timeoutMs, proxy: proxyFor(url), key: keyInWords };
      last = exchange;
      const headers = { "user-agent": userAgent("cli"), ...init.headers };
      const stopSpinner = startSpinner(world, new URL(url).host);
      const response = await fetchFor(certificate)(url, { ...init, headers }).finally(stopSpinner);
      instance = instanceIn(response.headers.get(INSTANCE_HEADER));
      last = { ...exchange, response };
      if (init.method !== "GET" && response.status < 300) changes++;
      return response;
    },

    signal: over.signal,
    end: () => over.abort(),
  };
}

function instanceIn(header: string | null): NamedInstance | undefined {
  const [subdomain = "", id = "", ...more] = (header ?? "").split(" ");
  return SUBDOMAIN.test(subdomain) && isUuid(id) && more.length === 0 ? { subdomain, id } : undefined;
}
