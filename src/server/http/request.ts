import type { SignInErrorCode } from "../../wire/errors.ts";
import type { Provider } from "../../wire/names.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { Caller } from "../sign-in/caller.ts";
import type { Scope } from "../instances/addresses.ts";
import type { Incoming } from "./incoming.ts";

/** How a sign-in ended. */
export interface SignInOutcome {
  readonly provider: Provider;
  readonly outcome: "success" | SignInErrorCode;
  /** Why it failed. It contains no secret and no value that a provider sent. */
  readonly reason: string | null;
}

/** A request that `admit` has checked, as the routes get it. */
export interface AppRequest {
  readonly scope: Scope;
  /** The instance, by host, key or sign-in; undefined until one of these names it. */
  instance: InstanceRecord | undefined;
  readonly path: string;
  params: Readonly<Record<string, string>>;
  /** The route's pattern, if h3 did not choose the route. */
  route?: string;
  readonly query: ReadonlyMap<string, string>;
  /** The client's address; the socket's peer, or what a trusted proxy says. */
  readonly ip_address: string;
  /** Who sends it. Computed on demand: requests with a key don't need it. */
  readonly caller: () => Caller;
  /** The sign-in that this request belongs to. */
  flow_id?: string;
  /** Set by the request that ends a sign-in. */
  signIn?: SignInOutcome;
  readonly header: (name: string) => string | undefined;
  readonly text: Incoming["text"];
}
