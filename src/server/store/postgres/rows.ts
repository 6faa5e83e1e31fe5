import { fold } from "../fold.ts";
import type { PersonaRecord, RecordOf, TableName } from "../records.ts";

/** `time` is a timestamp, `json` keeps the order of its keys, `folded` has a column beside it that searches look at. */
type Kind = "text" | "folded" | "boolean" | "time" | "json";

/** The columns of every table: the fields of its records, in their order. */
const COLUMNS: { readonly [Name in TableName]: { readonly [Field in keyof Required<RecordOf[Name]>]: Kind } } = {
  instances: {
    id: "text",
    app_id: "text",
    name: "text",
    subdomain: "text",
    active: "boolean",
    publishable_key: "text",
    secret_key: "text",
    default_provider: "text",
    redirect_uris: "json",
    connections: "json",
    created_at: "time",
  },
  personas: {
    id: "text",
    name: "text",
    email: "text",
    avatar_url: "text",
    google: "json",
    github: "json",
    twitter: "json",
  },
  users: {
    id: "text",
    instance_id: "text",
    email: "folded",
    name: "folded",
    avatar_url: "folded",
    email_verified_at: "time",
    password_digest: "text",
    created_at: "time",
    updated_at: "time",
  },
  identities: {
    id: "text",
    instance_id: "text",
    user_id: "text",
    provider: "text",
    uid: "text",
    email: "text",
    email_verified: "boolean",
    access_token: "text",
    refresh_token: "text",
    token_expires_at: "time",
    created_at: "time",
    updated_at: "time",
  },
  sessions: {
    id: "text",
    session_id: "text",
    instance_id: "text",
    user_id: "text",
    provider: "text",
    name: "folded",
    email: "folded",
    ip_address: "folded",
    geo_data: "json",
    logged_in_at: "time",
    last_signin_at: "time",
    revoked_at: "time",
    created_at: "time",
  },
  states: {
    state: "text",
    instance_id: "text",
    provider: "text",
    redirect_uri: "text",
    code_verifier: "text",
    binding: "text",
    created_at: "time",
    expires_at: "time",
  },
};

/** Where a field's text is searched. */
export function searchColumn(table: TableName, field: string): string {
  return kindsOf(table)[field] === "folded" ? `${field}_folded` : field;
}

/** The fields that have such a column beside them. */
export function foldedColumnsOf(table: TableName): string[] {
  return Object.entries(kindsOf(table)).flatMap(([column, kind]) => (kind === "folded" ? [column] : []));
}

/** For a SELECT whose rows are records. */
export function columnsOf(table: TableName, alias: string): string {
  return Object.keys(COLUMNS[table])
    .map((column) => `${alias}.${column}`)
    .join(", ");
}

/** What is written for a record, for an INSERT from `json_populate_recordset`. */
export function writtenColumnsOf(table: TableName): string[] {
  return Object.entries(kindsOf(table)).flatMap(([column, kind]) =>
    kind === "folded" ? [column, `${column}_folded`] : [column],
  );
}

/** A record as `json_populate_recordset` takes it. */
export function toRow<Name extends TableName>(table: Name, record: RecordOf[Name]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const fields = record as unknown as Record<string, unknown>;
  for (const [column, kind] of Object.entries(kindsOf(table))) {
    const value = fields[column] ?? null;
    row[column] = kind === "time" && value !== null ? timestampOf(value as string) : value;
    if (kind === "folded") row[`${column}_folded`] = value === null ? null : fold(value as string);
  }
  return row;
}

/** The record that the server's `row_to_json` made of a row. */
export function fromJsonRow<Name extends TableName>(table: Name, row: object): RecordOf[Name] {
  const fields = row as Record<string, unknown>;
  const record = Object.entries(kindsOf(table)).map(([column, kind]) => {
    const value = fields[column];
    return [column, kind === "time" && value !== null ? isoOf(value as string) : value];
  });
  return Object.fromEntries(record) as RecordOf[Name];
}

/** A persona has only the accounts that it has. */
export function personaOf(row: object): PersonaRecord {
  const accounts = ["google", "github", "twitter"];
  return Object.fromEntries(
    Object.entries(row).filter(([column, value]) => value !== null || !accounts.includes(column)),
  ) as unknown as PersonaRecord;
}

/** PostgreSQL counts no year 0: it calls it 1 BC. */
export function timestampOf(iso: string): string {
  return iso.startsWith("0000") ? `0001${iso.slice(4)} BC` : iso;
}

/** `2026-06-01 12:00:00.5+00`, as the server writes it in UTC, in the form in which records hold it. */
export function isoOf(text: string): string {
  const year = text.endsWith(" BC") ? "0000" : text.slice(0, 4);
  const time = text.slice(11, text.indexOf("+"));
  return `${year}${text.slice(4, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, "0")}Z`;
}

function kindsOf(table: TableName): Readonly<Record<string, Kind>> {
  return COLUMNS[table];
}
