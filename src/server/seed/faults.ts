import { toUSVString } from "node:util";
import type { ParsedBodyOf } from "../../wire/control/routes.ts";
import { RESERVED_SUBDOMAINS } from "../instances/addresses.ts";
import type { ApiError } from "../errors.ts";
import { checkEndpoints } from "../providers/endpoints.ts";
import { checkEntry } from "../sign-in/redirect-rule.ts";
import { fold } from "../store/fold.ts";
import type { Seed } from "../../wire/seed.ts";

/** What is wrong with a seed beyond the form of its values: things that must differ, and addresses that lead nowhere. */
export function crossFaults(seed: Seed): string[] {
  const faults: string[] = [];
  const once = uniqueness(faults);
  seed.instances.forEach((instance, i) => {
    const at = `instances[${i}]`;
    once("instance id", instance.id, `${at}.id`);
    once("subdomain", instance.subdomain, `${at}.subdomain`);
    once("publishable key", instance.publishable_key, `${at}.publishable_key`);
    once("secret key", instance.secret_key, `${at}.secret_key`);
    faults.push(...addressFaults(instance, `${at}.`));
    for (const [provider, connection] of Object.entries(instance.connections))
      faults.push(...checkEndpoints(provider, connection?.endpoints, `${at}.connections.${provider}.endpoints`));
    instance.users.forEach((user, j) => {
      const here = `${at}.users[${j}]`;
      once("user id", user.id, `${here}.id`);
      once(`e-mail address in ${at}`, fold(user.email), `${here}.email`);
      user.identities.forEach(({ id, provider, uid }, k) => {
        once("identity id", id, `${here}.identities[${k}].id`);
        once(`${provider} uid in ${at}`, uid, `${here}.identities[${k}].uid`);
      });
      user.sessions.forEach(({ id, session_id }, k) => {
        once("session id", id, `${here}.sessions[${k}].id`);
        once("session_id", session_id, `${here}.sessions[${k}].session_id`);
      });
    });
  });
  seed.personas.forEach((persona, i) => once("persona id", persona.id, `personas[${i}].id`));
  return faults;
}

/** Text that not every store can hold. */
export function textFaults(value: unknown, path = ""): string[] {
  if (typeof value === "string")
    return value.includes("\0") || toUSVString(value) !== value
      ? [`${path}: must not contain U+0000 or half of a surrogate pair`]
      : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    ...textFaults(key, path),
    ...textFaults(part, Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`),
  ]);
}

/** Notes a fault where a value of a kind comes for the second time. */
function uniqueness(faults: string[]): (kind: string, value: string | undefined, path: string) => void {
  const seen = new Map<string, string>();
  return (kind, value, path) => {
    if (value === undefined) return;
    const before = seen.get(`${kind} ${value}`);
    if (before === undefined) seen.set(`${kind} ${value}`, path);
    else faults.push(`${path}: the same ${kind} is at ${before}`);
  };
}

/** What is wrong with the addresses of an instance itself. @param path what stands before their names in a message */
export function addressFaults(
  { subdomain, redirect_uris = [] }: ParsedBodyOf<"PATCH /instances/:id">,
  path: string,
): string[] {
  const faults: string[] = [];
  if (subdomain !== undefined && RESERVED_SUBDOMAINS.includes(subdomain))
    faults.push(`${path}subdomain: "${subdomain}" is the service's own`);
  for (const [i, entry] of redirect_uris.entries()) {
    try {
      checkEntry(entry, redirect_uris.length === 1);
    } catch (error) {
      faults.push(`${path}redirect_uris[${i}]: ${(error as ApiError).detail}`);
    }
  }
  return faults;
}
