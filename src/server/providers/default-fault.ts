import type { InstanceRecord } from "../store/records.ts";
import { credentialVariables } from "./credentials.ts";
import type { Offers } from "./offers.ts";

/**
 * An error message if an active instance does not offer its `default_provider`, where `/sign-in` sends its users; this
 * includes instances that offer no provider. Undefined if all do.
 * @param where the default is set, such as " in the seed"
 */
export function defaultFault(instances: readonly InstanceRecord[], offers: Offers, where = ""): string | undefined {
  const faulty = instances.filter(
    (instance) => instance.active && offers.of(instance, instance.default_provider).in_force === "off",
  );
  const [first] = faulty;
  if (first === undefined) return undefined;
  const names = faulty.map(({ name, default_provider }) => `${name} (${default_provider})`).join(", ");
  const offered = offers.providersOf(first);
  const instead = offered.length > 0 ? offered.join(" or ") : "a provider that has credentials";
  const variables = credentialVariables(first.default_provider).join(" and ");
  return `there are no credentials for the default_provider of ${names}. Set ${variables}, or set default_provider${where} to ${instead}.`;
}
