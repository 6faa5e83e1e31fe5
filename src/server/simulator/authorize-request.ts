import type { Provider } from "../../wire/names.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import type { AuthorizationRequest, Grants, PendingRequest } from "./grants.ts";
import type { Personas } from "./personas.ts";
import type { SimulatedProvider } from "./provider.ts";

export interface AuthorizeDeps {
  readonly grants: Grants;
  readonly personas: Personas;
  /** Where the provider sends browsers back to. */
  readonly callbackUrl: string;
  isClient(client_id: string): boolean;
}

export type Parameters = ReadonlyMap<string, string>;

/** What is remembered of a request grows with it. The service's own states have 64 characters. */
const MAX_STATE_LENGTH = 512;

/** A client's request. @throws {ApiError} for one that a provider would not redirect from */
export function parseRequest(
  name: Provider,
  provider: SimulatedProvider,
  { grants, callbackUrl, isClient }: AuthorizeDeps,
  query: Parameters,
  { browser, outcome }: Pick<AuthorizationRequest, "browser" | "outcome">,
): AuthorizationRequest {
  const client_id = query.get("client_id") ?? "";
  const redirect_uri = query.get("redirect_uri") ?? "";
  const state = query.get("state") ?? "";
  if (!isClient(client_id)) throw refused(name, "knows no such client_id");
  if (redirect_uri !== callbackUrl) throw refused(name, "has another redirect_uri for this client");
  if (query.get("response_type") !== "code") throw refused(name, "wants response_type=code");
  if (state.length > MAX_STATE_LENGTH) throw refused(name, `takes a state of at most ${MAX_STATE_LENGTH} characters`);
  const refusal = provider.refusal(query);
  if (refusal !== undefined) throw refused(name, refusal);
  return {
    provider: name,
    client_id,
    redirect_uri,
    state,
    scopes: (query.get("scope") ?? "").split(" "),
    code_challenge: query.get("code_challenge"),
    application: grants.introduced(query.get("application") ?? "", state),
    browser,
    outcome,
  };
}

/** The request that a choice answers: it must have been given to this browser, ten minutes ago at most. */
export function findRequest(
  name: Provider,
  { grants }: AuthorizeDeps,
  id: string,
  browser: string | undefined,
): PendingRequest {
  const request = grants.pending(id);
  const reason =
    request?.provider !== name
      ? "it gave out no such request"
      : request.browser !== browser
        ? "another browser began this sign-in"
        : request.isExpired
          ? "its ten minutes are over"
          : undefined;
  if (request && reason === undefined) return request;
  const { application } = request ?? {};
  // Where a click was wanted, the application's own site is not to be taken for the one that is named.
  const isWayBack = application && !application.needsClick && /^https?:/.test(application.origin);
  const detail = `${name} (simulated) does not know this request any more; begin again at the application`;
  throw new SignInRefused("bad_request", detail, { reason, wayBack: isWayBack ? application : undefined });
}

function refused(provider: Provider, why: string): ApiError {
  return new ApiError("bad_request", `${provider} (simulated) ${why}`);
}
