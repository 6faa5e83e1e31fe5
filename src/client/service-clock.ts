import * as base64url from "jose/base64url";
import { clockStatement } from "../wire/claims.ts";
import { CONTROL_BASE } from "../wire/control/paths.ts";
import { isLoopbackUrl } from "../http/address.ts";
import { trimSlash } from "../http/request.ts";
import type { SigningKey } from "../wire/token.ts";

/** A service on this machine answers sooner, even on a busy one. */
const TIMEOUT_MS = 5_000;
/** How long one that did not answer is left alone. */
const PAUSE_MS = 10_000;
const MAX_BYTES = 4096;

/** A framework may bundle this module several times into one process. */
const SHARED = Symbol.for("svc-identity.service-clock");
interface Shared {
  readonly said: Set<string>;
  askAgainAt: number;
}

/**
 * The time to judge a token by, in milliseconds: this machine's, except in an application that is being tested. If the
 * environment has `SVC_CONTROL_URL`, at loopback, and `SVC_CONTROL_KEY`, as under `svc exec`, it is the time of that service,
 * which a test moves.
 *
 * A wrong time would let expired tokens in, and variables may come from a file of a repository. So the service must prove
 * its answer with a key that signs tokens: whoever has that needs no expired ones. No key is sent.
 * @param keys that the application accepts tokens of
 */
export async function timeFor(instance: string, keys: readonly SigningKey[]): Promise<number> {
  const url = followedService();
  const shared = sharedState();
  if (url === undefined || performance.now() < shared.askAgainAt) return Date.now();
  const time = await provenTime(url, instance, keys).catch(({ message, cause }: Error) => {
    shared.askAgainAt = performance.now() + PAUSE_MS;
    return `${message}${cause instanceof Error ? `: ${cause.message}` : ""}`;
  });
  if (typeof time === "number") {
    sayOnce(shared, `Tokens are verified by the clock of ${url}, because SVC_CONTROL_URL and SVC_CONTROL_KEY are set.`);
    return time;
  }
  sayOnce(shared, `Tokens are verified by this machine's clock, and not by that of SVC_CONTROL_URL, ${url}: ${time}.`);
  return Date.now();
}

/** The service that this process's environment names, if it is on this machine. */
function followedService(): string | undefined {
  // Read at each call: an application may load its variables late. Some runtimes have no process.
  // oxlint-disable-next-line node/no-process-env -- this is the edge: no caller could pass it without a line of code
  const { SVC_CONTROL_URL: url = "", SVC_CONTROL_KEY: key = "" } = globalThis.process?.env ?? {};
  return key !== "" && isLoopbackUrl(url) ? trimSlash(url) : undefined;
}

/** @returns why not, if the service can't prove its time @throws {Error} if it does not answer */
async function provenTime(url: string, instance: string, keys: readonly SigningKey[]): Promise<number | string> {
  const nonce = base64url.encode(crypto.getRandomValues(new Uint8Array(24)));
  const query = new URLSearchParams({ nonce, instance });
  const response = await fetch(`${url}${CONTROL_BASE}/clock/proof?${query.toString()}`, {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 404) return "it has no such instance";
  // The service says how long its answers are. Another program's may have no end.
  const isShort = Number(response.headers.get("content-length") ?? Infinity) <= MAX_BYTES;
  if (response.status !== 200 || !isShort) throw new Error(`it answered ${response.status}`);
  const { now, proof } = (await response.json()) as { now?: unknown; proof?: unknown };
  if (typeof now !== "string" || typeof proof !== "string") return "it gave no proof";
  const statement = new TextEncoder().encode(clockStatement(nonce, now));
  const isProven = async (key: SigningKey): Promise<boolean> =>
    crypto.subtle.verify("HMAC", key, new Uint8Array(base64url.decode(proof)), statement);
  for (const key of keys) if (await isProven(key).catch(() => false)) return Date.parse(now);
  return "it has another secret key";
}

function sharedState(): Shared {
  const known = globalThis as { [SHARED]?: Shared };
  return (known[SHARED] ??= { said: new Set(), askAgainAt: 0 });
}

function sayOnce({ said }: Shared, text: string): void {
  if (said.has(text)) return;
  said.add(text);
  // oxlint-disable-next-line no-console -- on Node.js this is standard error, and the edge has nothing else
  console.warn(`svc: ${text}`);
}
