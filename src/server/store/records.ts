import type { Provider, SessionProvider } from "../../wire/names.ts";

/** All dates are ISO 8601 in UTC with milliseconds, so that they sort as text. */

export interface ConnectionRecord {
  client_id: string;
  client_secret: string;
  /** Addresses that replace the provider's own, by the names of its `endpoints`. */
  endpoints?: Record<string, string>;
}

/** An application: the tenant. */
export interface InstanceRecord {
  id: string;
  app_id: string;
  name: string;
  subdomain: string;
  active: boolean;
  publishable_key: string;
  /** Also the HMAC key of the instance's tokens, which is why it is kept as it is and not hashed. */
  secret_key: string;
  default_provider: Provider;
  /** Empty: any valid address while the server listens on loopback alone. */
  redirect_uris: string[];
  connections: Partial<Record<Provider, ConnectionRecord>>;
  created_at: string;
}

export interface UserRecord {
  id: string;
  instance_id: string;
  email: string;
  name: string;
  avatar_url: string | null;
  email_verified_at: string | null;
  password_digest: string | null;
  created_at: string;
  updated_at: string;
}

/** One link of a user to a provider. */
export interface IdentityRecord {
  id: string;
  instance_id: string;
  user_id: string;
  provider: Provider;
  /** The provider's own id of the person. */
  uid: string;
  email: string;
  /** Whether the provider vouched for `email`. */
  email_verified: boolean;
  access_token: string | null;
  refresh_token: string | null;
  token_expires_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface StateRecord {
  /** 64 hexadecimal characters. */
  state: string;
  instance_id: string;
  provider: Provider;
  redirect_uri: string;
  /** RFC 7636; only where the provider wants PKCE. */
  code_verifier: string | null;
  /** SHA-256 of the cookie of the browser that began; null where no browser did. */
  binding: string | null;
  created_at: string;
  expires_at: string;
}

export interface SessionRecord {
  id: string;
  session_id: string;
  instance_id: string;
  user_id: string;
  provider: SessionProvider;
  name: string;
  email: string;
  ip_address: string;
  geo_data: Record<string, unknown>;
  logged_in_at: string;
  last_signin_at: string;
  revoked_at: string | null;
  created_at: string;
}

/** Somebody whom the simulated providers know. */
export interface PersonaRecord {
  id: string;
  name: string | null;
  email: string;
  avatar_url: string | null;
  google?: { sub: string; email_verified: boolean };
  github?: { id: number; login: string; emails: { email: string; primary: boolean; verified: boolean }[] };
  twitter?: { id: string; username: string };
}

/** A whole store's content, but for what is only passing. */
export interface Records {
  instances: InstanceRecord[];
  users: UserRecord[];
  identities: IdentityRecord[];
  sessions: SessionRecord[];
  personas: PersonaRecord[];
}

/** The kinds of record, in the order in which a store is written, read and moved: what is referred to comes first. */
export const TABLE_NAMES = ["instances", "personas", "users", "identities", "sessions", "states"] as const;
export type TableName = (typeof TABLE_NAMES)[number];

export interface RecordOf {
  instances: InstanceRecord;
  personas: PersonaRecord;
  users: UserRecord;
  identities: IdentityRecord;
  sessions: SessionRecord;
  states: StateRecord;
}

/** A record with its kind. */
export type Entry = { [Name in TableName]: readonly [Name, RecordOf[Name]] }[TableName];

/** What tells a record from the others of its kind. */
export function keyOf(name: TableName, record: RecordOf[TableName]): string {
  if (name === "sessions") return (record as SessionRecord).session_id;
  if (name === "states") return (record as StateRecord).state;
  return (record as { id: string }).id;
}
