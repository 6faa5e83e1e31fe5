import * as z from "zod";
import { jsonFault } from "../wire/json.ts";
import { PROVIDERS } from "../wire/names.ts";
import { ServeError } from "./errors.ts";
import { checked } from "./zod-errors.ts";
import { checkEndpoints } from "./providers/endpoints.ts";
import type { Credentials } from "./providers/credentials.ts";
import type { ServeOptions } from "./options.ts";

export { foreignHosts } from "./providers/endpoints.ts";

const text = z.string().min(1);
const provider = z
  .strictObject({
    client_id: text.optional(),
    client_secret: text.optional(),
    endpoints: z.record(z.string(), z.string()).optional(),
    /** Whether `endpoints` may be plain http on another host, such as the next container. */
    insecure: z.boolean().optional(),
  })
  .refine(({ client_id, client_secret }) => (client_id === undefined) === (client_secret === undefined), {
    error: "must have both client_id and client_secret, or neither",
  });

const Config = z.strictObject({
  $schema: z.string().optional(),
  port: z.int().min(0).max(65_535).optional(),
  host: text.optional(),
  store: text.optional(),
  seed: text.optional(),
  public_url: z.url({ protocol: /^https?$/ }).optional(),
  allowed_hosts: z.array(text).optional(),
  providers_mode: z.enum(["auto", "real", "simulated"]).optional(),
  /** Used if an instance has no connection of its own. */
  providers: z.partialRecord(z.enum(PROVIDERS), provider).optional(),
  trust_proxy: z.array(text).optional(),
  geoip: text.optional(),
  https: z.boolean().optional(),
});

/** Reads the text of a `svc.config.json`. @throws {ServeError} that lists every error with its path */
export function parseConfig(source: string, name: string): ServeOptions {
  let input: unknown;
  try {
    input = JSON.parse(source);
  } catch (error) {
    throw new ServeError(`${name} is not JSON: ${jsonFault(error, source)}`);
  }
  const config = checked(Config, input);
  if (config.faults) throw faulty(name, config.faults);
  const { $schema: _, providers = {}, providers_mode, public_url, allowed_hosts, trust_proxy, ...same } = config.data;
  const faults = Object.entries(providers).flatMap(([key, { endpoints, insecure }]) =>
    checkEndpoints(key, endpoints, `providers.${key}.endpoints`, insecure),
  );
  if (faults.length > 0) throw faulty(name, faults);
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

function faulty(name: string, faults: readonly string[]): ServeError {
  return new ServeError(`${name} can't be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
}
