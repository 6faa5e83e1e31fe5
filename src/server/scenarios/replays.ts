import type { SignIns } from "../sign-in/sign-in.ts";
import type { Simulator } from "../simulator/simulator.ts";

/** Sign-ins whose callback comes twice, if that is the outcome chosen at a simulated provider. */
export function withReplays(signIns: SignIns, { outcomeOf }: Pick<Simulator, "outcomeOf">): SignIns {
  return {
    ...signIns,
    async complete(request) {
      const first = await signIns.complete(request);
      const isReplayed = first.result === "token" && outcomeOf(request.code!) === "callback_replayed";
      return isReplayed ? signIns.complete(request) : first;
    },
  };
}
