import { SIGN_IN_ERRORS } from "../../wire/errors.ts";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { SIGNED_IN_PATH, STATE_LIFETIME_SECONDS } from "../../wire/redirect-uri.ts";
import type { Cookies } from "../cookies.ts";
import { Refusal, SignInFailure, SignInRefused, type WayBack } from "../errors.ts";
import { flowIdOf, type NoteStep } from "../history/flows.ts";
import { withoutQuery } from "../history/redact.ts";
import type { Addresses } from "../instances/addresses.ts";
import { withParameters, wayBackTo } from "../instances/redirect-uri.ts";
import { remember } from "../memory-use.ts";
import type { Connection } from "../providers/connections.ts";
import { askProvider, bearerGet, requestTokens, type Exchange } from "../providers/exchange.ts";
import { issuerFault } from "../providers/oauth2.ts";
import { reportOf } from "../providers/replies.ts";
import type { InstanceRecord, StateRecord } from "../store/records.ts";
import { StorageUnavailable } from "../store/store.ts";
import { bindingFault } from "./binding.ts";
import type { Caller } from "./caller.ts";
import type { SignInDeps } from "./deps.ts";
import { checkedProfile, openSession, resolveUser } from "./resolve-user.ts";

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

/** The request, and what tells of it. */
interface Callback extends ProviderCallback {
  /** In milliseconds of `performance.now`. */
  readonly startedAt: number;
  readonly note: NoteStep;
}

type Found = Awaited<ReturnType<typeof claimState>>;
type Exchanged = Awaited<ReturnType<typeof exchangeCode>>;
type Saved = Awaited<ReturnType<typeof saveSignIn>>;

/** How a sign-in ended. Where it is a refusal, no address of the application can be trusted. */
export type Ended =
  | { readonly result: "token"; readonly location: string; readonly token: string }
  | { readonly result: "failure"; readonly location: string; readonly failure: SignInFailure }
  | { readonly result: "refusal"; readonly refusal: unknown };

const STATE = /^[0-9a-f]{64}$/;
const MAX_FINISHED = 1000;

/** From here on no other request can use the state, whatever follows, even after a crash. */
export async function claimState({ store, finished, instances, now }: SignInDeps, { state, provider }: Callback) {
  const record = STATE.test(state) ? await store.takeState(state) : undefined;
  if (!record) {
    const reason = finished.has(state)
      ? "This sign-in was already finished, and its callback was requested again. Start a new one."
      : "No sign-in in progress has this state: it is unknown, used or expired. Start a new one.";
    throw stateRefused(reason, finished.get(state));
  }
  const instance = instances.byId(record.instance_id);
  const wayBack = instance && wayBackTo(instance, record.redirect_uri);
  remember(finished, state, wayBack, MAX_FINISHED);
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
  return { record, instance };
}

/** Whoever finishes a sign-in must be who began it. From here on the application is told what happens. */
export function checkBrowser({ addresses, startLimit }: SignInDeps, call: Callback, { record, instance }: Found) {
  const { provider, redirect_uri } = record;
  const fault = bindingFault(record, call, addresses.isHttps);
  if (fault !== undefined) throw stateRefused(fault, instance && wayBackTo(instance, redirect_uri));
  if (!instance?.active) throw stateRefused("The instance of this sign-in is no longer active. Activate it first.");
  startLimit.finished(record.state);
  call.note({ instance: instance.id, provider, redirect_uri }, arrival(call));
  return { record, instance };
}

/** The provider that the connection leads to must have sent the user back. */
export function checkIssuer(connection: Connection, { iss }: Callback): void {
  const fault = issuerFault(connection, iss);
  if (fault !== undefined) throw new SignInFailure("server_error", fault);
}

/** The provider's code for its tokens, once and never again, and these for the user's profile: all before one deadline. */
export async function exchangeCode(
  { addresses, providerTimeoutMs }: SignInDeps,
  { code, error, note }: Callback,
  connection: Connection,
  { code_verifier }: StateRecord,
) {
  const { name, fetchProfile } = connection.provider;
  if (error !== undefined) {
    const isKnown = error === "access_denied" || error === "temporarily_unavailable";
    throw new SignInFailure(isKnown ? error : "server_error", reportOf(name, error));
  }
  if (!code) {
    const reason = `${PROVIDER_TITLES[name]} sent the user back with neither a code nor an error. Start a new sign-in.`;
    throw new SignInFailure("server_error", reason);
  }
  const redirect_uri = addresses.callbackUrl(name);
  const ask = async (exchange: Exchange) => {
    const tokens = await requestTokens(exchange, { code, redirect_uri, code_verifier });
    const sent = await fetchProfile(bearerGet(exchange, tokens.access_token));
    return { tokens, profile: checkedProfile(sent, name) };
  };
  return askProvider({ connection, note }, ask, providerTimeoutMs);
}

