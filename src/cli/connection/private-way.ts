import { isConfidential, isLoopback } from "../../wire/loopback.ts";

/** Whether an address leads to this machine alone. */
export function isLoopbackUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return /^https?:$/.test(protocol) && isLoopback(hostname);
}

/** Whether a key may go there: it can't be read on the way. */
export function isPrivateWay(address: string): boolean {
  return isConfidential(new URL(address));
}
