import type { Faker } from "@faker-js/faker";
import { PROVIDERS, PROVIDERS_WITHOUT_EMAIL, SESSION_ID_PREFIX, type Provider } from "../../wire/names.ts";
import { namedUuid } from "./named-uuid.ts";
import { newRecord, type InstanceRecord, type Records } from "../store/records.ts";
import { DEFINITIONS } from "../providers/index.ts";
import { typedPersona, uidOf } from "../simulator/typed-account.ts";

/** Names in many scripts. Each locale is loaded separately, and only here. */
const LOCALES = [
  async () => (await import("@faker-js/faker/locale/en")).faker,
  async () => (await import("@faker-js/faker/locale/de")).faker,
  async () => (await import("@faker-js/faker/locale/el")).faker,
  async () => (await import("@faker-js/faker/locale/fr")).faker,
  async () => (await import("@faker-js/faker/locale/ja")).faker,
  async () => (await import("@faker-js/faker/locale/ko")).faker,
  async () => (await import("@faker-js/faker/locale/ru")).faker,
  async () => (await import("@faker-js/faker/locale/ar")).faker,
];
const DOMAINS = ["example.com", "example.net", "example.org"];

type GeneratedUsers = Pick<Records, "users" | "identities" | "sessions">;

/** Makes one batch of users after the other. The same seed and time make the same ones, in one version of svc. */
export async function createGenerator(
  instance: InstanceRecord,
  seed: number,
  now: Date,
): Promise<(from: number, count: number) => GeneratedUsers> {
  const fakers = await Promise.all(LOCALES.map((load) => load()));
  for (const [i, faker] of fakers.entries()) {
    faker.seed([seed, i]);
    faker.setDefaultRefDate(now);
  }
  const [latin] = fakers as [Faker];
  const uids = new Set<string>();
  return (from, count) => {
    const batch: GeneratedUsers = { users: [], identities: [], sessions: [] };
    for (let index = from; index < from + count; index++) {
      const name = `${instance.id} ${seed} ${index}`;
      addUser(batch, instance, fakers[index % fakers.length]!, latin, name, index, uids);
    }
    return batch;
  };
}

function addUser(
  batch: GeneratedUsers,
  { id: instance_id }: InstanceRecord,
  faker: Faker,
  latin: Faker,
  name: string,
  index: number,
  uids: Set<string>,
): void {
  const created = faker.date.past({ years: 2 });
  const created_at = created.toISOString();
  const provider = faker.helpers.arrayElement(PROVIDERS);
  const local = latin.internet
    .username()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ".");
  const email = `${local}.${index + 1}@${latin.helpers.arrayElement(DOMAINS)}`;
  const user = newRecord("users", {
    id: namedUuid(`user ${name}`),
    instance_id,
    email,
    name: faker.person.fullName(),
    email_verified_at: DEFINITIONS[provider].verifiesEmail ? created_at : null,
    created_at,
    updated_at: created_at,
  });
  batch.users.push(user);
  const identity = newRecord("identities", {
    id: namedUuid(`identity ${name}`),
    instance_id,
    user_id: user.id,
    provider,
    uid: uidFor(provider, email, uids),
    email,
    email_verified: !PROVIDERS_WITHOUT_EMAIL.includes(provider),
    created_at,
    updated_at: created_at,
  });
  batch.identities.push(identity);
  const last_signin_at = faker.date.between({ from: created, to: faker.defaultRefDate() }).toISOString();
  const session = newRecord("sessions", {
    id: namedUuid(`session ${name}`),
    session_id: SESSION_ID_PREFIX + namedUuid(`session id ${name}`),
    instance_id,
    user_id: user.id,
    provider,
    name: user.name,
    email,
    ip_address: faker.internet.ipv4(),
    geo_data: {},
    logged_in_at: created_at,
    last_signin_at,
    revoked_at: faker.datatype.boolean(0.1) ? last_signin_at : null,
    created_at,
  });
  batch.sessions.push(session);
}

/** The account that the simulator has for the address, so that a sign-in with it is this user's. */
function uidFor(provider: Provider, email: string, taken: Set<string>): string {
  const { accounts } = typedPersona({ email, name: null, email_verified: true });
  const uid = uidOf(accounts[provider]);
  // In a million of them, two can have the same number.
  const own = uid === undefined || taken.has(`${provider} ${uid}`) ? email : uid;
  taken.add(`${provider} ${own}`);
  return own;
}
