import type { FlowFacts, Flows } from "../history/flows.ts";
import { withParameters } from "../instances/redirect-uri.ts";
import { reportOf } from "../providers/replies.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { editedNames } from "./edit.ts";
import type { AuthorizationServer } from "./endpoints.ts";
import type { Granted } from "./grants.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { REDIRECT_ERRORS } from "./outcomes.ts";
import { referenceTo } from "./typed-account.ts";

/** The end of a sign-in at the provider: with a code for the account, or with an error. */
export interface Redirect {
  readonly location: string;
  readonly asked: AuthorizationRequest;
  readonly persona: PersonaRecord | undefined;
  readonly code?: string;
  readonly error?: string;
}

export interface SettleDeps {
  readonly flows: Flows;
  readonly store: Store;
  now(): Date;
}

/** @param error instead of a code; default: that of the request's outcome */
export function redirectToClient(
  { grants, provider, issuer }: AuthorizationServer,
  asked: AuthorizationRequest,
  persona: PersonaRecord | undefined,
  error = REDIRECT_ERRORS[asked.outcome ?? "success"],
): Redirect {
  const { redirect_uri, state, instance_id } = asked;
  const answer =
    error === undefined && persona ? { code: grants.issueCode(asked, persona) } : { error: error ?? "access_denied" };
  // RFC 9207. The service knows its simulated providers by their addresses.
  const iss = instance_id !== undefined && provider.claims ? { iss: issuer } : {};
  const sent = { ...answer, ...(state !== "" && { state }), ...iss };
  return { location: withParameters(redirect_uri, sent), asked, persona, ...answer };
}

/** What is known of a sign-in with an application's own client. The service notes its own sign-ins where they begin. */
export function applicationFacts({ instance_id, provider, client_id, redirect_uri }: Granted): FlowFacts {
  return instance_id === undefined ? {} : { instance: instance_id, provider, client_id, redirect_uri };
}

/** Records in the flow how a sign-in was decided, and prepares the records that its outcome needs before the callback. */
export async function settle(
  { flows, store, now }: SettleDeps,
  { asked, persona, error: sent }: Redirect,
  { ms, login_hint }: { readonly ms: number; readonly login_hint: string | undefined },
): Promise<void> {
  const { provider, state, instance_id, flow_id, outcome = "success", chosen, profile } = asked;
  if (flow_id === undefined) return;
  const changes = profile && { profile: profile.set, omit: [...profile.omit] };
  // Of one that was typed in, the address as it was typed.
  const account = persona && (referenceTo(persona).id ?? persona.email);
  const who = persona && { name: persona.name, email: persona.email };
  const profile_changes = profile && editedNames(profile);
  const error = instance_id === undefined ? undefined : sent;
  const failure = error !== undefined && { result: "error" as const, error, reason: reportOf(provider, error) };
  flows.of(flow_id)(
    {
      ...applicationFacts(asked),
      requested_outcome: outcome,
      chosen,
      changes,
      ...(account !== undefined && { as: account }),
      ...failure,
    },
    {
      name: "provider",
      ms,
      sent: { provider, login_hint },
      answered: {
        status: 302,
        outcome,
        account: account ?? null,
        ...who,
        ...(profile_changes && { profile_changes }),
      },
      reason: failure ? failure.reason : undefined,
    },
  );
  if (outcome !== "state_expired" || instance_id !== undefined) return;
  const expires_at = new Date(now().getTime() - 1000).toISOString();
  await store.change("states", state, (before) => before && { ...before, expires_at });
}
