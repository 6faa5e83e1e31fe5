import { STATE_LIFETIME_SECONDS } from "../../wire/names.ts";
import { ApiError } from "../errors.ts";

/**
 * Of the 50,000 states that a store keeps for an instance, a client may leave this many unfinished at each process. Only 25
 * processes on one store would let one client push out everyone else's.
 */
const MAX_UNFINISHED = 2_000;
/** Clients that are counted at a time. With more of them the counts begin anew: the store's own bound still stands. */
const MAX_CLIENTS = 100_000;

/** How many sign-ins each client has begun and not finished, so that one can't push out everyone else's. */
export interface StartLimit {
  /** @throws {ApiError} `too_many_sign_ins` where the client has too many unfinished ones */
  begun(ip_address: string): void;
  finished(ip_address: string): void;
}

/** For a server that only this machine reaches. */
export const NO_START_LIMIT: StartLimit = { begun: () => {}, finished: () => {} };

/** Counts in two spans of a state's lifetime: an unfinished sign-in is forgotten after one to two of them. */
export function createStartLimit(now: () => Date): StartLimit {
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
    begun(ip_address) {
      turn();
      const client = networkOf(ip_address);
      const count = current.get(client) ?? 0;
      if (count + (previous.get(client) ?? 0) >= MAX_UNFINISHED)
        throw new ApiError("too_many_sign_ins", "finish those that have begun, or try again in a few minutes", {
          "retry-after": String(STATE_LIFETIME_SECONDS / 2),
        });
      current.set(client, count + 1);
    },
    finished(ip_address) {
      const client = networkOf(ip_address);
      const counts = current.has(client) ? current : previous;
      const count = counts.get(client) ?? 0;
      if (count > 1) counts.set(client, count - 1);
      else counts.delete(client);
    },
  };
}

/** A household or a machine has a whole /64 of IPv6, so that is counted as one client. */
function networkOf(ip_address: string): string {
  if (!ip_address.includes(":")) return ip_address;
  const [head = "", tail] = ip_address.toLowerCase().split("%", 1)[0]!.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? 0 : tail.split(":").length;
    while (groups.length + after < 8) groups.push("0");
  }
  return `${groups.slice(0, 4).join(":")}::/64`;
}
