import type { Context } from "../context.ts";

/** The proxy for an address, by the variables that curl and others read. `NO_PROXY` is honoured by `proxy-fetch.ts` too. */
export function proxyOf(address: string, env: Context["env"]): string | undefined {
  const { protocol, hostname, port } = new URL(address);
  const variable = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const proxy = protocol === "https:" ? (variable("HTTPS_PROXY") ?? variable("HTTP_PROXY")) : variable("HTTP_PROXY");
  if (proxy === undefined || isExempt(hostname, port, variable("NO_PROXY"))) return undefined;
  return proxy;
}

/** `NO_PROXY` is a list of hosts, each with what is below it, and `*` for all. */
function isExempt(hostname: string, port: string, list = ""): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const [, name = "", own = ""] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entry === "*") return true;
      return (own === "" || own === port) && (hostname === name || hostname.endsWith(`.${name}`));
    });
}

/** A proxy's address without the password that may be in it. */
export function shownProxy(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).host : "the proxy";
}
