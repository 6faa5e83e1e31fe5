import { BlockList, isIP } from "node:net";
import { inspect } from "node:util";
import { isLoopbackUrl, portOf, systemCode, urlFrom } from "../http/address.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for an address, by the variables that curl and others read. None for this machine, whatever they say. */
export function proxyOf(address: string, env: Environment): string | undefined {
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
export function proxyVariable(protocol: string, env: Environment): string | undefined {
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

/** The proxy for an address, in words: `proxy.test:8080 of HTTPS_PROXY`. */
export function proxyInWords(url: string, env: Environment): string | undefined {
  const proxy = proxyOf(url, env);
  if (proxy === undefined) return undefined;
  // The address may have a password.
  const host = urlFrom(proxy)?.host;
  return `${host === undefined ? "" : `${host} `}of ${proxyVariable(new URL(url).protocol, env)}`;
}

/** ` through the proxy proxy.test:8080 of HTTPS_PROXY`; empty without a proxy. */
export function throughProxy(url: string, env: Environment): string {
  const proxy = proxyInWords(url, env);
  return proxy === undefined ? "" : ` through the proxy ${proxy}`;
}

/** A request that a proxy did not pass on. The message says which proxy, why, and what to check. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";

  constructor(url: string, env: Environment, cause: unknown) {
    const variable = proxyVariable(new URL(url).protocol, env);
    const check = urlFrom(proxyOf(url, env) ?? "")
      ? `Check ${variable}, or add the host to NO_PROXY.`
      : `It is not an address: write it as http://proxy.example.com:8080.`;
    super(`${throughProxy(url, env)} (${refusalOf(cause)}). ${check}`, { cause });
  }
}

/** Why a proxy did not pass a request on: its status, or the system's code. undici has the status in a message alone. */
export function refusalOf(error: unknown): string {
  const code = systemCode((error as { cause?: unknown }).cause ?? {}) || systemCode(error);
  return /Proxy response \((\d+)\)/.exec(inspect(error))?.[1] ?? (code || "no answer");
}
