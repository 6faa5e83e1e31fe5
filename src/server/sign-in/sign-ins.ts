import { beginSignIn, type BeginDeps, type BeginRequest, type BegunSignIn } from "./begin.ts";
import { completeSignIn, type CallbackRequest, type CompleteDeps, type CompletedSignIn } from "./complete.ts";

/** What the two halves of a sign-in depend on. */
export interface SignInDeps extends BeginDeps, CompleteDeps {}

/** The sign-ins of all instances. Between its two halves a sign-in is nothing but the record of its state. */
export interface SignIns {
  /** Saves a state, unless the browser must begin at another host. @throws {SignInRefused} `invalid_redirect_uri` or `provider_not_configured` */
  begin(request: BeginRequest): Promise<BegunSignIn>;
  /** Ends a sign-in at the provider's redirect. @throws {SignInRefused} `invalid_state`; then no address can be trusted */
  complete(request: CallbackRequest): Promise<CompletedSignIn>;
}

export function createSignIns(deps: SignInDeps): SignIns {
  return {
    begin: (request) => beginSignIn(deps, request),
    complete: (request) => completeSignIn(deps, request),
  };
}
