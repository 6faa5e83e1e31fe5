import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { networkOf } from "../../http/address.ts";
import { peerOf, type IsProxy } from "./client-address.ts";

/** A connection takes some 50 kB. */
const MOST = 10_000;
const MOST_OF_ONE = 1_000;
/** The rest is for the store, the providers and what is refused. */
const SHARE_OF_DESCRIPTORS = 3 / 4;
/** Refused connections that wait for their answer to arrive; those beyond are closed without one. */
const SHARE_OF_REFUSED = 1 / 16;
const WARN_EVERY_MS = 60_000;

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>;

export interface ConnectionLimitOptions {
  readonly isProxy: IsProxy;
  warn(message: string): void;
}

/** Bounds the open connections, in all and of each client. */
export function createConnectionLimit({ isProxy, warn }: ConnectionLimitOptions, descriptors = descriptorLimit()) {
  const most = Math.min(MOST, Math.floor(descriptors * SHARE_OF_DESCRIPTORS));
  const mostOfOne = Math.min(MOST_OF_ONE, Math.floor(most / 2));
  const mostRefused = Math.ceil(most * SHARE_OF_REFUSED);
  const byClient = new Map<string, number>();
  let [open, refused, warnedAt] = [0, 0, -Infinity];

  function warnOf(message: string): void {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    warn(message);
  }

  return {
    /** Counts a connection until it is closed. @returns what becomes of it */
    take(socket: Socket): "open" | "refused" | "dropped" {
      const address = peerOf({ socket });
      const client = networkOf(address);
      const count = byClient.get(client) ?? 0;
      if (open < most && (count < mostOfOne || isProxy(address))) {
        open++;
        byClient.set(client, count + 1);
        socket.once("close", () => {
          open--;
          const left = byClient.get(client)! - 1;
          if (left > 0) byClient.set(client, left);
          else byClient.delete(client);
        });
        return "open";
      }
      warnOf(
        open < most
          ? `${client} has ${count} connections open, as many as one client may have; more are answered 503. If it is a proxy, name it with --trust-proxy.`
          : `${open} connections are open, as many as this process may have; more are answered 503. It may have more with more file descriptors (ulimit -n), ${MOST} at most.`,
      );
      if (refused === mostRefused) return "dropped";
      refused++;
      socket.once("close", () => refused--);
      return "refused";
    },
  };
}

/** How many files and sockets the process may have open. Infinity where the system does not tell, as it does on Linux. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
