import { isDeepStrictEqual } from "node:util";
import type { InstanceRecord, PersonaRecord, Records } from "../store/records.ts";
import type { Store } from "../store/store.ts";

/** How many differences are named. */
const MAX_NAMED = 10;

/** The parts of a seed's text that were given, by the names of their columns. */
interface Given {
  readonly instances: readonly object[];
}

/**
 * What a seed's instances and personas have that a store has otherwise. Values are not shown: some are secret. What the
 * seed leaves out, and users, are not compared.
 * @param source the seed's text, which is valid
 * @param records the seed's records, with what it leaves out as in the store
 */
export async function differences(store: Store, source: string, records: Records): Promise<string[]> {
  const given = (JSON.parse(source) as Given).instances;
  const instances = await store.instances();
  const personas = await store.personas();
  const found = [
    ...records.instances.flatMap((instance, n) => ofInstance(instance, given[n]!, instances)),
    ...instances.filter(isMissingIn(records.instances)).map(({ subdomain }) => `${subdomain} is not in the seed`),
    ...records.personas.flatMap((persona) => ofPersona(persona, personas)),
  ];
  const more = found.length - MAX_NAMED;
  return more > 0 ? [...found.slice(0, MAX_NAMED), `and ${more} more`] : found;
}

function ofInstance(wanted: InstanceRecord, given: object, instances: readonly InstanceRecord[]): string[] {
  const { subdomain } = wanted;
  const there = instances.find((instance) => instance.subdomain === subdomain);
  if (!there) return [`${subdomain} is not in the store`];
  const columns = Object.keys(there) as (keyof InstanceRecord)[];
  const different = columns.filter(
    (column) => Object.hasOwn(given, column) && !isDeepStrictEqual(wanted[column], there[column]),
  );
  return different.length === 0 ? [] : [`${subdomain} has another ${different.join(", ")}`];
}

function isMissingIn(wanted: readonly InstanceRecord[]): (instance: InstanceRecord) => boolean {
  const names = new Set(wanted.map(({ subdomain }) => subdomain));
  return ({ subdomain }) => !names.has(subdomain);
}

function ofPersona(wanted: PersonaRecord, personas: readonly PersonaRecord[]): string[] {
  const there = personas.find(({ id }) => id === wanted.id);
  if (!there) return [`the persona ${wanted.id} is not in the store`];
  return isDeepStrictEqual(there, wanted) ? [] : [`the persona ${wanted.id} is different`];
}
