import type { Flows } from "../../history/flows.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { Instances } from "../../instances/instances.ts";
import type { Offers } from "../../providers/offers.ts";
import type { SignIns } from "../../sign-in/begin.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import type { Tokens } from "../../token.ts";
import type { Cursors } from "../cursors.ts";

/** What the API for servers reads and changes. */
export interface ApiDeps {
  readonly store: Store;
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly tokens: Tokens;
  readonly cursors: Cursors;
  now(): Date;
}

/** What a browser's sign-in passes through. */
export interface SignInRouteDeps {
  readonly instances: Instances;
  readonly addresses: Addresses;
  readonly signIns: SignIns;
  readonly flows: Flows;
}

/** What svc's own pages show. */
export interface PageDeps extends Pick<ApiDeps, "instances" | "addresses" | "tokens" | "now"> {
  readonly offers: Offers;
  /** Whether only this machine can reach the server. */
  readonly isLocal: boolean;
  /** Whether there is a dashboard. */
  readonly hasControl: boolean;
  /** The demo's instances, if these are they. Otherwise empty. */
  demoOf(instances: readonly InstanceRecord[]): Promise<readonly InstanceRecord[]>;
  /** Known only to this process and the file that it wrote. */
  readonly identitySecret: string;
}
