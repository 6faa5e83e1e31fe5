import { SIGN_IN_ERRORS } from "../../wire/errors.ts";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import type { Addresses } from "../instances/addresses.ts";
import { ApiError, SignInError, SignInRefused } from "../errors.ts";
import type { FlowFacts, Flows, StepReport } from "../history/flows.ts";
import { withoutQuery } from "../history/redact.ts";
import type { LocateIp } from "./geo.ts";
import type { Connect, Connection } from "../providers/connections.ts";
import type { InstanceRecord, StateRecord, UserRecord } from "../store/records.ts";
import { StorageUnavailable, type SignInLookup } from "../store/store.ts";
import { bearerGet, exchangeCode, reportOf, withDeadline } from "./exchange.ts";
import { isPageBinding } from "./binding.ts";
import { checkIssuer } from "./oauth2.ts";
import { checkedProfile, openSession, resolveUser, type SignInContext } from "./resolve-user.ts";
import { withParameters } from "./redirect-uri.ts";
import type { StartLimit } from "./start-limit.ts";
import { STATE, claimState, type ClaimDeps, type ClaimRequest } from "./claim-state.ts";

/** What the two halves of a sign-in depend on. */
export interface SignInDeps extends ClaimDeps {
  readonly addresses: Addresses;
  readonly connect: Connect;
  readonly startLimit: StartLimit;
  readonly locate: LocateIp;
  readonly flows: Flows;
  /** How long a provider may take for all requests of a sign-in, in milliseconds. Default 10,000. */
  readonly providerTimeoutMs?: number | undefined;
  issueToken(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): Promise<string>;
  /** Called with the cause of a failure that is a bug of this service. */
  onBug(error: unknown): void;
  /** Called with the paths of what a provider sent and could not be read, if the sign-in continued without it. */
  onIgnored?(provider: Provider, paths: readonly string[]): void;
  /** Whether only this machine can reach the server. */
  readonly isLocal: boolean;
  /** Called when a program sends a user to a host that the instance does not list. */
  onUnlisted(instance: InstanceRecord, origin: string): void;
}

export interface CallbackRequest extends ClaimRequest {
  readonly code: string | undefined;
  /** The provider's error code, sent instead of `code` (RFC 6749, 4.1.2.1). */
  readonly error: string | undefined;
  /** Who sent the user here, if the provider says so (RFC 9207). */
  readonly iss?: string | undefined;
  readonly ip_address: string;
  /** `flowIdOf` the state. */
  readonly flow_id: string;
}

/**
 * The second half of a sign-in, from the provider's redirect on.
 * @returns the application's address, with a token or an error, and why it failed
 * @throws {SignInRefused} `invalid_state`; then no address can be trusted
 */
export async function answerCallback(deps: SignInDeps, request: CallbackRequest) {
  const startedAt = performance.now();
  const { state, provider } = request;
  const callback = { name: "callback", sent: { provider, code: request.code, error: request.error, state } };
  const { record, instance, removed } = await claimState(deps, request).catch((error: unknown) => {
    noteRefusal(deps, request, error, callback);
    throw error;
  });
  const note = deps.flows.of(request.flow_id);
  note({ instance: instance.id, provider, redirect_uri: record.redirect_uri }, callback);
  deps.startLimit.finished(request.ip_address);
  /** The step that decides, if the sign-in fails now. */
  let decidedBy = callback.name;
  const noteReply = (step: StepReport): void => {
    decidedBy = step.name;
    note({}, step);
  };
  const noteEnd = (facts: FlowFacts, answered: StepReport["answered"]): void =>
    note(
      facts,
      {
        name: "redirect",
        ms: performance.now() - startedAt,
        sent: { location: withoutQuery(record.redirect_uri) },
        answered: { status: 302, ...answered },
      },
      facts.reason === null ? undefined : decidedBy,
    );
  try {
    const connection = await deps.connect(instance, record.provider);
    checkIssuer(connection, request.iss);
    checkHolder(connection, record, request.code);
    // A real provider must be asked at most once for a state, even after a crash; a simulated one ends with this process.
    if (!connection.simulation) await removed;
    const { profile, tokens } = await fetchProfile(deps, connection, record, request, noteReply);
    decidedBy = "redirect";
    const context = { instance, provider: connection.provider, profile, tokens, now: deps.now().toISOString() };
    const { user, isNew } = await saveSignIn(deps, context, request.ip_address);
    await removed;
    const token = await deps.issueToken(instance, user, record.provider, deps.now());
    const { id: user_id, email, name } = user;
    noteEnd(
      { result: "token", user_id, error: null, reason: null },
      { result: "token", user_id, new_user: isNew, email, name },
    );
    return { location: withParameters(record.redirect_uri, { token }), token };
  } catch (error) {
    await removed;
    const failure = asSignInError(error);
    const { code, message: reason } = failure;
    if (failure.isBug) deps.onBug(failure.cause);
    noteEnd({ result: "error", error: code, reason }, { error: code });
    const parameters = { error: code, error_description: SIGN_IN_ERRORS[code] };
    return { location: withParameters(record.redirect_uri, parameters, ["token"]), failure };
  }
}

