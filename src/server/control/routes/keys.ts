import type { AnswerOf } from "../../../wire/control/routes.ts";
import { createPublishableKey, createSecretKey } from "../../instances/keys.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { requireInstance } from "../find.ts";
import type { Handlers } from "../handler.ts";
import { changeInstance } from "./instances.ts";

export const keyRoutes: Pick<Handlers, "POST /instances/:id/reveal" | "POST /instances/:id/keys/rotate"> = {
  "POST /instances/:id/reveal": ({ params }, deps) => keysOf(requireInstance(deps, params.id)),

  "POST /instances/:id/keys/rotate": async ({ params, body }, deps) => {
    const { id } = requireInstance(deps, params.id);
    const changed = await changeInstance(deps, id, (before) => ({
      ...before,
      ...(body.secret_key && { secret_key: createSecretKey() }),
      ...(body.publishable_key && { publishable_key: createPublishableKey() }),
    }));
    // Every process must reject the old key before this responds.
    await deps.live.refreshEverywhere();
    return keysOf(changed);
  },
};

function keysOf({ secret_key, publishable_key }: InstanceRecord): AnswerOf<"POST /instances/:id/reveal"> {
  return { secret_key, publishable_key };
}
