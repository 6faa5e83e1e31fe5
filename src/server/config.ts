import * as z from "zod/mini";
import { PROVIDERS } from "../wire/providers.ts";
import { jsonFault } from "../text/json.ts";
import { ServeError } from "./errors.ts";
import { checkEndpoints } from "./providers/index.ts";
import type { Credentials } from "./providers/offers.ts";
import { clientFaults } from "./seed/faults.ts";
import type { ServeOptions } from "./options.ts";
import { SETTINGS, nonEmptyText, unusable } from "./settings.ts";
import { checkedBy } from "./zod-errors.ts";

const provider = z
  .strictObject({
    client_id: z.optional(nonEmptyText),
    client_secret: z.optional(nonEmptyText),
    endpoints: z.optional(z.record(z.string(), z.string())),
    /** Whether `endpoints` may be plain http on another host, such as the next container. */
    insecure: z.optional(z.boolean()),
  })
  .check(
    z.refine(({ client_id, client_secret }) => (client_id === undefined) === (client_secret === undefined), {
      error: "must have both client_id and client_secret, or neither",
    }),
  );

const { providers: mode, publicUrl, allowedHosts, trustProxy, ...settings } = SETTINGS;
const Config = z.strictObject({
  $schema: z.optional(z.string()),
  ...settings,
  seed: z.optional(nonEmptyText),
  providers_mode: mode,
  public_url: publicUrl,
  allowed_hosts: allowedHosts,
  trust_proxy: trustProxy,
  /** Used if an instance has no connection of its own. */
  providers: z.optional(z.partialRecord(z.enum(PROVIDERS), provider)),
});

export function parseConfig(source: string, name: string): ServeOptions {
  let input: unknown;
  try {
    input = JSON.parse(source);
  } catch (error) {
    throw new ServeError(`${name} is not JSON: ${jsonFault(error, source)}`);
  }
  const config = checkedBy(Config, input);
  if (config.faults) throw unusable(name, config.faults);
  const { $schema: _, providers = {}, providers_mode, public_url, allowed_hosts, trust_proxy, ...same } = config.data;
  const faults = [
    ...Object.entries(providers).flatMap(([key, { endpoints, insecure }]) =>
      checkEndpoints(key, endpoints, `providers.${key}.endpoints`, insecure),
    ),
    ...clientFaults(config.data, ""),
  ];
  if (faults.length > 0) throw unusable(name, faults);
  const credentials = Object.fromEntries(
    Object.entries(providers).map(([key, { client_id, client_secret, endpoints }]) => [
      key,
      { ...(client_id && { client_id, client_secret }), ...(endpoints && { endpoints }) },
    ]),
  ) as Credentials;
  return {
    ...same,
    publicUrl: public_url,
    allowedHosts: allowed_hosts,
    providers: providers_mode,
    credentials,
    trustProxy: trust_proxy,
  };
}
