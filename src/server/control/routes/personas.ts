import { PROVIDERS } from "../../../wire/names.ts";
import { recordsOf } from "../../seed/parse.ts";
import { SeedPersona } from "../../seed/schema.ts";
import { checked } from "../../zod-errors.ts";
import { requireFound } from "../find.ts";
import type { PersonaRecord } from "../../store/records.ts";
import type { HandlersOf } from "../handler.ts";
import { pageOf } from "../lists.ts";
import { patched } from "../patched.ts";
import { refuseFaults } from "../check.ts";
import { personaResource } from "../resources.ts";

export const personaRoutes: HandlersOf<"/personas"> = {
  "GET /personas": (call, deps) =>
    pageOf(call, deps, { name: "personas", all: deps.live.personas.toReversed(), present: personaResource }),

  "POST /personas": async ({ body }, { store, live, now }) => {
    const id = body.id ?? `persona-${freeNumber(live.personas)}`;
    refuseFaults(personaFaults({ ...body, id }));
    const { personas } = recordsOf({ instances: [], personas: [{ ...body, id }] }, now());
    await store.add({ personas });
    await live.refresh();
    return personaResource(personas[0]!);
  },

  "GET /personas/:id": ({ params }, { live }) =>
    personaResource(required(live.personas.find(({ id }) => id === params.id))),

  "PATCH /personas/:id": async ({ params, body }, { store, live }) => {
    const { name, email, avatar_url, ...given } = body;
    const changed = await store.change("personas", params.id, (before) => {
      if (!before) return undefined;
      const accounts = Object.fromEntries(
        PROVIDERS.flatMap((provider) => {
          const account = given[provider] === undefined ? before.accounts[provider] : given[provider];
          return account ? [[provider, account]] : [];
        }),
      );
      const after = patched(before, { name, email, avatar_url, accounts });
      const { accounts: _, ...columns } = after;
      refuseFaults(personaFaults({ ...columns, ...accounts }));
      return after;
    });
    await live.refresh();
    return personaResource(required(changed));
  },

  "DELETE /personas/:id": async ({ params }, { store, live }) => {
    const id = params.id;
    required(await store.find("personas", id));
    await store.change("personas", id, () => undefined);
    await live.refresh();
    return { deleted: true, id };
  },
};

/** What is wrong with the accounts, which have the form of their provider. */
export function personaFaults(persona: object): readonly string[] {
  return checked(SeedPersona, persona, "the persona").faults ?? [];
}

function required(persona: PersonaRecord | undefined): PersonaRecord {
  return requireFound(persona, "not_found", "no persona has this id");
}

function freeNumber(personas: readonly PersonaRecord[]): number {
  let number = personas.length + 1;
  while (personas.some(({ id }) => id === `persona-${number}`)) number++;
  return number;
}
