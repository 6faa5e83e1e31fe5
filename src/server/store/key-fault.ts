import { PUBLISHABLE_KEY, SECRET_KEY, SUBDOMAIN } from "../../wire/names.ts";
import type { InstanceRecord } from "./records.ts";

/**
 * What is wrong with the first instance whose keys or subdomain do not have the form that svc gives them. Shells and other
 * programs read them, so one that another program wrote could contain a command.
 * @returns a sentence without the value
 */
export function keyFault(instances: readonly InstanceRecord[]): string | undefined {
  for (const { id, publishable_key, secret_key, subdomain } of instances) {
    const of = `the instance ${JSON.stringify(id)}`;
    if (!PUBLISHABLE_KEY.test(publishable_key)) return `the publishable key of ${of} is not one. ${REMEDY}`;
    if (!SECRET_KEY.test(secret_key)) return `the secret key of ${of} is not one. ${REMEDY}`;
    if (!SUBDOMAIN.test(subdomain)) return `the subdomain of ${of} is not one. ${REMEDY}`;
  }
  return undefined;
}

const REMEDY = "svc writes no such value: restore a backup, or choose another --store.";
