import type { AnswerOf } from "../../../wire/control/types.ts";
import { createPublishableKey, withNewSecretKey } from "../../instances/instances.ts";
import type { InstanceRecord } from "../../store/records.ts";
import { ApiError } from "../../errors.ts";
import type { ControlDeps, Handlers } from "../deps.ts";
import { parseDuration } from "../duration.ts";
import { requireInstance } from "../records.ts";
import { oldKeysOf } from "../resources.ts";
import { changeInstance } from "./instances.ts";

type KeyRoutes = Pick<
  Handlers,
  "POST /instances/:id/reveal" | "POST /instances/:id/keys/rotate" | "DELETE /instances/:id/keys/old"
>;

const MOST_KEPT_MS = 30 * 86_400_000;

export const keyRoutes: KeyRoutes = {
  "POST /instances/:id/reveal": ({ params }, deps) => keysOf(requireInstance(deps, params.id), deps),

  "POST /instances/:id/keys/rotate": async ({ params, body }, deps) => {
    const { id } = requireInstance(deps, params.id);
    const keepMs = body.keep_old === undefined ? 0 : parseDuration(body.keep_old, "keep_old");
    if (keepMs > MOST_KEPT_MS) throw new ApiError("bad_request", "keep_old: 30d is the longest time");
    if (keepMs > 0 && !body.secret_key)
      throw new ApiError("bad_request", "keep_old: only an old secret key can be kept, and secret_key is false");
    return replaceKeys(deps, id, (before) => ({
      ...(body.secret_key ? withNewSecretKey(before, keepMs, deps.now()) : before),
      ...(body.publishable_key && { publishable_key: createPublishableKey() }),
    }));
  },

  "DELETE /instances/:id/keys/old": ({ params }, deps) =>
    replaceKeys(deps, requireInstance(deps, params.id).id, (before) => ({ ...before, old_keys: [] })),
};

/** Every process rejects a key that was taken away before this resolves. */
async function replaceKeys(
  deps: ControlDeps,
  id: string,
  change: (before: InstanceRecord) => InstanceRecord,
): Promise<AnswerOf<"POST /instances/:id/reveal">> {
  const changed = await changeInstance(deps, id, change);
  await deps.shared.refreshEverywhere();
  return keysOf(changed, deps);
}

function keysOf(instance: InstanceRecord, { now }: ControlDeps): AnswerOf<"POST /instances/:id/reveal"> {
  const { secret_key, publishable_key } = instance;
  return { secret_key, publishable_key, old_keys: oldKeysOf(instance, now()) };
}
