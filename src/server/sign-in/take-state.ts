import { SignInRefused, type WayBack } from "../errors.ts";
import type { Provider } from "../../wire/names.ts";
import type { InstanceRecord, StateRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { isBound } from "./binding.ts";
import type { Caller } from "./caller.ts";
import type { FinishedSignIns } from "./finished.ts";
import { parseRedirectUri } from "./redirect-uri.ts";

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
  readonly cookie: string | undefined;
  readonly caller: Caller;
}

/**
 * The record of a state, which is gone from here on, whatever follows.
 * @throws {SignInRefused} `invalid_state`: unknown, used, expired, of another provider, or of another browser
 */
export async function takeState(
  deps: TakeStateDeps,
  request: TakeStateRequest,
): Promise<{ record: StateRecord; instance: InstanceRecord }> {
  const { finished, findInstance } = deps;
  const record = /^[0-9a-f]{64}$/.test(request.state) ? await deps.store.takeState(request.state) : undefined;
  if (!record) {
    const wasFinished = finished.has(request.state);
    const reason = wasFinished ? "this sign-in has been finished already" : "no sign-in that has this state is open";
    throw new SignInRefused("invalid_state", undefined, { reason, wayBack: finished.wayBack(request.state) });
  }
  const instance = findInstance(record.instance_id);
  const wayBack = instance && wayBackTo(instance, record.redirect_uri);
  finished.add(record.state, wayBack);
  const reason = faultOf(record, request, deps);
  if (reason !== undefined) throw new SignInRefused("invalid_state", undefined, { reason, wayBack });
  if (!instance?.active)
    throw new SignInRefused("invalid_state", undefined, { reason: "its instance is not active any more" });
  return { record, instance };
}

/** The application that an address belongs to; a private-use scheme has no page to go back to. */
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
  if (late >= 0) return `the state expired ${Math.round(late / 1000)} s before`;
  if (record.provider !== request.provider) return `the sign-in was begun with ${record.provider}`;
  const { cookie, caller } = request;
  if (isBound(record, { cookie, isBrowser: caller.isBrowser }, addresses.isHttps)) return undefined;
  return record.binding === null
    ? "a program began the sign-in, and a browser cannot finish it"
    : "the sign-in was begun in another browser: its cookie is missing";
}
