import { completeSignIn, type CallbackRequest, type CompleteDeps } from "../sign-in/complete.ts";
import type { Simulator } from "./simulator.ts";

/** Completes a sign-in: twice if its outcome is a replayed callback. @throws {SignInRefused} `invalid_state` */
export async function finishSignIn(
  deps: CompleteDeps & { readonly simulator: Simulator },
  request: CallbackRequest,
): Promise<string> {
  if (deps.simulator.outcomeOf(request.code ?? "") === "callback_replayed") await completeSignIn(deps, request);
  return completeSignIn(deps, request);
}
