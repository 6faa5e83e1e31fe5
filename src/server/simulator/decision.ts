import { setTimeout as delay } from "node:timers/promises";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { FlowFacts, Flows } from "../history/flows.ts";
import { reportOf } from "../providers/replies.ts";
import type { SignIns } from "../sign-in/sign-in.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { LabelledBrowser } from "./browser.ts";
import { editedNames } from "./edit.ts";
import type { AuthorizationRequest, Granted } from "./grants.ts";
import { referenceTo } from "./typed-account.ts";

/** Account and outcome that are decided before the picker is shown. */
export interface Override extends Pick<AuthorizationRequest, "chosen" | "profile" | "delays"> {
  readonly outcome: OutcomeId;
  /** A persona's id or e-mail address; undefined for the hinted account, or the first one. */
  readonly as: string | undefined;
}

/** A sign-in that arrives at a provider, with or without a browser. */
export interface Arrival {
  readonly asked: AuthorizationRequest;
  readonly instance_id: string;
  readonly login_hint: string | undefined;
  readonly labelledBrowser: LabelledBrowser | undefined;
  /** Whether only a scenario for this very browser may decide: a page of another site began the sign-in. */
  readonly needsClick?: boolean;
  /** What a program asked for. No scenario applies then, and each says why. */
  readonly outcome?: OutcomeId | undefined;
}

/** The end of a sign-in at the provider: with a code for the account, or with the error of the request's outcome. */
export interface Redirect {
  readonly location: string;
  readonly asked: AuthorizationRequest;
  readonly persona: PersonaRecord | undefined;
  /** Sent instead of a code. */
  readonly error: string | undefined;
}

/** Finds the scenario for a sign-in, and why others do not apply. */
export type Decide = (arrival: Arrival) => Promise<{
  readonly decision: Override | undefined;
  readonly scenario: FlowFacts["scenario"] | null;
  readonly considered: NonNullable<FlowFacts["considered"]>;
}>;

export interface DecisionDeps {
  /** Undefined if the server has no scenarios. */
  readonly decide: Decide | undefined;
  readonly flows: Flows;
  readonly store: Store;
  now(): Date;
}

/** Asks the scenarios how a sign-in ends, records their answers in its flow, and waits as long as the one that applies says. */
export async function decideSignIn({ decide, flows }: DecisionDeps, arrival: Arrival): Promise<Override | undefined> {
  const { labelledBrowser, asked } = arrival;
  const browser = labelledBrowser?.id ?? null;
  const { decision, scenario = null, considered = [] } = (await decide?.(arrival)) ?? {};
  if (asked.flow_id !== undefined && (browser !== null || considered.length > 0))
    flows.of(asked.flow_id)({ browser, scenario, considered });
  if (decision?.delays?.authorize) await delay(decision.delays.authorize);
  return decision;
}

/** What is known of a sign-in with an application's own client. The service notes its own sign-ins where they begin. */
export function applicationFacts({ instance_id, provider, client_id, redirect_uri }: Granted): FlowFacts {
  return instance_id === undefined ? {} : { instance: instance_id, provider, client_id, redirect_uri };
}

/** Records in the flow how a sign-in was decided, and prepares the records that its outcome needs before the callback. */
export async function settle(
  { flows, store, now }: DecisionDeps,
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

/** Sign-ins whose callback comes twice, if that is the outcome chosen at a simulated provider. */
export function withReplays(
  signIns: SignIns,
  { outcomeOf }: { outcomeOf(access_token: string): OutcomeId | undefined },
): SignIns {
  return {
    ...signIns,
    async complete(request) {
      const first = await signIns.complete(request);
      const isReplayed = first.result === "token" && outcomeOf(first.tokens.access_token) === "callback_replayed";
      return isReplayed ? signIns.complete(request) : first;
    },
  };
}