/**
 * Finds, links or creates the user, and renews or opens the session: by the rules of `resolve-user.ts`, in one step of the
 * store.
 */
export async function saveSignIn(
  { store, locate, now }: SignInDeps,
  { ip_address }: Callback,
  instance: InstanceRecord,
  { provider }: Connection,
  { tokens, profile }: Exchanged,
) {
  const context = { instance, provider, profile, tokens, now: now().toISOString() };
  const place = { ip_address, geo_data: locate(ip_address) };
  let isNew = false;
  const { user } = await store.completeSignIn({
    instance_id: instance.id,
    provider: provider.name,
    uid: profile.uid,
    email: profile.email,
    ip_address,
    resolveUser(found) {
      isNew = !found.known && !found.sameEmail;
      return resolveUser(context, found);
    },
    openSession: (resolved, active) => openSession(context, place, resolved, active),
  });
  return { user, isNew };
}

/** The token goes into the application's own address. */
export function returnToken(
  { addresses }: SignInDeps,
  { note, state, startedAt }: Callback,
  { redirect_uri }: StateRecord,
  { user, isNew }: Saved,
  token: string,
): Ended {
  const { id: user_id, email, name } = user;
  const answered = { status: 302, result: "token", user_id, new_user: isNew, email, name };
  const ms = performance.now() - startedAt;
  const facts = { result: "token", user_id, error: null, reason: null } as const;
  note(facts, { name: "redirect", ms, sent: { location: withoutQuery(redirect_uri) }, answered });
  const location = withParameters(redirect_uri, { token, ...flowFor(addresses, redirect_uri, state) }, [
    "error",
    "error_description",
  ]);
  return { result: "token", location, token };
}

/** The browser is told, as it can't be sent to the application. */
export function refuse(call: Callback, error: unknown): Ended {
  if (error instanceof SignInRefused && error.reason !== undefined && STATE.test(call.state)) {
    const { reason } = error;
    const answered = { status: 400, error: "invalid_state" };
    call.note({ result: "error", error: "invalid_state", reason }, { ...arrival(call), answered, reason });
  }
  return { result: "refusal", refusal: error };
}

/** A sign-in that failed: the application is told by a redirect. @param isOurs whether the provider has done its part */
export function returnError(
  { addresses, flows, onBug }: SignInDeps,
  { note, state, startedAt }: Callback,
  { redirect_uri }: StateRecord,
  error: unknown,
  isOurs: boolean,
): Ended {
  const failure = asSignInFailure(error);
  const { code, message: reason } = failure;
  if (failure.isBug) onBug(failure.cause);
  // Until the profile was read, the latest request or answer has decided.
  const decidedBy = isOurs ? "redirect" : flows.get(flowIdOf(state))?.steps.at(-1)?.name;
  const sent = { location: withoutQuery(redirect_uri) };
  const step = { name: "redirect", ms: performance.now() - startedAt, sent, answered: { status: 302, error: code } };
  note({ result: "error", error: code, reason }, step, decidedBy);
  const own = flowFor(addresses, redirect_uri, state);
  const parameters = { error: code, error_description: SIGN_IN_ERRORS[code], ...own };
  return { result: "failure", location: withParameters(redirect_uri, parameters, ["token"]), failure };
}

/** Our own page links to the steps of the sign-in that ends there. */
function flowFor({ front }: Addresses, redirect_uri: string, state: string): { flow?: string } {
  return redirect_uri === front + SIGNED_IN_PATH ? { flow: flowIdOf(state) } : {};
}

function stateRefused(reason: string, wayBack?: WayBack): SignInRefused {
  return new SignInRefused("invalid_state", undefined, { reason, wayBack });
}

/** The callback's request, for the flow. */
function arrival({ provider, code, error, state }: ProviderCallback) {
  return { name: "callback", sent: { provider, code, error, state } };
}

function asSignInFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  // The provider was turned off after the sign-in began.
  if (error instanceof Refusal) return new SignInFailure("temporarily_unavailable", error.sentence);
  if (error instanceof StorageUnavailable)
    return new SignInFailure("temporarily_unavailable", `The store is unavailable: ${error.message}`, { cause: error });
  const reason = "svc failed with an internal error. Its log has the details.";
  return new SignInFailure("server_error", reason, { cause: error, isBug: true });
}
