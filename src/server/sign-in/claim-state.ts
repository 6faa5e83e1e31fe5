import { SignInRefused, type WayBack } from "../errors.ts";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { STATE_LIFETIME_SECONDS } from "../../wire/redirect-uri.ts";
import type { InstanceRecord, StateRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { ReadCookie } from "../cookies.ts";
import { bindingFault } from "./binding.ts";
import type { Caller } from "./caller.ts";
import { parseRedirectUri } from "./redirect-uri.ts";
import { LRUCache } from "lru-cache";

export const STATE = /^[0-9a-f]{64}$/;
const MAX_FINISHED = 1000;

/** The latest sign-ins that this process finished, by state, for the error that a repeated callback gets. */
type FinishedSignIns = LRUCache<string, { readonly wayBack: WayBack | undefined }>;

export function createFinished(): FinishedSignIns {
  return new LRUCache({ max: MAX_FINISHED });
}

export interface ClaimDeps {
  readonly store: Store;
  readonly addresses: { readonly isHttps: boolean };
  readonly finished: FinishedSignIns;
  findInstance(id: string): InstanceRecord | undefined;
  now(): Date;
}

export interface ClaimRequest {
  readonly provider: Provider;
  readonly state: string;
  readonly cookie: ReadCookie;
  readonly caller: Caller;
}

/**
 * Claims a state: from here on no other request can use it, whatever follows.
 * @returns also `removed`, which must be awaited before anything is answered
 * @throws {SignInRefused} `invalid_state`: unknown, used, expired, of another provider, or of another browser
 */
export async function claimState(deps: ClaimDeps, request: ClaimRequest) {
  const { store, finished, findInstance } = deps;
  const taken = STATE.test(request.state) ? await store.takeState(request.state) : undefined;
  if (!taken) throw notOpen(request.state, finished);
  const { record } = taken;
  const instance = findInstance(record.instance_id);
  const wayBack = instance && wayBackTo(instance, record.redirect_uri);
  const removal = async (): Promise<void> => {
    if (!(await taken.removed)) throw notOpen(record.state, finished);
    finished.set(record.state, { wayBack });
  };
  const removed = removal();
  // It may fail before it is awaited.
  removed.catch(() => undefined);
  const fault = faultOf(record, request, deps);
  if (fault === undefined && instance?.active) return { record, instance, removed };
  await removed;
  if (fault !== undefined) throw new SignInRefused("invalid_state", undefined, { reason: fault, wayBack });
  const reason = "The instance of this sign-in is no longer active. Activate it first.";
  throw new SignInRefused("invalid_state", undefined, { reason });
}

function notOpen(state: string, finished: FinishedSignIns): SignInRefused {
  // Without updating its recency, so that the oldest is dropped first.
  const done = finished.peek(state);
  const reason = done
    ? "This sign-in was already finished, and its callback was requested again. Start a new one."
    : "No sign-in in progress has this state: it is unknown, used or expired. Start a new one.";
  return new SignInRefused("invalid_state", undefined, { reason, wayBack: done?.wayBack });
}

/** The application that an address belongs to; undefined for a private-use scheme, which has no page to return to. */
export function wayBackTo({ name }: InstanceRecord, redirect_uri: string): WayBack | undefined {
  const { hostname, origin } = parseRedirectUri(redirect_uri);
  return hostname === undefined ? undefined : { name, origin };
}

function faultOf(record: StateRecord, request: ClaimRequest, deps: ClaimDeps): string | undefined {
  const { addresses, now } = deps;
  const late = now().getTime() - new Date(record.expires_at).getTime();
  if (late >= 0)
    return `The state expired before the user came back, ${STATE_LIFETIME_SECONDS / 60} minutes after the sign-in began. Start a new one.`;
  if (record.provider !== request.provider)
    return `The sign-in began with ${PROVIDER_TITLES[record.provider]}, and ${PROVIDER_TITLES[request.provider]} sent the user back. Start a new one.`;
  return bindingFault(record, request, addresses.isHttps);
}
