import { ApiError } from "../../errors.ts";
import { defaultFault } from "../../providers/default-fault.ts";
import { addressFaults, crossFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { ControlDeps } from "../deps.ts";
import { requireFound, requireInstance, patched } from "../records.ts";
import type { HandlersOf } from "../handler.ts";
import { pageOf } from "../lists.ts";
import { refuseFaults } from "../check.ts";
import { instanceResource } from "../resources.ts";

type InstanceRoutes = Omit<
  HandlersOf<"/instances">,
  `${string}/reveal` | `${string}/keys/${string}` | `${string}/connections${string}`
>;

export const instanceRoutes: InstanceRoutes = {
  "GET /instances": (call, deps) => {
    const present = (instance: InstanceRecord) => instanceResource(instance, deps);
    return pageOf(call, deps, { name: "instances", all: deps.instances.all.toReversed(), present });
  },

  "POST /instances": async ({ body }, deps) => {
    const seed = { instances: [body], personas: [] };
    refuseFaults(crossFaults(seed).map((fault) => fault.replaceAll("instances[0].", "")));
    const records = recordsOf(seed, deps.now());
    const [instance] = records.instances;
    requireDefault(deps, instance!);
    await deps.store.add(records);
    await deps.shared.refresh();
    return instanceResource(instance!, deps);
  },

  "GET /instances/:id": ({ params }, deps) => instanceResource(requireInstance(deps, params.id), deps),

  "PATCH /instances/:id": async ({ params, body }, deps) => {
    const { id } = requireInstance(deps, params.id);
    refuseFaults(addressFaults(body, ""));
    const changed = await changeInstance(deps, id, (before) => {
      const after = patched(before, body);
      if (body.default_provider !== undefined || body.active !== undefined) requireDefault(deps, after);
      return after;
    });
    return instanceResource(changed, deps);
  },

  "DELETE /instances/:id": async ({ params }, deps) => {
    const { id } = requireInstance(deps, params.id);
    await deps.store.removeInstance(id);
    await deps.shared.refreshEverywhere();
    return { deleted: true, id };
  },
};

/** Changes an instance for every process. @throws {ApiError} `instance_not_found` if it was deleted meanwhile */
export async function changeInstance(
  { store, shared }: ControlDeps,
  id: string,
  change: (before: InstanceRecord) => InstanceRecord,
): Promise<InstanceRecord> {
  const changed = await store.change("instances", id, (before) => before && change(before));
  const instance = requireFound(changed, "instance_not_found");
  await shared.refresh();
  return instance;
}

/** @throws {ApiError} `bad_request` if an active instance's default provider would be off */
export function requireDefault({ offers }: ControlDeps, instance: InstanceRecord): void {
  const fault = defaultFault([instance], offers);
  if (fault !== undefined) throw new ApiError("bad_request", `default_provider: ${fault}`);
}
