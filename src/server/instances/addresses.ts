import type { Provider } from "../../wire/providers.ts";
import type { InstanceRecord } from "../store/records.ts";

/** The part of the service that a host name reaches. `isCallback`: whether it is the host of the callback URLs. */
export type Scope =
  | { readonly kind: "front"; readonly isCallback: boolean }
  | { readonly kind: "api" }
  | { readonly kind: "instance"; readonly subdomain: string };

export type Addresses = ReturnType<typeof createAddresses>;

/** As they are written in a URL. */
const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
/** Taken by {api_url}. */
export const RESERVED_SUBDOMAINS: readonly string[] = ["api"];

/**
 * Every address that the service emits or answers at: derived from configuration, never from a request.
 * @param publicUrl the origin of the front door
 * @param port that the server listens on; with it, loopback names reach the front door, too
 * @param allowedHosts further names of the front door
 */
export function createAddresses(publicUrl: string, port: number, allowedHosts: readonly string[] = []) {
  const front = new URL(publicUrl);
  const origin = (subdomain: string): string => `${front.protocol}//${subdomain}.${front.host}`;
  const defaultPort = front.protocol === "https:" ? ":443" : ":80";
  const withoutDefaultPort = (host: string): string =>
    host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host;
  // Clients omit the default port of the scheme; proxies may write it out.
  const withPort = (name: string): string[] => [`${name}:${port}`, ...(port === 80 || port === 443 ? [name] : [])];
  const names = allowedHosts.flatMap((name) => [name, `${name}:${port}`]);
  const frontHosts = new Set([front.host, ...LOOPBACK_NAMES.flatMap(withPort), ...names].map(withoutDefaultPort));
  const parents = [`.${front.host}`, ...withPort(".localhost")].map(withoutDefaultPort);
  return {
    /** The front door's origin, e.g. `http://localhost:7820`. Also {callback_url}. */
    front: front.origin,
    /** {api_url} */
    api: origin("api"),
    isHttps: front.protocol === "https:",
    /** {base_url} of an instance. */
    instanceUrl: (instance: InstanceRecord) => origin(instance.subdomain),
    callbackUrl: (provider: Provider) => `${front.origin}/oauth/${provider}/callback`,
    /** The scope of a `Host` header's value; undefined if the host is unknown. */
    scopeOf(text: string): Scope | undefined {
      const host = withoutDefaultPort(text.toLowerCase());
      if (frontHosts.has(host)) return { kind: "front", isCallback: host === front.host };
      const parent = parents.find((suffix) => host.endsWith(suffix));
      if (parent === undefined) return undefined;
      const subdomain = host.slice(0, -parent.length);
      return subdomain === "api" ? { kind: "api" } : { kind: "instance", subdomain };
    },
  };
}
