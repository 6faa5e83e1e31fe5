import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { Refusal } from "../../errors.ts";
import { chosenInstance } from "../look-up.ts";
import { crossFaults, suffixFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import { refuseFaults } from "../check.ts";
import { requireDefault } from "./instances.ts";
import { personaFaults } from "./personas.ts";
import { generateUsers } from "../generate.ts";

export const seedRoutes = (deps: ControlDeps): ControlHandlers<"/seed"> => ({
  "POST /seed": async ({ event, body }) => {
    const { generate, ...seed } = body;
    if (generate) {
      if (seed.instances.length + seed.personas.length > 0)
        throw new Refusal("bad_request", "generate: can't be combined with a seed document; send them separately");
      const instance = chosenInstance(deps, generate.instance);
      const { users } = generate;
      await generateUsers(deps.store, { ...generate, instance, now: deps.now(), closing: deps.closing });
      deps.audit(event, { action: "records_imported", instance_id: instance.id, count: users });
      return { instances: 0, users, identities: users, sessions: users, personas: 0 };
    }
    if (seed.instances.length + seed.personas.length === 0)
      throw new Refusal("bad_request", 'the body: needs "instances", "personas" or "generate"');
    const accountFaults = seed.personas.flatMap((persona, i) =>
      personaFaults(persona).map((fault) => `personas[${i}].${fault}`),
    );
    refuseFaults([...accountFaults, ...crossFaults(seed)]);
    refuseFaults(await suffixFaults(seed.instances));
    const records = recordsOf(seed, deps.now());
    for (const instance of records.instances) requireDefault(deps, instance);
    await deps.store.add(records);
    deps.audit(event, { action: "records_imported", count: records.users.length });
    await deps.shared.refresh();
    return Object.fromEntries(Object.entries(records).map(([name, rows]) => [name, rows.length])) as {
      [Name in keyof typeof records]: number;
    };
  },
});
