import { STATE_LIFETIME_SECONDS, addressIn } from "../../wire/redirect-uri.ts";
import type { Provider } from "../../wire/providers.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import { flowIdOf } from "../history/flows.ts";
import { redactUrl, withoutQuery } from "../history/redact.ts";
import { newRecord, type InstanceRecord } from "../store/records.ts";
import { AWAITS_BROWSER, createBinding } from "./binding.ts";
import type { Caller } from "./caller.ts";
import { authorizationUrl, generateCodeVerifier, generateState } from "./oauth2.ts";
import { checkRedirectUri, listedDestination } from "./redirect-rule.ts";
import { parseRedirectUri } from "./redirect-uri.ts";
import { wayBackTo } from "./claim-state.ts";
import { answerCallback, type CallbackRequest, type SignInDeps } from "./complete.ts";

interface BeginRequest {
  readonly instance: InstanceRecord;
  readonly provider: Provider;
  /** The application's address that the user returns to. */
  readonly redirect_uri: string;
  readonly login_hint: string | undefined;
  readonly ip_address: string;
  readonly caller: Caller;
  /** Whether the request came to the host of the callback, where the browser must get the cookie that binds it. */
  readonly isAtCallback: boolean;
  /** `redirect_uri` is the service's own page, which needs no permission. */
  readonly isOwnPage?: true;
}

/** Whether a sign-in may begin; nothing is saved. @throws {SignInRefused} */
async function checkBegin(
  { connect, isLocal, flows }: SignInDeps,
  { instance, provider, redirect_uri, caller, isOwnPage }: BeginRequest,
) {
  try {
    const connection = await connect(instance, provider);
    const isSimulated = connection.simulation !== undefined;
    const destination = isOwnPage
      ? listedDestination(parseRedirectUri(redirect_uri))
      : checkRedirectUri(redirect_uri, instance, { caller, isLocal, isSimulated });
    return { connection, destination };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, sentence } = error;
    // It was not checked yet, and may be anything.
    const shown = withoutQuery(redirect_uri);
    const isAddress = code === "invalid_redirect_uri";
    const reason = isAddress ? `The redirect_uri was refused: ${sentence}` : sentence;
    const registered = instance.redirect_uris.map((entry) => redactUrl(entry)).join(", ");
    flows.refused(
      { instance: instance.id, provider, redirect_uri: shown || null, result: "error", error: code, reason },
      {
        name: "begin",
        sent: { provider, instance: instance.subdomain, redirect_uri: shown },
        answered: { status: 400, error: code, ...(isAddress && { registered }) },
        reason,
      },
    );
    const listed = instance.redirect_uris.map(addressIn).find((address) => address && /^https?:/.test(address));
    const wayBack = listed === undefined ? undefined : wayBackTo(instance, listed);
    throw new SignInRefused(error.code, error.detail, { wayBack });
  }
}

/**
 * The first half of a sign-in: saves its state, unless the browser must begin at another host.
 * @returns the provider's address to continue at, and the cookie of the browser that began; or our address at that host
 * @throws {SignInRefused} `invalid_redirect_uri` or `provider_not_configured`
 */
async function beginSignIn(deps: SignInDeps, request: BeginRequest) {
  const { instance, provider, redirect_uri, login_hint, caller, isAtCallback } = request;
  const { connection, destination } = await checkBegin(deps, request);
  // A real provider has no page of ours that could bind the browser before it comes to the callback; and only the
  // callback's host can tell a frame, where a sign-in must not begin.
  if (caller.isBrowser && !isAtCallback && (!connection.simulation || caller.mayBeFrame))
    return { location: atCallback(deps, request) };
  if (destination.isUnlisted) deps.onUnlisted(instance, destination.origin);

  deps.startLimit.begun(request.ip_address);
  const state = generateState();
  const code_verifier = connection.provider.pkce ? generateCodeVerifier() : null;
  const binding = caller.isBrowser && isAtCallback ? createBinding(state, deps.addresses.isHttps) : undefined;
  const now = deps.now();
  await deps.store.saveState(
    newRecord("states", {
      state,
      instance_id: instance.id,
      provider,
      redirect_uri,
      code_verifier,
      binding: binding?.hash ?? (caller.isBrowser ? AWAITS_BROWSER : null),
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + STATE_LIFETIME_SECONDS * 1000).toISOString(),
    }),
  );

  const location = authorizationUrl(connection, {
    redirect_uri: deps.addresses.callbackUrl(provider),
    state,
    code_verifier,
    // Otherwise a page could preselect the account and skip the confirmation.
    login_hint: destination.needsClick ? undefined : login_hint,
    application: { name: instance.name, origin: destination.origin, needsClick: destination.needsClick },
  });
  const flow_id = flowIdOf(state);
  deps.flows.of(flow_id)(
    { instance: instance.id, provider, redirect_uri },
    {
      name: "begin",
      sent: { provider, instance: instance.subdomain, redirect_uri: withoutQuery(redirect_uri), login_hint },
      answered: { status: 302, location: withoutQuery(location) },
    },
  );
  return { location, flow_id, cookie: binding?.cookie };
}

/** Where a browser begins the same sign-in at the callback's host. */
function atCallback({ addresses }: SignInDeps, { instance, provider, redirect_uri, login_hint }: BeginRequest): string {
  const query = new URLSearchParams({
    instance: instance.subdomain,
    provider,
    redirect_uri,
    ...(login_hint !== undefined && { login_hint }),
  });
  return `${addresses.front}/__svc/begin?${query.toString()}`;
}

export type SignIns = ReturnType<typeof createSignIns>;

/** The sign-ins of all instances. Between its two halves a sign-in is nothing but the record of its state. */
export function createSignIns(deps: SignInDeps) {
  return {
    begin: (request: BeginRequest) => beginSignIn(deps, request),
    complete: (request: CallbackRequest) => answerCallback(deps, request),
  };
}
