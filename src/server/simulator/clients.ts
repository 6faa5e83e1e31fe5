import { hash } from "node:crypto";
import { globalCredentials, type Credentials } from "../providers/offers.ts";
import type { ClientRecord, ConnectionRecord, InstanceRecord } from "../store/records.ts";
import type { Provider } from "../../wire/providers.ts";

/** The client of this service at every simulated provider. */
export const SERVICE_CLIENT: ConnectionRecord = { client_id: "svc-simulator", client_secret: "svc-simulator-secret" };

/** The clients of this service that are registered with a provider, besides the simulator's own. */
export function serviceClients(
  provider: Provider,
  instances: readonly InstanceRecord[],
  credentials: Credentials,
): ConnectionRecord[] {
  const own = instances.map((instance) => instance.connections[provider]);
  return [...own, globalCredentials(provider, credentials)].filter((client) => client !== undefined);
}

/** What codes and tokens of the service's own clients are for. */
export const SERVICE_REGISTRATION = "svc";

/** A client of an application that speaks to a simulated provider by itself, and the instance that it belongs to. */
export interface ApplicationClient extends ClientRecord {
  readonly instance: InstanceRecord;
  /** Tells it from one of the same `client_id` that was deleted: by its instance and its secret. */
  readonly registration: string;
}

interface ClientsOptions {
  /** As they are at the moment. */
  readonly instances: { readonly all: readonly InstanceRecord[]; readonly first: InstanceRecord | undefined };
  /** Those of the server's configuration, which belong to the first instance. */
  readonly configured: readonly ClientRecord[];
  /** Whether only this machine can reach the server. On others, a client would let anyone sign in to it as anyone. */
  readonly isLocal: boolean;
}

export type ApplicationClients = ReturnType<typeof createClients>;

/** The clients of applications at the simulated providers, as they are at the moment. */
export function createClients({ instances, configured, isLocal }: ClientsOptions) {
  const of = (instance: InstanceRecord): readonly ClientRecord[] =>
    instance === instances.first ? [...instance.clients, ...configured] : instance.clients;
  return {
    of,
    /** Those that a provider accepts: of active instances, on a server that only this machine can reach. */
    at(provider: Provider): ApplicationClient[] {
      const active = isLocal ? instances.all.filter((instance) => instance.active) : [];
      return active.flatMap((instance) =>
        of(instance)
          .filter((client) => client.provider === provider)
          .map((client) => ({
            ...client,
            instance,
            // Hashed for the client alone that is asked for.
            get registration() {
              return registrationOf(instance, client);
            },
          })),
      );
    },
  };
}

/** The secret can't be derived from it. */
function registrationOf({ id }: InstanceRecord, { provider, client_id, client_secret = "" }: ClientRecord): string {
  return hash("sha256", JSON.stringify([id, provider, client_id, client_secret]), "base64url").slice(0, 22);
}
