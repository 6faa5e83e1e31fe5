import { networkOf } from "../../http/address.ts";
import { STATE_LIFETIME_SECONDS } from "../../wire/redirect-uri.ts";
import { Refusal } from "../errors.ts";

/**
 * A store keeps 50,000 states per instance. A client may leave this many unfinished per process, so that it would take 25
 * processes on one store for a client to push out everyone else's.
 */
const MAX_UNFINISHED = 2_000;
/** One that is older is most likely given up, and makes room for another of its client. */
const YOUNG_MS = 2 * 60_000;
/** How many are remembered of all clients. Beyond it the oldest are forgotten; the store's own bound still applies. */
const MAX_REMEMBERED = 100_000;
/** A map looks for its first entry past the places of all that were removed before it, so the oldest go many at a time. */
const SWEEP_EVERY = 1024;
const WARN_EVERY_MS = 60_000;

export type StartLimit = ReturnType<typeof createStartLimit>;

/** For a server that only this machine can reach. */
export const NO_START_LIMIT: StartLimit = { add: () => undefined, forget: () => {} };

/**
 * Remembers the unfinished sign-ins of each client for a state's lifetime, so that one client can't push out everyone
 * else's. Many people may share an address, so whoever left them there keeps the others out for two minutes at most.
 */
export function createStartLimit(now: () => Date, warn: (message: string) => void) {
  /** By state, oldest first. */
  const begun = new Map<string, { readonly client: string; readonly at: number }>();
  /** The states of each client, oldest first. */
  const clients = new Map<string, Set<string>>();
  let starts = 0;
  let warnedAt = -Infinity;

  function forget(state: string): void {
    const client = begun.get(state)?.client;
    if (client === undefined) return;
    begun.delete(state);
    const own = clients.get(client)!;
    own.delete(state);
    if (own.size === 0) clients.delete(client);
  }

  /** The clock may have been set back. */
  function ageOf(state: string): number {
    return Math.abs(now().getTime() - begun.get(state)!.at);
  }

  function sweep(): void {
    for (const oldest of begun.keys()) {
      if (begun.size <= MAX_REMEMBERED && ageOf(oldest) < STATE_LIFETIME_SECONDS * 1000) break;
      forget(oldest);
    }
  }

  /** @returns the oldest of a client that has as many as it may. @throws {Refusal} `too_many_sign_ins` if that is young */
  function outlived(client: string, own: ReadonlySet<string>): string {
    const oldest = own.values().next().value!;
    const seconds = Math.ceil((YOUNG_MS - ageOf(oldest)) / 1000);
    if (seconds <= 0) return oldest;
    if (performance.now() - warnedAt >= WARN_EVERY_MS) {
      warnedAt = performance.now();
      warn(
        `${client} began ${MAX_UNFINISHED} sign-ins in the last two minutes that it did not finish; more are answered 429. If it is a proxy, name it with --trust-proxy.`,
      );
    }
    throw new Refusal("too_many_sign_ins", `finish those that have begun, or try again in ${seconds} s`, {
      "retry-after": String(seconds),
    });
  }

  return {
    /**
     * @returns the state of an older sign-in of the client, whose place this one takes
     * @throws {Refusal} `too_many_sign_ins` if the client has too many unfinished ones, all of the last two minutes
     */
    add(ip_address: string, state: string): string | undefined {
      if (++starts % SWEEP_EVERY === 0) sweep();
      const client = networkOf(ip_address);
      const before = clients.get(client);
      const replaced = before && before.size >= MAX_UNFINISHED ? outlived(client, before) : undefined;
      if (replaced !== undefined) forget(replaced);
      begun.set(state, { client, at: now().getTime() });
      clients.set(client, (clients.get(client) ?? new Set()).add(state));
      return replaced;
    },
    forget,
  };
}
