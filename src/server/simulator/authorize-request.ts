import type { Provider } from "../../wire/names.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import type { AuthorizationRequest, Grants } from "./grants.ts";
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
): AuthorizationRequest {
  const { request, isExpired } = grants.pending(id) ?? {};
  const reason =
    request?.provider !== name
      ? "it gave out no such request"
      : request.browser !== browser
        ? "another browser began this sign-in"
        : isExpired
          ? "its ten minutes are over"
          : undefined;
  if (request && reason === undefined) return request;
  const { application } = request ?? {};
  const wayBack = application && /^https?:/.test(application.origin) ? application : undefined;
  const detail = `${name} (simulated) does not know this request any more; begin again at the application`;
  throw new SignInRefused("bad_request", detail, { reason, wayBack });
}

function refused(provider: Provider, why: string): ApiError {
  return new ApiError("bad_request", `${provider} (simulated) ${why}`);
}
