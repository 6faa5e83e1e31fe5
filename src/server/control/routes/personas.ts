import { PROVIDERS } from "../../../wire/providers.ts";
import { recordsOf, SeedPersona } from "../../seed/parse.ts";
import { checkedBy } from "../../zod-errors.ts";
import { requireFound, patched } from "../look-up.ts";
import { typedPersona } from "../../simulator/typed-account.ts";
import type { PersonaRecord } from "../../store/records.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { listInMemory } from "../lists.ts";
import { refuseFaults } from "../check.ts";
import { personaResource } from "../resources.ts";

export const personaRoutes = (deps: ControlDeps): ControlHandlers<"/personas"> => ({
  "GET /personas": (call) =>
    listInMemory(call, deps, { name: "personas", all: deps.shared.personas.toReversed(), present: personaResource }),

  "POST /personas": async ({ body }) => {
    const isBare = PROVIDERS.every((provider) => body[provider] === undefined);
    const accounts = isBare ? typedPersona(body.email, body.name).accounts : {};
    const id = body.id ?? `persona-${freeNumber(deps.shared.personas)}`;
    const persona = { ...accounts, ...body, id };
    refuseFaults(personaFaults(persona));
    const { personas } = recordsOf({ instances: [], personas: [persona] }, deps.now());
    await deps.store.add({ personas });
    await deps.shared.refresh();
    return personaResource(personas[0]!);
  },

  "GET /personas/:id": ({ params }) =>
    personaResource(required(deps.shared.personas.find(({ id }) => id === params.id))),

  "PATCH /personas/:id": async ({ params, body }) => {
    const { name, email, avatar_url, ...given } = body;
    const changed = await deps.store.change("personas", params.id, (before) => {
      if (!before) return undefined;
      const all = Object.entries({ ...before.accounts, ...given });
      const accounts = Object.fromEntries(all.filter(([, account]) => account !== null));
      const after = patched(before, { name, email, avatar_url, accounts });
      const { accounts: _, ...columns } = after;
      refuseFaults(personaFaults({ ...columns, ...accounts }));
      return after;
    });
    await deps.shared.refresh();
    return personaResource(required(changed));
  },

  "DELETE /personas/:id": async ({ params }) => {
    const id = params.id;
    required(await deps.store.find("personas", id));
    await deps.store.change("personas", id, () => undefined);
    await deps.shared.refresh();
    return { deleted: true, id };
  },
});

/** What is wrong with the accounts, which have the form of their provider. */
export function personaFaults(persona: object): readonly string[] {
  return checkedBy(SeedPersona, persona, "the persona").faults ?? [];
}

function required(persona: PersonaRecord | undefined): PersonaRecord {
  return requireFound(persona, "not_found", "no persona has this id");
}

function freeNumber(personas: readonly PersonaRecord[]): number {
  let number = personas.length + 1;
  while (personas.some(({ id }) => id === `persona-${number}`)) number++;
  return number;
}
