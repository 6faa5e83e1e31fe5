import * as start from "./begin.ts";
import * as end from "./callback.ts";
import { flowIdOf } from "../history/flows.ts";
import type { SignInDeps } from "./deps.ts";

/**
 * A step: of what is known of a sign-in it takes what it names, and returns what it adds for those behind it. It is `async`
 * only if it waits.
 */
type Step<Known> = (deps: SignInDeps, known: Known) => Added<Known> | Promise<Added<Known>>;
type Added<Known> = Partial<Known> | void;

/** From the application to the provider. */
const BEGIN: readonly Step<start.Begin>[] = [
  start.findInstance,
  start.chooseConnection,
  start.checkRedirectUri,
  start.sendToCallbackHost,
  start.limitStarts,
  start.bindBrowser,
  start.saveState,
  start.sendToProvider,
];

/** From the provider back to the application. */
const CALLBACK: readonly Step<end.Callback>[] = [
  end.claimState,
  end.checkBrowser,
  end.chooseConnection,
  end.checkIssuer,
  end.exchangeCode,
  end.readProfile,
  end.saveSignIn,
  end.issueToken,
  end.returnToApplication,
];

/**
 * Takes the steps in order until one sends the browser on.
 * @param failed notes what the step that threw has decided, and says how it ends
 */
async function run<Known extends { readonly location?: string }>(
  steps: readonly Step<Known>[],
  failed: (deps: SignInDeps, known: Known, error: unknown) => Partial<Known>,
  deps: SignInDeps,
  known: Known,
): Promise<Known & { readonly location: string }> {
  try {
    for (const step of steps) {
      const added = step(deps, known);
      Object.assign(known, added instanceof Promise ? await added : added);
      if (known.location !== undefined) break;
    }
  } catch (error) {
    Object.assign(known, failed(deps, known, error));
  }
  return known as Known & { location: string };
}

export type SignIns = ReturnType<typeof createSignIns>;

/** The sign-ins of all instances. Between its two halves a sign-in is nothing but the record of its state. */
export function createSignIns(deps: SignInDeps) {
  return {
    /**
     * @returns with the address to send the browser to, and the cookies to set there
     * @throws {ApiError} if the sign-in may not begin; then nothing is saved
     */
    begin: (request: start.BeginRequest) => run(BEGIN, start.refuse, deps, { ...request } as start.Begin),
    /**
     * @returns with the application's address, which has a token or an error, and why it failed. With a `refusal`, such as
     *   `invalid_state`, there is no address
     */
    complete: (request: end.CallbackRequest) =>
      run(CALLBACK, end.returnError, deps, {
        ...request,
        startedAt: performance.now(),
        note: deps.flows.of(flowIdOf(request.state)),
      } as end.Callback),
  };
}
