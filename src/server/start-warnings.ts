import { isConfidential, isLoopback } from "../http/address.ts";
import { enumerated } from "../text/suggestion.ts";
import { ServeError } from "./errors.ts";
import type { ServeOptions } from "./options.ts";
import { defaultFault, type Offers } from "./providers/offers.ts";
import { demoOf } from "./seed/apply.ts";
import { redirectWarnings } from "./sign-in/redirect-rule.ts";
import type { InstanceRecord } from "./store/records.ts";

/** @throws {ServeError} if an instance's default provider has no credentials and is not simulated */
export async function checkProviders(instances: readonly InstanceRecord[], offers: Offers): Promise<void> {
  const fault = defaultFault(instances, offers, " in the seed");
  if (fault === undefined) return;
  const isReal = offers.mode === "real";
  const why = isReal ? "--providers real" : "This server can be reached from elsewhere, where no provider is simulated";
  const only = isReal ? [] : ["For tests only: with --providers simulated, anyone can sign in as anyone."];
  throw new ServeError([`${why}: ${fault}`, ...(await demoHint(instances)), ...only].join("\n"));
}

export async function startWarnings(
  instances: readonly InstanceRecord[],
  offers: Offers,
  { publicUrl, allowedHosts = [], strict = false }: Pick<ServeOptions, "publicUrl" | "allowedHosts" | "strict">,
  isLocal: boolean,
): Promise<string[]> {
  const warnings = redirectWarnings(instances, isLocal && !strict);
  if (isLocal) {
    const foreign = allowedHosts.filter((name) => !isLoopback(name));
    if (foreign.length > 0 && offers.canSimulate)
      warnings.push(
        `If a proxy lets others reach this server as ${enumerated(foreign, "or")}, set --public-url. Without it, providers are simulated: anyone can sign in as anyone.`,
      );
    return warnings;
  }
  warnings.push(...(await demoHint(instances)));
  if (offers.canSimulate)
    warnings.push("Providers are simulated: anyone who can reach this server can sign in as anyone.");
  if (publicUrl === undefined)
    warnings.push(
      "Users on other machines can't sign in without --public-url. Set it to the address that they see, such as https://auth.example.com.",
    );
  else if (!isConfidential(new URL(publicUrl)))
    warnings.push(
      `Tokens travel unencrypted to and from ${publicUrl}. Use an https address, with --https or a load balancer that ends TLS.`,
    );
  return warnings;
}

async function demoHint(instances: readonly InstanceRecord[]): Promise<string[]> {
  const names = (await demoOf(instances)).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `${enumerated(names, "and")} are the demo's instances. Create your own with npx svc-identity init, then start once with --reset, which deletes all records.`,
  ];
}
