import { createHash } from "node:crypto";
import { toUSVString } from "node:util";
import { RESERVED_SUBDOMAINS } from "../instances/addresses.ts";
import type { Refusal } from "../errors.ts";
import { checkEndpoints } from "../providers/index.ts";
import { publicSuffixFault, checkEntry } from "../sign-in/redirect-rule.ts";
import { SERVICE_CLIENT } from "../simulator/clients.ts";
import { SIMULATED } from "../simulator/providers.ts";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import { readRedirectUri } from "../../wire/redirect-uri.ts";
import { fold } from "../../text/fold.ts";
import { urlFrom } from "../../http/address.ts";
import { isUuid } from "../../wire/ids.ts";

/** A part of a seed whose form is unchecked or wrong. */
type Part = Readonly<Record<string, unknown>>;

/**
 * The faults of a seed beyond the form of its values: duplicates, and invalid addresses.
 * @param seed of any form. Values of a wrong form are skipped, so that their faults and these are reported together
 */
export function crossFaults(seed: unknown): string[] {
  const faults: string[] = [];
  const once = uniqueness(faults);
  for (const [instance, at] of partsOf(seed, "instances", "")) {
    once("instance id", lowered(instance["id"]), `${at}.id`);
    for (const [name, kind] of INSTANCE_NAMES) once(kind, instance[name], `${at}.${name}`);
    faults.push(...addressFaults(instance, `${at}.`));
    for (const [provider, connection] of Object.entries(partOf(instance["connections"])))
      faults.push(
        ...checkEndpoints(
          provider,
          addressesOf(partOf(connection)["endpoints"]),
          `${at}.connections.${provider}.endpoints`,
        ),
      );
    clientFaults(instance, `${at}.`, faults, once);
    for (const [user, here] of partsOf(instance, "users", `${at}.`)) {
      const own = user["id"];
      once("user id", typeof own === "string" ? userIdOf(own, String(instance["subdomain"])) : own, `${here}.id`);
      once(`e-mail address in ${at}`, folded(user["email"]), `${here}.email`);
      for (const [{ id, provider, uid }, place] of partsOf(user, "identities", `${here}.`)) {
        once("identity id", lowered(id), `${place}.id`);
        once(`${String(provider)} uid in ${at}`, uid, `${place}.uid`);
      }
      for (const [{ id, session_id }, place] of partsOf(user, "sessions", `${here}.`)) {
        once("session id", lowered(id), `${place}.id`);
        once("session_id", session_id, `${place}.session_id`);
      }
    }
  }
  for (const [{ id }, at] of partsOf(seed, "personas", "")) once("persona id", id, `${at}.id`);
  return faults;
}

const WITH_PUBLIC_CLIENTS = PROVIDERS.filter((provider) => SIMULATED[provider].needsBasic);

const INSTANCE_NAMES = [
  ["subdomain", "subdomain"],
  ["publishable_key", "publishable key"],
  ["secret_key", "secret key"],
] as const;

function partOf(value: unknown): Part {
  return typeof value === "object" && value !== null ? (value as Part) : {};
}

/** The objects of a list, each with its path. */
function partsOf(whole: unknown, name: string, path: string): [part: Part, path: string][] {
  const list = partOf(whole)[name];
  return Array.isArray(list) ? list.map((value, i) => [partOf(value), `${path}${name}[${i}]`]) : [];
}

/** The values that are URLs. Others have a fault of their own. */
function addressesOf(value: unknown): Readonly<Record<string, string>> {
  const addresses = Object.entries(partOf(value)).filter(
    ([, text]) => typeof text === "string" && urlFrom(text) !== undefined,
  );
  return Object.fromEntries(addresses) as Record<string, string>;
}

/** UUIDs are stored in lower case. */
function lowered(id: unknown): unknown {
  return typeof id === "string" ? id.toLowerCase() : id;
}

function folded(email: unknown): string | undefined {
  return typeof email === "string" ? fold(email) : undefined;
}

