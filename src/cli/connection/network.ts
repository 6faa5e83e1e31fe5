import { BlockList, isIP } from "node:net";
import { createUndiciFetch, loadUndici } from "../../client/on-node/undici.ts";
import type { Fetch } from "../../wire/http/fetch.ts";
import { userAgent } from "../../wire/version.ts";
import { INSTANCE_HEADER, isUuid, SECRET_KEY_HEADER, SUBDOMAIN } from "../../wire/ids.ts";
import { isLoopbackUrl, portOf } from "../../wire/http/address.ts";
import type { Exchange, NamedInstance, Network, World, Context } from "../context.ts";
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
  return {
    get last() {
      return last;
    },
    get instance() {
      return instance;
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

/** The proxy for an address, by the variables that curl and others read. None for this machine, whatever they say. */
export function proxyOf(address: string, env: Context["env"]): string | undefined {
  if (isLoopbackUrl(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  const proxy = env[proxyVariable(protocol, env) ?? ""];
  if (proxy === undefined) return undefined;
  const host = hostname.replace(/^\[(.+)\]$/, "$1");
  const exempt = (env["no_proxy"] || env["NO_PROXY"] || "").toLowerCase().split(/[\s,]+/);
  if (exempt.some((entry) => isIn(entry, host, portOf(address)))) return undefined;
  return /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/** The variable that names the proxy for a scheme, such as `https:`. */
export function proxyVariable(protocol: string, env: Context["env"]): string | undefined {
  const http = ["http_proxy", "HTTP_PROXY"];
  const names = protocol === "https:" ? ["https_proxy", "HTTPS_PROXY", ...http] : http;
  return names.find((name) => env[name]);
}

/** Whether a host is what an entry of `NO_PROXY` names: a host with all below it, an address, a network, or `*` for all. */
function isIn(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [address = "", length, ...rest] = entry.replace(/^\[(.+)\]$/, "$1").split("/");
  if (isIP(address) !== 0 && rest.length === 0) return isInNetwork(host, address, length);
  const [, name, own = port] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  return name !== undefined && own === port && (host === name || host.endsWith(`.${name}`));
}

/** @param length of a network in CIDR notation (RFC 4632, 3.1; RFC 4291, 2.3); of a single address undefined */
function isInNetwork(host: string, address: string, length: string | undefined): boolean {
  const [family, most] = isIP(address) === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
  if (isIP(host) !== isIP(address) || !/^\d{1,3}$/.test(length ?? "0") || Number(length ?? 0) > most) return false;
  const network = new BlockList();
  network.addSubnet(address, Number(length ?? most), family);
  return network.check(host, family);
}