/** Records in the flow why the callback was refused. A malformed state belongs to no flow. */
function noteRefusal({ flows }: SignInDeps, request: CallbackRequest, error: unknown, step: StepReport): void {
  const { state, flow_id } = request;
  const reason = error instanceof SignInRefused ? error.reason : undefined;
  if (reason === undefined || !STATE.test(state)) return;
  const answered = { status: 400, error: "invalid_state" };
  flows.of(flow_id)({ result: "error", error: "invalid_state", reason }, { ...step, answered, reason });
}

/**
 * A sign-in that was bound at the simulated provider's page began elsewhere, with a state that its starter knows. Whoever
 * knows a state could have a browser bring a code of another account to the callback.
 * @throws {SignInError}
 */
function checkHolder({ simulation }: Connection, { binding }: StateRecord, code: string | undefined): void {
  if (code === undefined || !isPageBinding(binding) || simulation?.holderOf(code) === binding) return;
  throw new SignInError("server_error", "The code was not issued to this browser for this sign-in. Start a new one.");
}

async function fetchProfile(
  { addresses, onIgnored, providerTimeoutMs }: SignInDeps,
  connection: Connection,
  { provider, code_verifier }: StateRecord,
  { code, error }: CallbackRequest,
  onReply: (step: StepReport) => void,
) {
  if (error !== undefined) {
    const isKnown = error === "access_denied" || error === "temporarily_unavailable";
    throw new SignInError(isKnown ? error : "server_error", reportOf(provider, error));
  }
  if (!code)
    throw new SignInError(
      "server_error",
      `${PROVIDER_TITLES[provider]} sent the user back with neither a code nor an error. Start a new sign-in.`,
    );
  return withDeadline(async (signal) => {
    const ignored = (paths: readonly string[]): void => onIgnored?.(provider, paths);
    const exchange = { connection, signal, onIgnored: ignored, onReply };
    const redirect_uri = addresses.callbackUrl(provider);
    const tokens = await exchangeCode(exchange, { code, redirect_uri, code_verifier });
    const profile = await connection.provider.fetchProfile(bearerGet(exchange, tokens.access_token));
    return { profile: checkedProfile(profile, provider), tokens };
  }, providerTimeoutMs);
}

async function saveSignIn({ store, locate }: SignInDeps, context: SignInContext, ip_address: string) {
  const { instance, provider, profile } = context;
  const place = { ip_address, geo_data: locate(ip_address) };
  let lookup: SignInLookup = {};
  const { user } = await store.completeSignIn({
    instance_id: instance.id,
    provider: provider.name,
    uid: profile.uid,
    email: profile.email,
    ip_address,
    resolveUser: (found) => resolveUser(context, (lookup = found)),
    openSession: (resolved, active) => openSession(context, place, resolved, active),
  });
  return { user, isNew: !lookup.known && !lookup.sameEmail };
}

function asSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  // The provider was turned off after the sign-in began.
  if (error instanceof ApiError) return new SignInError("temporarily_unavailable", error.sentence);
  if (error instanceof StorageUnavailable)
    return new SignInError("temporarily_unavailable", `The store is unavailable: ${error.message}`, { cause: error });
  const reason = "svc failed with an internal error. Its log has the details.";
  return new SignInError("server_error", reason, { cause: error, isBug: true });
}
