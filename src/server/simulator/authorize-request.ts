import type { Provider } from "../../wire/providers.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import type { Application } from "../providers/connections.ts";
import type { AuthorizationRequest, Grants, PendingRequest } from "./grants.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Personas } from "./personas.ts";
import type { SimulatedProvider } from "./provider.ts";

export type Parameters = ReadonlyMap<string, string>;

/** A sealed request grows with its state. The service's own states have 64 characters. */
const MAX_STATE_LENGTH = 512;

export const ANOTHER_BROWSER = "another browser began this sign-in";

/** A client's request. @throws {ApiError} if it is invalid in a way that providers answer without a redirect */
export function parseRequest(
  { name, provider, grants, callbackUrl, isClient }: AuthorizationServer,
  query: Parameters,
  browser: string | undefined,
): AuthorizationRequest {
  const client_id = query.get("client_id") ?? "";
  const redirect_uri = query.get("redirect_uri") ?? "";
  const state = query.get("state") ?? "";
  if (!isClient(client_id)) throw refused(name, "unknown client_id");
  if (redirect_uri !== callbackUrl) throw refused(name, "redirect_uri is not registered for this client");
  if (query.get("response_type") !== "code") throw refused(name, "response_type must be code");
  if (state.length > MAX_STATE_LENGTH) throw refused(name, `state must have at most ${MAX_STATE_LENGTH} characters`);
  const refusal = provider.refusal?.(query);
  if (refusal !== undefined) throw refused(name, refusal);
  return {
    provider: name,
    client_id,
    redirect_uri,
    state,
    scopes: (query.get("scope") ?? "").split(" "),
    code_challenge: query.get("code_challenge"),
    application: grants.openApplication(query.get("application") ?? "", state),
    browser,
    outcome: undefined,
    profile: undefined,
    delays: undefined,
  };
}

/** The request that a choice answers. @throws {ApiError} if it is unknown, another browser's, or older than ten minutes */
export function findRequest(
  { name, grants }: AuthorizationServer,
  query: Parameters,
  browser: string | undefined,
): PendingRequest {
  const pending = grants.pending(query.get("request") ?? "");
  const reason =
    pending?.request.provider !== name
      ? "unknown request"
      : pending.request.browser !== browser
        ? ANOTHER_BROWSER
        : pending.isExpired
          ? "the request expired after ten minutes"
          : undefined;
  if (pending && reason === undefined) return pending;
  throw noLongerValid(name, pending?.request.application, reason);
}

/** @param reason for the log */
export function noLongerValid(
  provider: Provider,
  application: Application | undefined,
  reason: string | undefined,
): SignInRefused {
  // If a click is needed, the destination may not be the application's own site, so there is no link to it.
  const isWayBack = application && !application.needsClick && /^https?:/.test(application.origin);
  const detail = `${provider} (simulated): this request is no longer valid; start again from the application`;
  return new SignInRefused("bad_request", detail, { reason, wayBack: isWayBack ? application : undefined });
}

function refused(provider: Provider, why: string): ApiError {
  return new ApiError("bad_request", `${provider} (simulated): ${why}`);
}

/** The end of a sign-in at the provider: with a code for the account, or with the error of the request's outcome. */
export interface Redirect {
  readonly location: string;
  readonly asked: AuthorizationRequest;
  readonly persona: PersonaRecord | undefined;
}

/** One simulated provider at work: its rules, what it has granted, and the clients and accounts that it knows. */
export interface AuthorizationServer {
  readonly name: Provider;
  readonly provider: SimulatedProvider;
  readonly grants: Grants;
  readonly personas: Personas;
  /** The only redirect_uri that is registered. */
  readonly callbackUrl: string;
  /** Whether a client is registered. @param client_secret must be the client's if it is given */
  isClient(client_id: string, client_secret?: string): boolean;
}
