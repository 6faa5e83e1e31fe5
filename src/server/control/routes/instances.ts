import { Refusal } from "../../errors.ts";
import { defaultFault } from "../../providers/offers.ts";
import { addressFaults, crossFaults, suffixFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { BodyOf } from "../../../wire/control/types.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { changeInstance, requireInstance, patched } from "../look-up.ts";
import { listInMemory } from "../lists.ts";
import { refuseFaults } from "../check.ts";
import { instanceResource } from "../resources.ts";

export const instanceRoutes = (
  deps: ControlDeps,
): ControlHandlers<
  "/instances",
  "/instances/:id/connections" | "/instances/:id/clients" | "/instances/:id/keys" | "/instances/:id/reveal"
> => ({
  "GET /instances": (call) => {
    const present = (instance: InstanceRecord) => instanceResource(instance, deps);
    return listInMemory(call, deps, { name: "instances", all: deps.instances.all.toReversed(), present });
  },

  "POST /instances": async ({ event, body }) => {
    const seed = { instances: [body], personas: [] };
    refuseFaults(ofOne(crossFaults(seed)));
    refuseFaults(ofOne(await suffixFaults(seed.instances)));
    const records = recordsOf(seed, deps.now());
    const [instance] = records.instances;
    requireDefault(deps, instance!);
    await deps.store.add(records);
    await deps.shared.refresh();
    deps.audit(event, { action: "instance_created", instance_id: instance!.id, id: instance!.id });
    return instanceResource(instance!, deps);
  },

  "GET /instances/:id": ({ params }) => instanceResource(requireInstance(deps, params.id), deps),

  "PATCH /instances/:id": async ({ event, params, body }) => {
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
    deps.audit(event, { action: "instance_changed", instance_id: known.id, id: known.id });
    return instanceResource(changed, deps);
  },

  "DELETE /instances/:id": async ({ event, params }) => {
    const { id } = requireInstance(deps, params.id);
    await deps.store.removeInstance(id);
    deps.audit(event, { action: "instance_deleted", instance_id: id, id });
    await deps.shared.refreshEverywhere();
    return { deleted: true, id };
  },
});

type Patch = BodyOf<"PATCH /instances/:id">;

function changesEntries({ redirect_uris, preview }: Patch): boolean {
  return redirect_uris !== undefined || preview !== undefined;
}

/** Refuses what a patch says or allows. What was stored before it stays. @throws {Refusal} `bad_request` */
function refuseAddresses(patch: Patch, after: InstanceRecord): void {
  refuseFaults(addressFaults(changesEntries(patch) ? after : patch, ""));
}

/** Faults of a seed's only instance, as those of the instance itself. */
function ofOne(faults: readonly string[]): string[] {
  return faults.map((fault) => fault.replaceAll("instances[0].", ""));
}

/** @throws {Refusal} `bad_request` if an active instance's default provider would be off */
export function requireDefault({ offers }: ControlDeps, instance: InstanceRecord): void {
  const fault = defaultFault([instance], offers);
  if (fault !== undefined) throw new Refusal("bad_request", `default_provider: ${fault}`);
}
