import type { Provider } from "../../wire/names.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { Grants } from "./grants.ts";
import type { Personas } from "./personas.ts";
import type { ShownAccount, SimulatedProvider } from "./provider.ts";

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

/** How a persona's account at the provider appears on the picker. Undefined if it has none. */
export function shownAccount(
  { name, provider }: Pick<AuthorizationServer, "name" | "provider">,
  persona: PersonaRecord,
): ShownAccount | undefined {
  const account = persona.accounts[name];
  return account && provider.shown(account, persona);
}
