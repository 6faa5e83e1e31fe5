import type { Provider } from "../../wire/providers.ts";
import type { Grants } from "./grants.ts";
import type { Personas } from "./personas.ts";
import type { SimulatedProvider } from "./provider.ts";

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