/** The faults of the clients of an instance, or of a configuration. @param path the prefix of their names in a message */
export function clientFaults(owner: unknown, path: string, faults: string[] = [], once = uniqueness(faults)): string[] {
  for (const [{ provider, client_id, client_secret, redirect_uris }, at] of partsOf(owner, "clients", path)) {
    if (client_secret === undefined && !WITH_PUBLIC_CLIENTS.includes(provider as Provider))
      faults.push(`${at}.client_secret: is missing; only ${WITH_PUBLIC_CLIENTS.join(" and ")} has clients without one`);
    once("client_id", client_id, `${at}.client_id`);
    if (client_id === SERVICE_CLIENT.client_id) faults.push(`${at}.client_id: "${client_id}" is svc's own client`);
    for (const [k, uri] of (Array.isArray(redirect_uris) ? redirect_uris : []).entries()) {
      const read = typeof uri === "string" ? readRedirectUri(uri) : undefined;
      if (typeof uri === "string" && uri.includes("*"))
        faults.push(`${at}.redirect_uris[${k}]: * has no meaning here: providers compare the whole address`);
      if (read && "problem" in read) faults.push(`${at}.redirect_uris[${k}]: ${read.problem}`);
    }
  }
  return faults;
}

/** Faults of text that some stores can't hold. */
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

/** Adds a fault if a value of a kind occurs twice. */
function uniqueness(faults: string[]): (kind: string, value: unknown, path: string) => void {
  const seen = new Map<string, string>();
  return (kind, value, path) => {
    if (typeof value !== "string") return;
    const before = seen.get(`${kind} ${value}`);
    if (before === undefined) seen.set(`${kind} ${value}`, path);
    else faults.push(`${path}: the same ${kind} is at ${before}`);
  };
}

/** The faults of an instance's own addresses. @param path the prefix of their names in a message */
export function addressFaults({ subdomain, redirect_uris, preview }: Part, path: string): string[] {
  const faults: string[] = [];
  if (typeof subdomain === "string" && RESERVED_SUBDOMAINS.includes(subdomain))
    faults.push(`${path}subdomain: "${subdomain}" is reserved`);
  if (!Array.isArray(redirect_uris)) return faults;
  for (const [i, entry] of redirect_uris.entries()) {
    try {
      if (typeof entry === "string")
        checkEntry(entry, { isOnly: redirect_uris.length === 1, isPreview: preview === true });
    } catch (error) {
      faults.push(`${path}redirect_uris[${i}]: ${(error as Refusal).detail}`);
    }
  }
  return faults;
}

/**
 * The faults of preview instances whose addresses anyone could claim.
 * @param instances without other faults
 */
export async function suffixFaults(
  instances: readonly { readonly redirect_uris?: readonly string[] | undefined }[],
): Promise<string[]> {
  const entries = instances.flatMap(({ redirect_uris = [] }, i) =>
    redirect_uris.map((entry, k) => ({ entry, path: `instances[${i}].redirect_uris[${k}]` })),
  );
  const faults = entries.map(async ({ entry, path }) => {
    const fault = await publicSuffixFault(entry);
    return fault === undefined ? [] : [`${path}: ${fault}`];
  });
  return (await Promise.all(faults)).flat();
}

/** Of the ids that users had elsewhere. It never changes: the same seed gives the same ids. */
const NAMESPACE = Buffer.from("e6c193b52c444f99ab7f08cd83fdb3bf", "hex");

/**
 * The id of a seed's user: a UUID in either case; or an id elsewhere, such as `auth0:5f7c8ec7`, as a UUID of version 5 of
 * `auth0:<subdomain>:5f7c8ec7` (RFC 9562, 5.5).
 */
export function userIdOf(given: string, subdomain: string): string {
  const id = given.toLowerCase();
  return isUuid(id) ? id : uuidOf(given.replace(":", `:${subdomain}:`));
}

function uuidOf(name: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
