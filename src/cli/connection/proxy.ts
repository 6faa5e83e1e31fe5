import { isLoopbackUrl } from "../../wire/http/address.ts";
import type { Context } from "../context.ts";
import { ipNetwork } from "../ip-network.ts";

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** The proxy for an address, by the variables that curl and others read. None for this machine, whatever they say. */
export function proxyOf(address: string, env: Context["env"]): string | undefined {
  if (isLoopbackUrl(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const variable = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const proxy = protocol === "https:" ? (variable("HTTPS_PROXY") ?? variable("HTTP_PROXY")) : variable("HTTP_PROXY");
  if (proxy === undefined) return undefined;
  const host = hostname.replace(/^\[(.+)\]$/, "$1");
  const exempt = (variable("NO_PROXY") ?? "").toLowerCase().split(/[\s,]+/);
  if (exempt.some((entry) => isIn(entry, host, port || DEFAULT_PORTS[protocol]!))) return undefined;
  return /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/** Whether a host is what an entry of `NO_PROXY` names: a host with all below it, an address, a network, or `*` for all. */
function isIn(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const network = ipNetwork(entry);
  if (network) return network.has(host);
  const [, name, own = port] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  return name !== undefined && own === port && (host === name || host.endsWith(`.${name}`));
}
