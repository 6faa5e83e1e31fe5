import { Refusal } from "../../errors.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { AnswerOf } from "../../../wire/control/types.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { changeInstance, requireInstance } from "../look-up.ts";
import { parseDuration } from "../check.ts";
import { oldKeysOf } from "../resources.ts";
import { createPublishableKey, withNewSecretKey } from "../../instances/instances.ts";

export const keyRoutes = (deps: ControlDeps): ControlHandlers<"/instances/:id/keys" | "/instances/:id/reveal"> => ({
  "POST /instances/:id/reveal": ({ params }) => keysOf(requireInstance(deps, params.id), deps),

  "POST /instances/:id/keys/rotate": async ({ event, params, body }) => {
    const { id } = requireInstance(deps, params.id);
    const keepMs = body.keep_old === undefined ? 0 : parseDuration(body.keep_old, "keep_old");
    if (keepMs > MOST_KEPT_MS) throw new Refusal("bad_request", "keep_old: 30d is the longest time");
    if (keepMs > 0 && !body.secret_key)
      throw new Refusal("bad_request", "keep_old: only an old secret key can be kept, and secret_key is false");
    const audited = (): void => deps.audit(event, { action: "keys_replaced", instance_id: id });
    return replaceKeys(deps, id, audited, (before) => ({
      ...(body.secret_key ? withNewSecretKey(before, keepMs, deps.now()) : before),
      ...(body.publishable_key && { publishable_key: createPublishableKey() }),
    }));
  },

  "DELETE /instances/:id/keys/old": ({ event, params }) => {
    const { id } = requireInstance(deps, params.id);
    const audited = (): void => deps.audit(event, { action: "old_keys_revoked", instance_id: id });
    return replaceKeys(deps, id, audited, (before) => ({ ...before, old_keys: [] }));
  },
});

const MOST_KEPT_MS = 30 * 86_400_000;

/** Every process rejects a key that was taken away before this resolves. */
async function replaceKeys(
  deps: ControlDeps,
  id: string,
  audited: () => void,
  change: (before: InstanceRecord) => InstanceRecord,
): Promise<AnswerOf<"POST /instances/:id/reveal">> {
  const changed = await changeInstance(deps, id, change);
  audited();
  await deps.shared.refreshEverywhere();
  return keysOf(changed, deps);
}

function keysOf(instance: InstanceRecord, { now }: ControlDeps): AnswerOf<"POST /instances/:id/reveal"> {
  const { secret_key, publishable_key } = instance;
  return { secret_key, publishable_key, old_keys: oldKeysOf(instance, now()) };
}
