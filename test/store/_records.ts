// Below the faces: records of every column, as a store has them.

import { randomUUID } from "node:crypto";
import {
  newRecord,
  type IdentityRecord,
  type InstanceRecord,
  type PersonaRecord,
  type Records,
  type SessionRecord,
  type StateRecord,
  type UserRecord,
} from "../../src/server/store/records.ts";
import type { StoredSignIn, Store, UserView } from "../../src/server/store/store.ts";
import type { Provider } from "../../src/wire/providers.ts";

const START = Date.UTC(2026, 5, 1, 12);

/** Two unrelated instances. */
export const A = id(0xa);
export const B = id(0xb);

export function id(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

export function sessionId(n: number): string {
  return `svc_session_${id(n)}`;
}

export function at(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

export function instance(instance_id: string, name: string): InstanceRecord {
  return {
    id: instance_id,
    app_id: `app-${name}`,
    name,
    subdomain: name,
    active: true,
    publishable_key: `pk_${name}_0123456789`,
    secret_key: `sk_${name}_0123456789abcdefghijklmnopqrstuvwxyz`,
    default_provider: "google",
    redirect_uris: [],
    connections: {},
    clients: [],
    created_at: at(0),
    old_keys: [],
    preview: false,
  };
}

export function persona(name: string): PersonaRecord {
  return {
    id: name,
    name,
    email: `${name}@acme.test`,
    avatar_url: null,
    accounts: { google: { sub: name, email_verified: true } },
  };
}

export function user(n: number, more: Partial<UserRecord> = {}): UserRecord {
  return newRecord("users", {
    id: id(n),
    instance_id: A,
    email: `user${n}@acme.test`,
    name: `User ${n}`,
    created_at: at(n),
    updated_at: at(n),
    ...more,
  });
}

export function identity(n: number, owner: UserRecord, more: Partial<IdentityRecord> = {}): IdentityRecord {
  return newRecord("identities", {
    id: id(n),
    instance_id: owner.instance_id,
    user_id: owner.id,
    provider: "google",
    uid: String(n),
    email: owner.email,
    email_verified: true,
    created_at: owner.created_at,
    updated_at: owner.created_at,
    ...more,
  });
}

export function session(n: number, owner: UserRecord, more: Partial<SessionRecord> = {}): SessionRecord {
  return newRecord("sessions", {
    id: id(n),
    session_id: sessionId(n),
    instance_id: owner.instance_id,
    user_id: owner.id,
    provider: "google",
    name: owner.name,
    email: owner.email,
    ip_address: "203.0.113.7",
    geo_data: {},
    logged_in_at: at(n),
    last_signin_at: at(n),
    created_at: at(n),
    ...more,
  });
}

export function state(n: number, more: Partial<StateRecord> = {}): StateRecord {
  return newRecord("states", {
    state: n.toString(16).padStart(64, "0"),
    instance_id: A,
    provider: "google",
    redirect_uri: "http://localhost:3000/callback",
    created_at: at(0),
    expires_at: at(600),
    ...more,
  });
}

/** The record of a state that nobody has taken, which is removed. */
export async function takeState(store: Store, text: string): Promise<StateRecord | undefined> {
  const claimed = await store.claimState(text);
  await claimed?.end();
  return claimed?.record;
}

export function records(more: Partial<Records> = {}): Records {
  return {
    instances: [instance(B, "globex"), instance(A, "acme")],
    users: [],
    identities: [],
    sessions: [],
    personas: [],
    ...more,
  };
}

export interface Person {
  instance_id?: string;
  provider?: Provider;
  uid: string;
  email?: string;
  ip_address?: string;
  /** In seconds after the start. */
  time?: number;
  /** The number of the created records; without it they have random ids. */
  n?: number;
  /** Whether a link removes the user's other identities and revokes the open sessions. */
  clears?: boolean;
}

/** A sign-in by the plainest rules: the user of a known identity, the user with the same address, or a new one. */
export function arrival(person: Person): StoredSignIn {
  const { instance_id = A, provider = "google", uid, ip_address = "203.0.113.7", time = 1000, n, clears } = person;
  const { email = `${uid}@acme.test` } = person;
  const now = at(time);
  const newId = (): string => (n === undefined ? randomUUID() : id(n));
  return {
    instance_id,
    provider,
    uid,
    email,
    ip_address,
    resolveUser({ known, sameEmail }) {
      const found = known?.user ?? sameEmail?.user;
      const owner: UserRecord = found
        ? { ...found, updated_at: now }
        : user(time, { id: newId(), instance_id, email, name: uid });
      const link: IdentityRecord = known
        ? { ...known.identity, updated_at: now }
        : identity(time, owner, { id: newId(), provider, uid, email, created_at: now, updated_at: now });
      const cleared =
        sameEmail && clears ? { identities: sameEmail.identities.map((own) => own.id), revoked_at: now } : undefined;
      return { user: owner, identity: link, cleared };
    },
    openSession(owner, active) {
      if (active) return { ...active, last_signin_at: now };
      const own = newId();
      return session(time, owner, { id: own, session_id: `svc_session_${own}`, provider, ip_address });
    },
  };
}

export async function all<Row>(batches: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

interface Content {
  instances: readonly InstanceRecord[];
  personas: readonly PersonaRecord[];
  users: UserView[];
  sessions: SessionRecord[];
}

/** Everything in a store, in reading order. */
export async function contentOf(store: Store): Promise<Content> {
  const content: Content = {
    instances: await store.instances(),
    personas: await store.personas(),
    users: [],
    sessions: [],
  };
  for (const tenant of [A, B]) {
    content.users.push(...(await all(store.users(tenant, {}))));
    content.sessions.push(...(await all(store.sessions(tenant, {}))));
  }
  return content;
}

/** Ada, Charles and Grace at the instance acme, and another Ada at globex. */
export function people(): Records {
  const ada = user(1, { email: "ada@acme.test", name: "Ada Lovelace", email_verified_at: at(1) });
  const charles = user(2, { email: "charles@acme.test", name: "Charles Babbage", password_digest: "digest" });
  const grace = user(3, { email: "grace@navy.test", name: "Grace Hopper", avatar_url: "https://navy.test/grace.png" });
  const other = user(4, { instance_id: B, email: "ada@acme.test", name: "Ada of Globex" });
  return records({
    users: [ada, charles, grace, other],
    identities: [
      identity(11, ada, { uid: "ada" }),
      identity(12, ada, { provider: "github", uid: "ada" }),
      identity(13, grace, { provider: "github", uid: "grace" }),
      identity(14, other, { uid: "ada" }),
    ],
    sessions: [
      session(21, ada),
      session(22, ada, { provider: "github", ip_address: "198.51.100.23", revoked_at: at(30) }),
      session(23, charles, { provider: "password" }),
      session(24, other),
    ],
    personas: [persona("mary"), persona("alan")],
  });
}
