import { randomBytes } from "node:crypto";
import { ApiError } from "../errors.ts";
import { flowIdOf, type Flows } from "../history/flows.ts";
import type { AuthorizationServer } from "./endpoints.ts";
import type { AuthorizationRequest } from "./grants.ts";
import type { Parameters } from "./picker.ts";

/** A sealed request grows with its state and nonce. The service's own states have 64 characters. */
const MAX_STATE_LENGTH = 512;

/**
 * What a client asks for (RFC 6749, 4.1.1; RFC 7636, 4.3; OpenID Connect Core 1.0, 3.1.2.1).
 * @param flows has a refused request of an application afterwards
 * @throws {ApiError} if the request is invalid in a way that providers answer without a redirect
 */
export function parseRequest(
  { name, provider, callbackUrl, isClient, applicationOf }: AuthorizationServer,
  query: Parameters,
  browser: string | undefined,
  flows?: Flows,
): AuthorizationRequest {
  const client_id = query.get("client_id") ?? "";
  const state = query.get("state") ?? "";
  const nonce = query.get("nonce");
  const application = applicationOf(client_id);
  const refused = (reason: string): ApiError => {
    const facts = { provider: name, client_id, redirect_uri: query.get("redirect_uri") ?? null };
    const ended = { instance: application?.instance.id ?? null, result: "error", error: "bad_request" } as const;
    const step = { name: "provider", sent: facts, answered: { status: 400 }, reason };
    if (application) flows?.refused({ ...facts, ...ended, reason }, step);
    return new ApiError("bad_request", `${name} (simulated): ${reason}`);
  };
  if (!application && !isClient(client_id)) throw refused("unknown client_id");
  const registered = application?.redirect_uris ?? [callbackUrl];
  const redirect_uri = query.get("redirect_uri") ?? (application && provider.isLenient ? registered[0] : "") ?? "";
  if (!registered.includes(redirect_uri)) throw refused("redirect_uri is not registered for this client");
  if (query.get("response_type") !== "code") throw refused("response_type must be code");
  for (const [parameter, value = ""] of Object.entries({ state, nonce }))
    if (value.length > MAX_STATE_LENGTH) throw refused(`${parameter} must have at most ${MAX_STATE_LENGTH} characters`);
  const refusal = provider.refusal?.(query);
  if (refusal !== undefined) throw refused(refusal);
  const scopes = (query.get("scope") ?? "").split(" ");
  const code_challenge = query.get("code_challenge");
  if (code_challenge !== undefined && query.get("code_challenge_method") !== "S256")
    throw refused("code_challenge_method must be S256");
  const asked = { provider: name, client_id, redirect_uri, state, scopes, code_challenge, browser };
  if (!application) return { ...asked, flow_id: state === "" ? undefined : flowIdOf(state) };
  // An application's state may be missing, or always the same.
  const flow_id = randomBytes(8).toString("hex");
  return { ...asked, flow_id, nonce, instance_id: application.instance.id, isOffline: provider.isOffline?.(query) };
}
