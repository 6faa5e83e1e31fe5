import type { SignInErrorCode } from "../../wire/errors.ts";
import type { Provider } from "../../wire/names.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { Caller } from "../sign-in/caller.ts";
import type { Scope } from "../instances/addresses.ts";

/** How a sign-in ended. */
export interface SignInOutcome {
  readonly provider: Provider;
  readonly outcome: "success" | SignInErrorCode;
  /** Why it failed. No secret and no value that a provider sent is in it. */
  readonly reason: string | null;
}

/** A request as the routes see it: let in by the front, and of a form that needs no second look. */
export interface AppRequest {
  readonly scope: Scope;
  /** The instance that is asked: by its host, an API call's key or a sign-in; undefined while none of these has told. */
  instance: InstanceRecord | undefined;
  readonly path: string;
  params: Readonly<Record<string, string>>;
  /** The route's pattern, where the router does not know it. */
  route?: string;
  readonly query: ReadonlyMap<string, string>;
  /** The client's address; the socket's peer, or what a trusted proxy says. */
  readonly ip_address: string;
  /** Who sends it. Requests with a key are not asked. */
  readonly caller: () => Caller;
  /** The sign-in that this request belongs to. */
  flow_id?: string;
  /** Set by the request that ends a sign-in. */
  signIn?: SignInOutcome;
  readonly header: (name: string) => string | undefined;
  readonly text: () => Promise<string>;
}
