import type { Provider } from "../../wire/providers.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import type { NoteStep } from "../history/flows.ts";
import { editedNames, type Edit } from "./edit.ts";
import type { PersonaRecord } from "../store/records.ts";
import { accountName } from "./typed-account.ts";
import type { Store } from "../store/store.ts";
import type { SignIns } from "../sign-in/begin.ts";

/** How a sign-in was decided at a provider's authorize page. */
export interface Choice {
  readonly provider: Provider;
  readonly state: string;
  readonly outcome: OutcomeId;
  readonly persona: PersonaRecord | undefined;
  readonly profile: Edit | undefined;
}

/** Records in the flow how a sign-in was decided. */
export function noteChoice(
  note: NoteStep,
  { outcome, persona, provider, profile }: Choice,
  { ms, login_hint }: { readonly ms: number; readonly login_hint: string | undefined },
): void {
  const account = persona && accountName(persona);
  note(
    {
      requested_outcome: outcome,
      changes: profile && { profile: profile.set, omit: [...profile.omit] },
      ...(account !== undefined && { as: account }),
    },
    {
      name: "provider",
      ms,
      sent: { provider, login_hint },
      answered: {
        status: 302,
        outcome,
        account: account ?? null,
        ...(persona && { name: persona.name, email: persona.email }),
        ...(profile && { profile_changes: editedNames(profile) }),
      },
    },
  );
}

export interface PrepareDeps {
  readonly store: Store;
  now(): Date;
}

/** Prepares the records that an outcome needs before the callback. */
export async function prepareOutcome({ store, now }: PrepareDeps, { state, outcome }: Choice): Promise<void> {
  if (outcome !== "state_expired") return;
  const expires_at = new Date(now().getTime() - 1000).toISOString();
  await store.change("states", state, (before) => before && { ...before, expires_at });
}

/** Sign-ins whose callback comes twice, if that is the outcome chosen at a simulated provider. */
export function withReplays(
  signIns: SignIns,
  { outcomeOf }: { outcomeOf(code: string): OutcomeId | undefined },
): SignIns {
  return {
    ...signIns,
    async complete(request) {
      if (outcomeOf(request.code ?? "") === "callback_replayed") await signIns.complete(request);
      return signIns.complete(request);
    },
  };
}
