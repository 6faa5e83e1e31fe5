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

/** Whether an address leads to this machine alone; what is not an address does not. */
export function isLoopbackUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) && isLoopback(hostname);
}

/** Whether what is sent to an address can't be read on its way: by https, or to this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
