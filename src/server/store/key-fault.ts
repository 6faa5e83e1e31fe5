import { PUBLISHABLE_KEY, SECRET_KEY } from "../../wire/credentials.ts";
import { SUBDOMAIN } from "../../wire/ids.ts";
import type { InstanceRecord } from "./records.ts";

/**
 * The values of an instance that have a form which svc gives them. Shells and other programs read them, so one that another
 * program wrote could contain a command.
 */
const FORMS = [
  ["publishable_key", PUBLISHABLE_KEY, "publishable key"],
  ["secret_key", SECRET_KEY, "secret key"],
  ["subdomain", SUBDOMAIN, "subdomain"],
] as const;

/**
 * What is wrong with the first instance whose keys or subdomain do not have their form.
 * @returns a sentence without the value
 */
export function keyFault(instances: readonly InstanceRecord[]): string | undefined {
  for (const instance of instances)
    for (const [column, form, title] of FORMS)
      if (!form.test(instance[column]))
        return `the ${title} of the instance ${JSON.stringify(instance.id)} is not one. ${REMEDY}`;
  return undefined;
}

/** The first column of an instance whose value does not have its form. */
export function malformedColumn(instance: InstanceRecord): string | undefined {
  return FORMS.find(([column, form]) => !form.test(instance[column]))?.[0];
}

const REMEDY = "svc writes no such value: restore a backup, or choose another --store.";
