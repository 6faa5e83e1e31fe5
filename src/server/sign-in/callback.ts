import { SIGN_IN_ERRORS } from "../../wire/errors.ts";
import { PROVIDER_TITLES } from "../../wire/providers.ts";
import { SIGNED_IN_PATH } from "../../wire/redirect-uri.ts";
import { Refusal, SignInFailure } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import { withoutQuery } from "../history/redact.ts";
import type { Addresses } from "../instances/addresses.ts";
import { withParameters } from "../instances/redirect-uri.ts";
import type { Connection } from "../providers/connections.ts";
import { bearerGet, requestTokens, answerDeadline } from "../providers/exchange.ts";
import { issuerFault } from "../providers/oauth2.ts";
import { reportOf } from "../providers/replies.ts";
import { StorageUnavailable } from "../store/store.ts";
import type { Ended, OpenSignIn } from "./claim.ts";
import type { SignInDeps } from "./deps.ts";
import { checkedProfile, openSession, resolveUser } from "./resolve-user.ts";

export type ExchangedCode = Awaited<ReturnType<typeof exchangeCode>>;
type Saved = Awaited<ReturnType<typeof saveSignIn>>;

/** The provider that the connection leads to must have sent the user back. */
export function checkIssuer(connection: Connection, { iss }: OpenSignIn): void {
  const fault = issuerFault(connection, iss);
  if (fault !== undefined) throw new SignInFailure("server_error", fault);
}

/** The provider's code for its tokens, once and never again, and these for the user's profile: all before one deadline. */
export async function exchangeCode(
  { addresses, providerTimeoutMs }: SignInDeps,
  { code, error, note, record: { code_verifier } }: OpenSignIn,
  connection: Connection,
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
  const deadline = answerDeadline(providerTimeoutMs);
  try {
    const exchange = { connection, note, signal: deadline.signal };
    const tokens = await requestTokens(exchange, { code, redirect_uri, code_verifier });
    const sent = await fetchProfile(bearerGet(exchange, tokens.access_token));
    return { tokens, profile: checkedProfile(sent, name) };
  } finally {
    deadline.end();
  }
}

/**
 * Finds, links or creates the user, and renews or opens the session: by the rules of `resolve-user.ts`, in one step of the
 * store.
 */
export async function saveSignIn(
  { store, locate, now }: SignInDeps,
  { ip_address, state, instance }: OpenSignIn,
  { provider }: Connection,
  { tokens, profile }: ExchangedCode,
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
    state,
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
  { note, state, startedAt, instance, record: { redirect_uri } }: OpenSignIn,
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
  return { result: "token", location, instance, token };
}

/** A sign-in that failed: the application is told by a redirect. @param isOurs whether the provider has done its part */
export function returnError(
  { addresses, flows, onBug }: SignInDeps,
  { note, state, startedAt, instance, record: { redirect_uri } }: OpenSignIn,
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
  return { result: "failure", location: withParameters(redirect_uri, parameters, ["token"]), instance, failure };
}

/** Our own page links to the steps of the sign-in that ends there. */
function flowFor({ front }: Addresses, redirect_uri: string, state: string): { flow?: string } {
  return redirect_uri === front + SIGNED_IN_PATH ? { flow: flowIdOf(state) } : {};
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
