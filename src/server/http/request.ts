import type { InstanceRecord } from "../store/records.ts";
import type { Caller } from "../sign-in/caller.ts";
import type { Scope } from "../instances/addresses.ts";

/** A request as the routes see it: let in by the front, and of a form that needs no second look. */
export interface AppRequest {
  readonly scope: Scope;
  /** The instance that is asked: by its host, at the front door the first one; an API call's key decides anew. */
  instance: InstanceRecord | undefined;
  readonly path: string;
  params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** The client's address; the socket's peer, or what a trusted proxy says. */
  readonly ip_address: string;
  readonly caller: Caller;
  header(name: string): string | undefined;
  text(): Promise<string>;
}
