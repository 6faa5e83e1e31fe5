import type { Provider } from "../../wire/names.ts";
import type { InstanceRecord, PersonaRecord } from "../store/records.ts";
import { userByEmail } from "../store/user-by-email.ts";
import type { Choice } from "./choice.ts";
import type { HeadlessDeps } from "./headless-deps.ts";

/**
 * Prepares the records that an outcome needs before the callback.
 * @param signIn a whole sign-in that succeeds
 */
export async function arrange(
  deps: HeadlessDeps,
  { provider, state, outcome, persona }: Choice,
  signIn: (instance: InstanceRecord, persona: PersonaRecord) => Promise<unknown>,
): Promise<void> {
  if (outcome === "state_expired") {
    const expires_at = new Date(deps.now().getTime() - 1000).toISOString();
    await deps.store.change("states", state, (before) => before && { ...before, expires_at });
  }
  if (outcome === "account_conflict" && persona) {
    const record = await deps.store.find("states", state);
    const instance = record && deps.findInstance(record.instance_id);
    if (instance && !(await hasSignedIn(deps, instance, persona, provider))) await signIn(instance, persona);
  }
}

/** Whether the account's address belongs to a user who has signed in with this provider. */
async function hasSignedIn(
  { store }: HeadlessDeps,
  { id }: InstanceRecord,
  { email }: PersonaRecord,
  provider: Provider,
): Promise<boolean> {
  return (await userByEmail(store, id, email))?.providers.includes(provider) ?? false;
}
