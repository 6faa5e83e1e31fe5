import { ApiError } from "../../errors.ts";
import { crossFaults, suffixFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import { chosenInstance, requireFound } from "../records.ts";
import type { Handlers } from "../deps.ts";
import { refuseFaults } from "../check.ts";
import { requireDefault } from "./instances.ts";
import { personaFaults } from "./personas.ts";

export const seedRoutes: Pick<Handlers, "POST /seed" | "GET /jobs/:id"> = {
  "POST /seed": async ({ event, body }, deps) => {
    const { generate, ...seed } = body;
    if (generate) {
      if (seed.instances.length + seed.personas.length > 0)
        throw new ApiError("bad_request", "generate: can't be combined with a seed document; send them separately");
      const instance = chosenInstance(deps, generate.instance);
      const job = await deps.jobs.generateUsers(instance, generate, deps.now());
      event.res.status = 202;
      return job;
    }
    if (seed.instances.length + seed.personas.length === 0)
      throw new ApiError("bad_request", 'the body: needs "instances", "personas" or "generate"');
    const accountFaults = seed.personas.flatMap((persona, i) =>
      personaFaults(persona).map((fault) => `personas[${i}].${fault}`),
    );
    refuseFaults([...accountFaults, ...crossFaults(seed)]);
    refuseFaults(await suffixFaults(seed.instances));
    const records = recordsOf(seed, deps.now());
    for (const instance of records.instances) requireDefault(deps, instance);
    await deps.store.add(records);
    await deps.shared.refresh();
    return Object.fromEntries(Object.entries(records).map(([name, rows]) => [name, rows.length])) as {
      [Name in keyof typeof records]: number;
    };
  },

  "GET /jobs/:id": async ({ params }, { jobs }) =>
    requireFound(await jobs.find(params.id), "not_found", "unknown id, or the job is no longer kept"),
};
