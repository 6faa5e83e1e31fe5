import { ApiError } from "../../errors.ts";
import { defaultFault } from "../../providers/offers.ts";
import { addressFaults, crossFaults, suffixFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { BodyOf } from "../../../wire/control/types.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { requireFound, requireInstance, patched } from "../records.ts";
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
    refuseFaults(ofOne(crossFaults(seed)));
    refuseFaults(ofOne(await suffixFaults(seed.instances)));
    const records = recordsOf(seed, deps.now());
    const [instance] = records.instances;
    requireDefault(deps, instance!);
    await deps.store.add(records);
    await deps.shared.refresh();
    return instanceResource(instance!, deps);
  },

  "GET /instances/:id": ({ params }, deps) => instanceResource(requireInstance(deps, params.id), deps),

  "PATCH /instances/:id": async ({ params, body }, deps) => {
    const known = requireInstance(deps, params.id);
    refuseAddresses(body, patched(known, body));
    const { redirect_uris = known.redirect_uris } = body;
    if (changesEntries(body)) refuseFaults(ofOne(await suffixFaults([{ redirect_uris }])));
    const changed = await changeInstance(deps, known.id, (before) => {
      const after = patched(before, body);
      refuseAddresses(body, after);
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

type Patch = BodyOf<"PATCH /instances/:id">;

function changesEntries({ redirect_uris, preview }: Patch): boolean {
  return redirect_uris !== undefined || preview !== undefined;
}

/** Refuses what a patch says or allows. What was stored before it stays. @throws {ApiError} `bad_request` */
function refuseAddresses(patch: Patch, after: InstanceRecord): void {
  refuseFaults(addressFaults(changesEntries(patch) ? after : patch, ""));
}

/** Faults of a seed's only instance, as those of the instance itself. */
function ofOne(faults: readonly string[]): string[] {
  return faults.map((fault) => fault.replaceAll("instances[0].", ""));
}

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
