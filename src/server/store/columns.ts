import type { KindName, ValueOf } from "./kinds.ts";

/** A column of a table. */
export interface ColumnRule {
  readonly kind: KindName;
  readonly nullable?: true;
  /** The value of a new record that is made without one. */
  readonly initial?: unknown;
  /** Whether case is ignored. PostgreSQL has the folded text in a separate column. */
  readonly folded?: true;
  /** Whether PostgreSQL has an index for parts of the text. */
  readonly hasPartsIndex?: true;
  /** Whether values are unique. `key` if the value also names the record. */
  readonly unique?: "key" | true;
  readonly references?: string;
  /** Whether it is a secret, which no response contains and no search finds. */
  readonly sealed?: true;
}

/**
 * The tables and their columns, in the order in which a store is written, read and moved: a table comes after those it
 * refers to. The record types, the check of every record that is read, the SQL of the PostgreSQL driver and exports all follow
 * from it. Those of users and sessions that a search may name are in `wire/search/fields.ts`.
 */
export const TABLES = {
  /** Values besides the records: the clock, scenarios, the store's secrets. */
  settings: {
    name: { kind: "text", unique: "key" },
    value: { kind: "object", sealed: true },
  },
  /** An application: the tenant. */
  instances: {
    id: { kind: "text", unique: "key" },
    app_id: { kind: "text" },
    name: { kind: "text" },
    subdomain: { kind: "text", unique: true },
    active: { kind: "boolean" },
    publishable_key: { kind: "text", unique: true },
    /** Also the HMAC key of the instance's tokens, which is why it is not hashed. */
    secret_key: { kind: "text", unique: true, sealed: true },
    default_provider: { kind: "provider" },
    /** If empty, any valid address is allowed while the server listens on loopback only. */
    redirect_uris: { kind: "texts" },
    connections: { kind: "connections", sealed: true },
    /** Of applications that speak to the simulated providers by themselves. */
    clients: { kind: "clients", sealed: true, initial: [] },
    created_at: { kind: "time" },
    /** The replaced secret keys that still verify, newest first. */
    old_keys: { kind: "old_keys", sealed: true, initial: [] },
    /** Whether an entry of `redirect_uris` may have a `*` in its host. */
    preview: { kind: "boolean", initial: false },
  },
  /** A person at the simulated providers. */
  personas: {
    id: { kind: "text", unique: "key" },
    name: { kind: "text", nullable: true },
    email: { kind: "text" },
    avatar_url: { kind: "text", nullable: true },
    accounts: { kind: "accounts", initial: {} },
  },
  users: {
    id: { kind: "text", unique: "key" },
    instance_id: { kind: "text", references: "instances" },
    email: { kind: "text", folded: true, hasPartsIndex: true },
    name: { kind: "text", folded: true, hasPartsIndex: true },
    avatar_url: { kind: "text", nullable: true, folded: true },
    email_verified_at: { kind: "time", nullable: true },
    password_digest: { kind: "text", nullable: true, sealed: true },
    created_at: { kind: "time" },
    updated_at: { kind: "time" },
  },
  /** A user's link to a provider. */
  identities: {
    id: { kind: "text", unique: "key" },
    instance_id: { kind: "text" },
    user_id: { kind: "text", references: "users" },
    provider: { kind: "provider" },
    /** The user's id at the provider. */
    uid: { kind: "text" },
    email: { kind: "text" },
    /** Whether the provider vouched for `email`. */
    email_verified: { kind: "boolean" },
    access_token: { kind: "text", nullable: true, sealed: true },
    refresh_token: { kind: "text", nullable: true, sealed: true },
    token_expires_at: { kind: "time", nullable: true },
    created_at: { kind: "time" },
    updated_at: { kind: "time" },
  },
  sessions: {
    id: { kind: "text", unique: true },
    session_id: { kind: "text", unique: "key" },
    instance_id: { kind: "text" },
    user_id: { kind: "text", references: "users" },
    provider: { kind: "session_provider" },
    name: { kind: "text", folded: true, hasPartsIndex: true },
    email: { kind: "text", folded: true, hasPartsIndex: true },
    ip_address: { kind: "text", folded: true },
    geo_data: { kind: "object" },
    logged_in_at: { kind: "time" },
    last_signin_at: { kind: "time" },
    revoked_at: { kind: "time", nullable: true },
    created_at: { kind: "time" },
  },
  /** An unfinished sign-in. */
  states: {
    /** 64 hexadecimal characters. */
    state: { kind: "text", unique: "key", sealed: true },
    instance_id: { kind: "text" },
    provider: { kind: "provider" },
    redirect_uri: { kind: "text" },
    /** RFC 7636; only if the provider requires PKCE. */
    code_verifier: { kind: "text", nullable: true, sealed: true },
    /** Of `sign-in/binding.ts`: SHA-256 of the cookie of the browser that started it; null if a program did. */
    binding: { kind: "text", nullable: true, sealed: true },
    created_at: { kind: "time" },
    expires_at: { kind: "time" },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnRule>>>>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** The tables of which an instance has its own part: what is unique in them is unique within an instance. */
export const TENANT_NAMES = ["users", "identities", "sessions"] as const;
export type TenantName = (typeof TENANT_NAMES)[number];
export type TenantCounts = Readonly<Record<TenantName, number>>;

export interface TenantKey {
  readonly instance_id: string;
  readonly id: string;
}
export type KeyOf<Name extends TableName> = Name extends TenantName ? TenantKey : string;

export function isTenantName(name: TableName): name is TenantName {
  return (TENANT_NAMES as readonly TableName[]).includes(name);
}

export function byTable<Name extends TableName, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}

export function columnsOf(name: TableName): readonly (ColumnRule & { readonly name: string })[] {
  return COLUMNS[name];
}
const COLUMNS = byTable(TABLE_NAMES, (table) =>
  Object.entries<ColumnRule>(TABLES[table]).map(([name, column]) => ({ name, ...column })),
);

export function keyColumn(name: TableName): string {
  return columnsOf(name).find(({ unique }) => unique === "key")!.name;
}

/** Of the records in a `db.json`, its journal and an export. */
export const STORE_VERSION = 1;

type ColumnsOf<Name extends TableName> = (typeof TABLES)[Name];

export type RecordOf = {
  [Name in TableName]: {
    -readonly [Key in keyof ColumnsOf<Name>]: ColumnsOf<Name>[Key] extends {
      kind: infer K extends KindName;
      nullable: true;
    }
      ? ValueOf<K> | null
      : ColumnsOf<Name>[Key] extends { kind: infer K extends KindName }
        ? ValueOf<K>
        : never;
  };
};

type ColumnsWith<Name extends TableName, Property> = {
  [Key in keyof ColumnsOf<Name>]: ColumnsOf<Name>[Key] extends Property ? Key : never;
}[keyof ColumnsOf<Name>] &
  keyof RecordOf[Name];

export type SealedColumn<Name extends TableName> = ColumnsWith<Name, { sealed: true }>;
export type OptionalColumn<Name extends TableName> = ColumnsWith<Name, { nullable: true } | { initial: unknown }>;
