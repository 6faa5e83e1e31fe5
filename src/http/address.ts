const LOCALHOST = /^(?:.+\.)?localhost$/i;
const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether a host name is `localhost` or `*.localhost`, which is always this machine (RFC 6761, 6.3). */
export function isLocalhost(hostname: string): boolean {
  return LOCALHOST.test(hostname);
}

/**
 * Whether a host name, as `URL.hostname` gives it, is this machine: `localhost`, `*.localhost`, 127.0.0.0/8 or `[::1]`.
 */
export function isLoopback(hostname: string): boolean {
  return isLocalhost(hostname) || LOOPBACK_ADDRESS.test(hostname);
}

/** A household or machine usually has a whole IPv6 /64, so that is counted as one client. */
export function networkOf(ip_address: string): string {
  if (!ip_address.includes(":")) return ip_address;
  const [head = "", tail] = ip_address.toLowerCase().split("%", 1)[0]!.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? 0 : tail.split(":").length;
    while (groups.length + after < 8) groups.push("0");
  }
  return `${groups.slice(0, 4).join(":")}::/64`;
}

export function portOf(address: string): string {
  const { port, protocol } = new URL(address);
  return port || (protocol === "https:" ? "443" : "80");
}

/**
 * The URL that a text is; undefined if it is none. Not by `URL.canParse`: once it is optimized, Node 20's takes a host in
 * Latin-1 for UTF-8, and refuses it.
 */
export function urlFrom(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether an address leads to this machine alone; what is not an address does not. */
export function isLoopbackUrl(address: string): boolean {
  const url = urlFrom(address);
  return url !== undefined && /^https?:$/.test(url.protocol) && isLoopback(url.hostname);
}

/** Whether what is sent to an address can't be read on its way: by https, or to this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/**
 * The address of a service that runs inside a program, without a port. It is a loopback name, so that clients send it keys
 * over plain http. No real server has this name.
 */
export const INSIDE_URL = "http://svc.localhost";
const INSIDE = /^http:\/\/(?:[^/]+\.)?svc\.localhost$/;

/** The paths of the APIs, which a client adds to the address of a service. */
const API_PATH = /\/(?:api\/v1|__svc(?:\/v1)?)\/*$/;

/** What is wrong with the address of a service that has the path of an API, and what to write. Undefined if it has none. */
export function apiPathFault(address: string): string | undefined {
  const [path] = API_PATH.exec(address) ?? [];
  if (path === undefined) return undefined;
  return `must not end in ${path}, which is added to it. Write ${address.slice(0, -path.length)}`;
}

/** The system's code for what a `fetch` threw, which puts it in `cause`. Empty if there is none. */
export function systemCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const own = cause?.code ?? code;
  return typeof own === "string" ? own : "";
}

/** Codes of a name or a port at which nothing is; the last one is Bun's. */
const NOTHING_THERE = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ConnectionRefused"]);

/** Node's codes of a server that answers TLS with something else. */
const NOT_TLS = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "EPROTO"]);

/** Those of a server that does not answer plain HTTP, and which may expect TLS. */
const NOT_PLAIN = /^(?:ECONNRESET|UND_ERR_SOCKET|HPE_.+)$/;

/**
 * What is wrong with an address at which a connection failed, and what to write. Undefined if the address may be right.
 * @param code the system's, such as `ECONNREFUSED`
 */
export function connectionFault(address: string, code: string): readonly [fault: string, remedy: string] | undefined {
  const { origin, protocol, host, hostname } = new URL(address);
  if (INSIDE.test(origin) && NOTHING_THERE.has(code))
    return [
      `${origin} is a service inside a program, which has no port`,
      "Pass fetch: svc.fetch to what calls it, or create it with startTestService",
    ];
  if (protocol === "https:" && NOT_TLS.has(code))
    return [
      `${origin} does not speak https (${code})`,
      isLoopback(hostname) ? `Write http://${host}` : "Check the port: https is usually at 443",
    ];
  if (protocol === "http:" && NOT_PLAIN.test(code))
    return [`${origin} closed the connection (${code})`, `If it speaks https, write https://${host}`];
  return undefined;
}
