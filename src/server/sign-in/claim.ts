import type { Caller } from "../../http/headers.ts";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { STATE_LIFETIME_SECONDS } from "../../wire/redirect-uri.ts";
import type { Cookies } from "../cookies.ts";
import { SignInRefused, type SignInFailure, type WayBack } from "../errors.ts";
import type { NoteStep } from "../history/flows.ts";
import { wayBackTo } from "../instances/redirect-uri.ts";
import { remember } from "../memory-use.ts";
import type { InstanceRecord, StateRecord } from "../store/records.ts";
import type { ClaimedState } from "../store/store.ts";
import { bindingFault } from "./binding.ts";
import type { SignInDeps } from "./deps.ts";

export interface ProviderCallback {
  readonly provider: Provider;
  readonly state: string;
  readonly code: string | undefined;
  /** The provider's error code, sent instead of `code` (RFC 6749, 4.1.2.1). */
  readonly error: string | undefined;
  /** Who sent the user here, if the provider says so (RFC 9207). */
  readonly iss?: string | undefined;
  readonly ip_address: string;
  readonly caller: Caller;
  readonly cookies: Cookies;
}

export interface NotedCallback extends ProviderCallback {
  /** In milliseconds of `performance.now`. */
  readonly startedAt: number;
  readonly note: NoteStep;
}

/** A sign-in whose state is good, and which this client began. The application is told how it ends. */
export interface OpenSignIn extends NotedCallback {
  readonly record: StateRecord;
  readonly instance: InstanceRecord;
}

export type Ended =
  | { readonly result: "token"; readonly location: string; readonly instance: InstanceRecord; readonly token: string }
  | {
      readonly result: "failure";
      readonly location: string;
      readonly instance: InstanceRecord;
      readonly failure: SignInFailure;
    };

const STATE = /^[0-9a-f]{64}$/;
const MAX_USED = 1000;

export async function claimState(
  { store, startLimit, used }: SignInDeps,
  { state }: NotedCallback,
): Promise<ClaimedState> {
  const claimed = STATE.test(state) ? await store.claimState(state) : undefined;
  if (claimed) {
    startLimit.forget(state);
    return claimed;
  }
  const reason = used.has(state)
    ? "The callback of this sign-in came before, and counts once. Start a new one."
    : "No sign-in in progress has this state: it is unknown, used or expired. Start a new one.";
  throw stateRefused(reason, used.get(state));
}

/** The state must be in time, and the provider's own. */
export function checkState({ used, instances, now }: SignInDeps, call: NotedCallback, record: StateRecord) {
  const { state, provider } = call;
  const instance = instances.byId(record.instance_id);
  const wayBack = instance && wayBackTo(instance, record.redirect_uri);
  remember(used, state, wayBack, MAX_USED);
  if (now().getTime() >= Date.parse(record.expires_at))
    throw stateRefused(
      `The state expired before the user came back, ${STATE_LIFETIME_SECONDS / 60} minutes after the sign-in began. Start a new one.`,
      wayBack,
    );
  if (record.provider !== provider)
    throw stateRefused(
      `The sign-in began with ${PROVIDER_TITLES[record.provider]}, and ${PROVIDER_TITLES[provider]} sent the user back. Start a new one.`,
      wayBack,
    );
  return { ...call, record, instance };
}

/** Whoever finishes a sign-in must be who began it. */
export function checkBrowser({ addresses }: SignInDeps, call: ReturnType<typeof checkState>): OpenSignIn {
  const { record, instance } = call;
  const { provider, redirect_uri } = record;
  const fault = bindingFault(record, call, addresses.isHttps);
  if (fault !== undefined) throw stateRefused(fault, instance && wayBackTo(instance, redirect_uri));
  if (!instance) throw stateRefused("The instance of this sign-in was deleted.");
  if (!instance.active) throw stateRefused("The instance of this sign-in is no longer active. Activate it first.");
  call.note({ instance: instance.id, provider, redirect_uri }, arrival(call));
  return { ...call, instance };
}

/** The browser is told, as it can't be sent to the application. */
export function noteRefusal(call: NotedCallback, error: unknown): void {
  if (!(error instanceof SignInRefused && error.reason !== undefined && STATE.test(call.state))) return;
  const { reason } = error;
  const answered = { status: 400, error: "invalid_state" };
  call.note({ result: "error", error: "invalid_state", reason }, { ...arrival(call), answered, reason });
}

function stateRefused(reason: string, wayBack?: WayBack): SignInRefused {
  return new SignInRefused("invalid_state", undefined, { reason, wayBack });
}

/** The callback's request, for the flow. */
function arrival({ provider, code, error, state }: ProviderCallback) {
  return { name: "callback", sent: { provider, code, error, state } };
}
