import { STATE_LIFETIME_SECONDS } from "../../wire/redirect-uri.ts";
import { ApiError } from "../errors.ts";

/**
 * A store keeps 50,000 states per instance. A client may leave this many unfinished per process, so that it would take 25
 * processes on one store for a client to push out everyone else's.
 */
const MAX_UNFINISHED = 2_000;
/** Maximum number of clients that are counted. Beyond it the counts restart; the store's own bound still applies. */
const MAX_CLIENTS = 100_000;

export type StartLimit = ReturnType<typeof createStartLimit>;

/** For a server that only this machine can reach. */
export const NO_START_LIMIT: StartLimit = { begun: () => {}, finished: () => {} };

/**
 * Counts the unfinished sign-ins of each client, so that one client can't push out everyone else's. It counts in periods of
 * a state's lifetime: an unfinished sign-in is forgotten after one to two of them.
 */
export function createStartLimit(now: () => Date) {
  let current = new Map<string, number>();
  let previous = new Map<string, number>();
  let since = now().getTime();

  function turn(): void {
    const spans = Math.floor((now().getTime() - since) / (STATE_LIFETIME_SECONDS * 1000));
    if (spans === 0 && current.size < MAX_CLIENTS) return;
    previous = spans > 1 ? new Map() : current;
    current = new Map();
    since = now().getTime();
  }

  return {
    /** @throws {ApiError} `too_many_sign_ins` if the client has too many unfinished ones */
    begun(ip_address: string): void {
      turn();
      const client = networkOf(ip_address);
      const count = current.get(client) ?? 0;
      if (count + (previous.get(client) ?? 0) >= MAX_UNFINISHED)
        throw new ApiError("too_many_sign_ins", "finish those that have begun, or try again in a few minutes", {
          "retry-after": String(STATE_LIFETIME_SECONDS / 2),
        });
      current.set(client, count + 1);
    },
    finished(ip_address: string): void {
      const client = networkOf(ip_address);
      const counts = current.has(client) ? current : previous;
      const count = counts.get(client) ?? 0;
      if (count > 1) counts.set(client, count - 1);
      else counts.delete(client);
    },
  };
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
