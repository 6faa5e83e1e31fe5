import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { type Provider, PROVIDERS_WITHOUT_EMAIL } from "../../wire/providers.ts";
import { persona as personaForm, Seed } from "../../wire/control/seed.ts";
import { providerEmail, text } from "../../wire/control/values.ts";
import { SIMULATED } from "../simulator/providers.ts";
import { createPublishableKey, createSecretKey } from "../instances/instances.ts";
import { jsonFault } from "../../text/json.ts";
import { SESSION_ID_PREFIX } from "../../wire/ids.ts";
import { SeedError } from "../errors.ts";
import { checkedBy, firstOf } from "../zod-errors.ts";
import { newRecord, type InstanceRecord, type PersonaRecord, type Records } from "../store/records.ts";
import { crossFaults, suffixFaults, textFaults, userIdOf } from "./faults.ts";

type Account = z.ZodMiniOptional<z.ZodMiniType<Record<string, unknown>>>;

const accountForms = Object.fromEntries(
  Object.entries(SIMULATED).map(([name, { accountSchema }]) => [
    name,
    z.optional(accountSchema({ text, email: providerEmail })),
  ]),
) as Record<Provider, Account>;

export const SeedPersona = z.extend(personaForm, accountForms);

/** A seed file, with the form of the personas' accounts at every provider. */
export const SeedFile = z.extend(Seed, { personas: z._default(z.array(SeedPersona), []) });

/** The same, and refuses preview instances whose addresses anyone could claim. @throws {SeedError} */
export async function readSeed(...[source, name, now, before]: Parameters<typeof parseSeed>): Promise<Records> {
  const records = parseSeed(source, name, now, before);
  const faults = await suffixFaults(records.instances);
  if (faults.length > 0) throw seedRefused(name, faults);
  return records;
}

/**
 * Reads a seed file's text into the records of a new store. Omitted ids, keys and dates are generated.
 * @param before the instances of a store that is seeded again: their ids and keys are kept unless the seed sets them
 * @throws {SeedError}
 */
export function parseSeed(source: string, name: string, now: Date, before: readonly InstanceRecord[] = []): Records {
  let input: unknown;
  try {
    input = JSON.parse(source);
  } catch (error) {
    throw new SeedError(`${name} is not JSON: ${jsonFault(error, source)}`);
  }
  const seed = checkedBy(SeedFile, input);
  const faults = [...(seed.faults ?? textFaults(seed.data)), ...crossFaults(input)];
  if (seed.faults || faults.length > 0) throw seedRefused(name, faults);
  return recordsOf(seed.data, now, before);
}

export function recordsOf(seed: Seed, now: Date, before: readonly InstanceRecord[] = []): Records {
  const records: Records = {
    instances: [],
    users: [],
    identities: [],
    sessions: [],
    personas: seed.personas.map(({ name, email, avatar_url, id, ...accounts }, index) =>
      newRecord("personas", {
        id: id ?? `persona-${index + 1}`,
        name,
        email,
        avatar_url,
        accounts: accounts as PersonaRecord["accounts"],
      }),
    ),
  };
  for (const given of seed.instances) {
    const old = kept(given.subdomain, seed, before);
    const instance = newRecord("instances", {
      ...given,
      id: given.id ?? old?.id ?? randomUUID(),
      app_id: given.app_id ?? old?.app_id ?? randomUUID(),
      publishable_key: given.publishable_key ?? old?.publishable_key ?? createPublishableKey(),
      secret_key: given.secret_key ?? old?.secret_key ?? createSecretKey(),
      connections: given.connections as InstanceRecord["connections"],
      created_at: now.toISOString(),
    });
    records.instances.push(instance);
    userRecordsOf(given.users, instance, now, records);
  }
  return records;
}

type SeedInstance = Seed["instances"][number];
export type SeedUser = SeedInstance["users"][number];
export type UserRecords = Pick<Records, "users" | "identities" | "sessions">;

/** The previous instance of a subdomain, unless the seed gives its id or a key to another instance. */
function kept(subdomain: string, seed: Seed, before: readonly InstanceRecord[]): InstanceRecord | undefined {
  const found = before.find((instance) => instance.subdomain === subdomain);
  const isTaken = ({ id, publishable_key, secret_key, ...other }: SeedInstance): boolean =>
    other.subdomain !== subdomain &&
    (id === found?.id || publishable_key === found?.publishable_key || secret_key === found?.secret_key);
  return seed.instances.some(isTaken) ? undefined : found;
}

/** The records of valid users of a seed. @param records what they are added to */
export function userRecordsOf(
  users: readonly SeedUser[],
  { id: instance_id, subdomain }: Pick<InstanceRecord, "id" | "subdomain">,
  now: Date,
  records: UserRecords = { users: [], identities: [], sessions: [] },
): UserRecords {
  for (const given of users) {
    const created_at = utc(given.created_at) ?? now.toISOString();
    const user = newRecord("users", {
      ...given,
      id: given.id === undefined ? randomUUID() : userIdOf(given.id, subdomain),
      name: given.name ?? given.email.split("@")[0]!,
      instance_id,
      email_verified_at: utc(given.email_verified_at),
      created_at,
      updated_at: created_at,
    });
    records.users.push(user);
    for (const identity of given.identities)
      records.identities.push(
        newRecord("identities", {
          ...identity,
          id: identity.id ?? randomUUID(),
          instance_id,
          user_id: user.id,
          email: identity.email ?? user.email,
          email_verified: identity.email_verified ?? !PROVIDERS_WITHOUT_EMAIL.includes(identity.provider),
          created_at,
          updated_at: created_at,
        }),
      );
    for (const session of given.sessions) {
      const logged_in_at = utc(session.logged_in_at ?? session.last_signin_at) ?? now.toISOString();
      records.sessions.push(
        newRecord("sessions", {
          ...session,
          id: session.id ?? randomUUID(),
          session_id: session.session_id ?? SESSION_ID_PREFIX + randomUUID(),
          instance_id,
          user_id: user.id,
          name: user.name,
          email: user.email,
          logged_in_at,
          last_signin_at: utc(session.last_signin_at) ?? logged_in_at,
          revoked_at: utc(session.revoked_at),
          created_at: logged_in_at,
        }),
      );
    }
  }
  return records;
}

/** Dates are stored in one form, which sorts as text. */
function utc(time: string | null | undefined): string | null {
  return time ? new Date(time).toISOString() : null;
}

function seedRefused(name: string, faults: readonly string[]): SeedError {
  return new SeedError(
    `${name} can't be used; nothing was applied:\n${firstOf(faults)
      .map((fault) => `  ${fault}`)
      .join("\n")}`,
  );
}
