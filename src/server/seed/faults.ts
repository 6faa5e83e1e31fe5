import { toUSVString } from "node:util";
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
    if (RESERVED_SUBDOMAINS.includes(instance.subdomain))
      faults.push(`${at}.subdomain: "${instance.subdomain}" is the service's own`);
    instance.redirect_uris.forEach((entry, k, { length }) =>
      faults.push(...redirectUriFaults(entry, length === 1, `${at}.redirect_uris[${k}]`)),
    );
    for (const [provider, connection] of Object.entries(instance.connections)) {
      faults.push(
        ...checkEndpoints(provider, connection?.endpoints).map(
          (fault) => `${at}.connections.${provider}.endpoints${fault}`,
        ),
      );
    }
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

export function redirectUriFaults(entry: string, isOnly: boolean, path: string): string[] {
  try {
    checkEntry(entry, isOnly);
    return [];
  } catch (error) {
    return [`${path}: ${(error as ApiError).detail}`];
  }
}
