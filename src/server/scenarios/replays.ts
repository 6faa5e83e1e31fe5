import type { SignIns } from "../sign-in/sign-in.ts";
import type { Simulator } from "../simulator/simulator.ts";

/** Sign-ins whose callback comes twice, if that is the outcome chosen at a simulated provider. */
export function withReplays(signIns: SignIns, { takeReplay }: Pick<Simulator, "takeReplay">): SignIns {
  return {
    ...signIns,
    async complete(request) {
      const first = await signIns.complete(request);
      return first.result === "token" && takeReplay(request.code!) ? signIns.complete(request) : first;
    },
  };
}
