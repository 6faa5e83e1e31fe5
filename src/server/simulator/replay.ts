import type { SignIns } from "../sign-in/sign-ins.ts";
import type { Simulator } from "./simulator.ts";

/** Sign-ins whose callback comes twice, if that is the outcome chosen at a simulated provider. */
export function withReplays(signIns: SignIns, { outcomeOf }: Pick<Simulator, "outcomeOf">): SignIns {
  return {
    ...signIns,
    async complete(request) {
      if (outcomeOf(request.code ?? "") === "callback_replayed") await signIns.complete(request);
      return signIns.complete(request);
    },
  };
}
