import * as z from "zod";
import { PROVIDERS } from "../../wire/names.ts";
import { TABLE_NAMES, type Entry, type RecordOf, type TableName } from "./records.ts";

const text = z.string();
const nullable = text.nullable();
const provider = z.enum(PROVIDERS);

/** The records' shapes, their columns in the order in which an export has them. */
const SHAPES: { readonly [Name in TableName]: z.ZodObject<Record<keyof RecordOf[Name], z.ZodType>> } = {
  instances: z.strictObject({
    id: text,
    app_id: text,
    name: text,
    subdomain: text,
    active: z.boolean(),
    publishable_key: text,
    secret_key: text,
    default_provider: provider,
    redirect_uris: z.array(text),
    connections: z.partialRecord(
      provider,
      z.strictObject({ client_id: text, client_secret: text, endpoints: z.record(text, text).optional() }),
    ),
    created_at: text,
  }),
  personas: z.strictObject({
    id: text,
    name: nullable,
    email: text,
    avatar_url: nullable,
    google: z.strictObject({ sub: text, email_verified: z.boolean() }).optional(),
    github: z
      .strictObject({
        id: z.number(),
        login: text,
        emails: z.array(z.strictObject({ email: text, primary: z.boolean(), verified: z.boolean() })),
      })
      .optional(),
    twitter: z.strictObject({ id: text, username: text }).optional(),
  }),
  users: z.strictObject({
    id: text,
    instance_id: text,
    email: text,
    name: text,
    avatar_url: nullable,
    email_verified_at: nullable,
    password_digest: nullable,
    created_at: text,
    updated_at: text,
  }),
  identities: z.strictObject({
    id: text,
    instance_id: text,
    user_id: text,
    provider,
    uid: text,
    email: text,
    email_verified: z.boolean(),
    access_token: nullable,
    refresh_token: nullable,
    token_expires_at: nullable,
    created_at: text,
    updated_at: text,
  }),
  sessions: z.strictObject({
    id: text,
    session_id: text,
    instance_id: text,
    user_id: text,
    provider: z.enum([...PROVIDERS, "password"]),
    name: text,
    email: text,
    ip_address: text,
    geo_data: z.record(text, z.unknown()),
    logged_in_at: text,
    last_signin_at: text,
    revoked_at: nullable,
    created_at: text,
  }),
  states: z.strictObject({
    state: text,
    instance_id: text,
    provider,
    redirect_uri: text,
    code_verifier: nullable,
    binding: nullable,
    created_at: text,
    expires_at: text,
  }),
};
const COLUMNS = Object.fromEntries(TABLE_NAMES.map((name) => [name, Object.keys(SHAPES[name].shape)])) as Record<
  TableName,
  string[]
>;

/** Whether a value is a record of a kind: every column, of the right type, and no other. */
export function isRecord<Name extends TableName>(name: Name, value: unknown): value is RecordOf[Name] {
  return SHAPES[name].safeParse(value).success;
}

/** The kind that a value is a record of; no two have the same columns. */
export function entryOf(value: unknown): Entry | undefined {
  const name = TABLE_NAMES.find((table) => isRecord(table, value));
  return name && ([name, value] as Entry);
}

/** A record as JSON whose columns stand in one order, wherever the record comes from. */
export function recordText([name, record]: Entry): string {
  const keys = Object.keys(record);
  const columns = COLUMNS[name].filter((column) => Object.hasOwn(record, column));
  if (columns.every((column, n) => column === keys[n])) return JSON.stringify(record);
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column, record[column as keyof typeof record]])));
}
