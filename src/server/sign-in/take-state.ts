import { SignInRefused, type WayBack } from "../errors.ts";
import type { Provider } from "../../wire/names.ts";
import type { InstanceRecord, StateRecord } from "../store/records.ts";
import type { Store, TakenState } from "../store/store.ts";
import type { ReadCookie } from "../cookies.ts";
import { AWAITS_BROWSER, isBound } from "./binding.ts";
import type { Caller } from "./caller.ts";
import type { FinishedSignIns } from "./finished.ts";
import { parseRedirectUri } from "./redirect-uri.ts";

export const STATE = /^[0-9a-f]{64}$/;

export interface TakeStateDeps {
  readonly store: Store;
  readonly addresses: { readonly isHttps: boolean };
  readonly finished: FinishedSignIns;
  findInstance(id: string): InstanceRecord | undefined;
  now(): Date;
}

export interface TakeStateRequest {
  readonly provider: Provider;
  readonly state: string;
  readonly cookie: ReadCookie;
  readonly caller: Caller;
}

/**
 * Takes a state: from here on no other request can use it, whatever follows.
 * @returns also `removed`, which must be awaited before anything is answered
 * @throws {SignInRefused} `invalid_state`: unknown, used, expired, of another provider, or of another browser
 */
export async function takeState(
  deps: TakeStateDeps,
  request: TakeStateRequest,
): Promise<{ record: StateRecord; instance: InstanceRecord; removed: Promise<void> }> {
  const { store, finished, findInstance } = deps;
  const taken = STATE.test(request.state) ? await store.takeState(request.state) : undefined;
  if (!taken) throw notOpen(request.state, finished);
  const { record } = taken;
  const instance = findInstance(record.instance_id);
  const wayBack = instance && wayBackTo(instance, record.redirect_uri);
  const removed = removal(taken, finished, wayBack);
  // It may fail before it is awaited.
  removed.catch(() => undefined);
  const fault = faultOf(record, request, deps);
  if (fault === undefined && instance?.active) return { record, instance, removed };
  await removed;
  const why = fault === undefined ? { reason: "its instance is no longer active" } : { reason: fault, wayBack };
  throw new SignInRefused("invalid_state", undefined, why);
}

async function removal(
  { record, removed }: TakenState,
  finished: FinishedSignIns,
  wayBack: WayBack | undefined,
): Promise<void> {
  if (!(await removed)) throw notOpen(record.state, finished);
  finished.add(record.state, wayBack);
}

function notOpen(state: string, finished: FinishedSignIns): SignInRefused {
  const wasFinished = finished.has(state);
  const reason = wasFinished ? "this sign-in was already finished" : "no open sign-in has this state";
  return new SignInRefused("invalid_state", undefined, { reason, wayBack: finished.wayBack(state) });
}

/** The application that an address belongs to; undefined for a private-use scheme, which has no page to return to. */
export function wayBackTo({ name }: InstanceRecord, redirect_uri: string): WayBack | undefined {
  const { hostname, origin } = parseRedirectUri(redirect_uri);
  return hostname === undefined ? undefined : { name, origin };
}

function faultOf(
  record: StateRecord,
  request: TakeStateRequest,
  { addresses, now }: TakeStateDeps,
): string | undefined {
  const late = now().getTime() - new Date(record.expires_at).getTime();
  if (late >= 0) return `the state expired ${Math.round(late / 1000)} s ago`;
  if (record.provider !== request.provider) return `the sign-in began with ${record.provider}`;
  const { cookie, caller } = request;
  if (isBound(record, { cookie, isBrowser: caller.isBrowser }, addresses.isHttps)) return undefined;
  if (record.binding === AWAITS_BROWSER) return "the sign-in's browser did not come to the provider's page";
  return record.binding === null
    ? "a program began the sign-in, so a browser cannot finish it"
    : "the sign-in began in another browser: its cookie is missing";
}
