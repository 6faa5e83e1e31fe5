import { randomBytes } from "node:crypto";
import { PROVIDER_TITLES } from "../../wire/providers.ts";
import { SignInRefused } from "../errors.ts";
import { flowIdOf, type Flows } from "../history/flows.ts";
import { beginningOf, redactText, redactUrl } from "../history/redact.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { SERVICE_REGISTRATION } from "./clients.ts";
import type { AuthorizationServer } from "./endpoints.ts";
import type { Parameters } from "./picker.ts";

/** A sealed request grows with its state and nonce. The service's own states have 64 characters. */
const MAX_STATE_LENGTH = 512;

const MAX_SHOWN_LENGTH = 300;
const WHERE_TO_ADD = "Add it in the dashboard, under Instances, or to clients in the seed or svc.config.json";

/** What was sent, which may be anything. */
function shown(text: string): string {
  return JSON.stringify(redactText(beginningOf(text, MAX_SHOWN_LENGTH)));
}

function registeredAs(registered: readonly string[]): string {
  return registered.length === 0
    ? "none is registered"
    : `registered: ${registered.map((one) => redactUrl(one)).join(", ")}`;
}

/**
 * What a client asks for (RFC 6749, 4.1.1; RFC 7636, 4.3; OpenID Connect Core 1.0, 3.1.2.1).
 * @param flows has a refused request of an application afterwards
 * @throws {Refusal} if the request is invalid in a way that providers answer without a redirect
 */
export function parseRequest(
  { name, provider, callbackUrl, isClient, applications, applicationOf }: AuthorizationServer,
  query: Parameters,
  browser: string | undefined,
  flows?: Flows,
): AuthorizationRequest {
  const client_id = query.get("client_id") ?? "";
  const state = query.get("state") ?? "";
  const nonce = query.get("nonce");
  const application = applicationOf(client_id);
  const refused = (reason: string): SignInRefused => {
    const facts = { provider: name, client_id, redirect_uri: query.get("redirect_uri") ?? null };
    const instance_id = application?.instance.id;
    const ended = { instance: instance_id ?? null, result: "error", error: "bad_request" } as const;
    const step = { name: "provider", sent: facts, answered: { status: 400 }, reason };
    const flow_id = application && flows?.refused({ ...facts, ...ended, reason }, step);
    return new SignInRefused("bad_request", `${PROVIDER_TITLES[name]} (simulated): ${reason}`, {
      flow_id,
      instance_id,
    });
  };
  if (!application && !isClient(client_id)) {
    const known = applications().map((one) => one.client_id);
    throw refused(`unknown client_id ${shown(client_id)}; ${registeredAs(known)}. ${WHERE_TO_ADD}`);
  }
  const registered = application?.redirect_uris ?? [callbackUrl];
  const redirect_uri = query.get("redirect_uri") ?? (application && provider.isLenient ? registered[0] : "") ?? "";
  if (
    !registered.some((own) => own === redirect_uri || (provider.ignoresLoopbackPort && isOtherPort(own, redirect_uri)))
  ) {
    const fault = `redirect_uri ${shown(redactUrl(redirect_uri))} is not registered for this client; ${registeredAs(registered)}`;
    throw refused(application ? `${fault}. ${WHERE_TO_ADD}` : fault);
  }
  if ((query.get("response_type") ?? (provider.isLenient && "code")) !== "code")
    throw refused("response_type must be code");
  const scope = query.get("scope") ?? "";
  for (const [parameter, value = ""] of Object.entries({ state, nonce, scope }))
    if (value.length > MAX_STATE_LENGTH) throw refused(`${parameter} must have at most ${MAX_STATE_LENGTH} characters`);
  const refusal = provider.refusal?.(query);
  if (refusal !== undefined) throw refused(refusal);
  const scopes = scope.split(" ");
  const code_challenge = query.get("code_challenge");
  if (code_challenge !== undefined && query.get("code_challenge_method") !== "S256")
    throw refused("code_challenge_method must be S256");
  const registration = application?.registration ?? SERVICE_REGISTRATION;
  const asked = { provider: name, client_id, registration, redirect_uri, state, scopes, code_challenge, browser };
  if (!application) return { ...asked, flow_id: state === "" ? undefined : flowIdOf(state) };
  // An application's state may be missing, or always the same.
  const flow_id = randomBytes(8).toString("hex");
  const isOffline = provider.isOffline?.(query);
  const asksConsent = query.get("prompt")?.split(" ").includes("consent");
  return { ...asked, flow_id, nonce, instance_id: application.instance.id, isOffline, asksConsent };
}

/** Whether two addresses at an IP address of loopback differ in their ports alone (RFC 8252, 7.3). */
function isOtherPort(registered: string, sent: string): boolean {
  const [one, other] = [registered, sent].map((uri) =>
    /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/[^#]*)?$/.exec(uri),
  );
  return one !== undefined && one !== null && other !== null && one[1] === other?.[1] && one[2] === other?.[2];
}
