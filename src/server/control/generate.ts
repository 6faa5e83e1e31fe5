import { PROVIDERS, PROVIDERS_WITHOUT_EMAIL, type Provider } from "../../wire/providers.ts";
import { SESSION_ID_PREFIX } from "../../wire/ids.ts";
import { namedUuid } from "./records.ts";
import { Draw, makeUpPerson } from "./people.ts";
import { newRecord, type InstanceRecord, type Records } from "../store/records.ts";
import { DEFINITIONS } from "../providers/index.ts";
import { typedUid } from "../simulator/typed-account.ts";

const DOMAINS = ["example.com", "example.net", "example.org"];
const TWO_YEARS_MS = 2 * 365 * 24 * 3_600_000;
/** Of the sessions, this part is revoked. */
const REVOKED = 0.1;

type GeneratedUsers = Pick<Records, "users" | "identities" | "sessions">;

/** Makes users in batches. The same seed and time make the same ones, in one version of svc. */
export function createGenerator(
  instance: InstanceRecord,
  seed: number,
  now: Date,
): (from: number, count: number) => GeneratedUsers {
  const uids = new Set<string>();
  return (from, count) => {
    const batch: GeneratedUsers = { users: [], identities: [], sessions: [] };
    for (let index = from; index < from + count; index++) addUser(batch, instance, seed, index, now, uids);
    return batch;
  };
}

function addUser(
  batch: GeneratedUsers,
  { id: instance_id }: InstanceRecord,
  seed: number,
  index: number,
  now: Date,
  uids: Set<string>,
): void {
  const name = `${instance_id} ${seed} ${index}`;
  const draw = new Draw(`person ${name}`);
  const person = makeUpPerson(index, draw);
  const age = draw.fraction() * TWO_YEARS_MS;
  const created_at = new Date(now.getTime() - age).toISOString();
  const last_signin_at = new Date(now.getTime() - draw.fraction() * age).toISOString();
  const provider = draw.one(PROVIDERS);
  // Unlike those of another seed in the same instance.
  const email = `${person.login}.${seed}-${index + 1}@${draw.one(DOMAINS)}`;
  const user = newRecord("users", {
    id: namedUuid(`user ${name}`),
    instance_id,
    email,
    name: person.name,
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
  const session = newRecord("sessions", {
    id: namedUuid(`session ${name}`),
    session_id: SESSION_ID_PREFIX + namedUuid(`session id ${name}`),
    instance_id,
    user_id: user.id,
    provider,
    name: user.name,
    email,
    ip_address: [1 + draw.below(126), draw.below(256), draw.below(256), draw.below(256)].join("."),
    geo_data: {},
    logged_in_at: created_at,
    last_signin_at,
    revoked_at: draw.fraction() < REVOKED ? last_signin_at : null,
    created_at,
  });
  batch.sessions.push(session);
}

/** The account that the simulator has for the address, so that a sign-in with it is this user's. */
function uidFor(provider: Provider, email: string, taken: Set<string>): string {
  const uid = typedUid(provider, { email, name: null, email_verified: true });
  // In a million of them, two can have the same number.
  const own = uid === undefined || taken.has(`${provider} ${uid}`) ? email : uid;
  taken.add(`${provider} ${own}`);
  return own;
}
