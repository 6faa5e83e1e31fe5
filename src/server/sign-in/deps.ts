import type { Provider } from "../../wire/providers.ts";
import type { WayBack } from "../errors.ts";
import type { Flows } from "../history/flows.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { Instances } from "../instances/instances.ts";
import type { ConnectProvider } from "../providers/connections.ts";
import type { InstanceRecord, UserRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import type { LocateIp } from "./geo.ts";
import type { StartLimit } from "./start-limit.ts";

export interface SignInDeps {
  readonly store: Store;
  readonly addresses: Addresses;
  readonly instances: Instances;
  readonly connect: ConnectProvider;
  readonly flows: Flows;
  readonly startLimit: StartLimit;
  /** The latest states that a callback used, and where its user came from: whoever repeats a callback is told so. */
  readonly used: Map<string, WayBack | undefined>;
  readonly locate: LocateIp;
  readonly providerTimeoutMs?: number | undefined;
  /** Whether an instance without `redirect_uris` may send its users back to loopback, and for a program anywhere. */
  readonly allowsUnlisted: boolean;
  now(): Date;
  issueToken(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): Promise<string>;
  /** Called with the cause of a failure that is a bug of this service. */
  onBug(error: unknown): void;
  /** Called when a program sends a user to a host that the instance does not list. */
  onUnlisted(instance: InstanceRecord, origin: string): void;
}
