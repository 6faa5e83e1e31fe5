import type { Command } from "commander";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/search/fields.ts";
import type { Session, User } from "../../wire/resources.ts";
import { isSessionId, isUuid } from "../../wire/ids.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";

type Value = string | boolean | null | readonly string[] | Readonly<Record<string, unknown>>;

/** How a table shows a column. */
interface Look {
  /** The heading in a table. Without one the column is only shown if `--fields` names it. */
  readonly title?: string;
  /** An id: shortened in a table that is too narrow for it, and nowhere else. */
  readonly isId?: true;
  /** Left out of a table that is wider than the terminal; the last one first. */
  readonly isSpare?: boolean;
  /** A time, which a person is told as `3 days ago`, or what a person reads for true and for false. */
  readonly as?: "time" | readonly [yes: string, no: string];
}

/** The names of a row's own values, which in the API's envelope are below `data`. */
type ValueName<Row> = string & (Row extends { readonly data: infer Data } ? "id" | keyof Data : keyof Row);

/** One value of a resource: what the API and `--fields` call it, and how a table shows it. */
export type Column<Row> = Look &
  (
    | { readonly name: ValueName<Row>; readonly value?: undefined }
    | { readonly name: string; readonly value: (row: Row) => Value }
  );

export function valueIn<Row>({ name, value }: Column<Row>, row: Row): Value {
  if (value) return value(row);
  return ((isEnvelope(row) && name !== "id" ? row.data : row) as Record<string, Value>)[name]!;
}

/** A resource as lists show it. */
export interface Listed<Row> {
  readonly columns: readonly Column<Row>[];
  /** What can be searched for. The service does not return all of it. */
  readonly searched?: Fields;
}

/** A resource that the service lists, and its name in the plural. */
export interface Collection<Row> extends Listed<Row> {
  readonly noun: string;
}

export const USER_COLUMNS: Collection<User> = {
  noun: "users",
  searched: USER_FIELDS,
  columns: [
    { name: "id", title: "ID", isId: true },
    { name: "email", title: "EMAIL" },
    { name: "name", title: "NAME" },
    { name: "avatar_url" },
    { name: "providers", title: "PROVIDERS", isSpare: true },
    { name: "email_verified", title: "VERIFIED", isSpare: true, as: ["yes", "no"] },
    { name: "created_at", title: "CREATED", isSpare: true, as: "time" },
  ],
};

export const SESSION_COLUMNS: Collection<Session> = {
  noun: "sessions",
  searched: SESSION_FIELDS,
  columns: [
    { name: "session_id", title: "SESSION", isId: true },
    { name: "id", isId: true },
    { name: "user_id", isId: true },
    { name: "email", title: "EMAIL" },
    { name: "name" },
    { name: "provider", title: "PROVIDER", isSpare: true },
    { name: "ip_address", title: "IP", isSpare: true },
    { name: "geo_data" },
    { name: "logged_in_at", as: "time" },
    { name: "last_signin_at", title: "LAST SIGN-IN", isSpare: true, as: "time" },
    { name: "revoked_at", as: "time" },
    { name: "active", title: "ACTIVE", isSpare: true, as: ["yes", "revoked"] },
  ],
};

/** Whether a row is the API's envelope, in which a column's value is below `data`. */
export function isEnvelope(row: unknown): row is { id: unknown; resource: unknown; data: Record<string, unknown> } {
  return typeof row === "object" && row !== null && "resource" in row && "data" in row;
}

/** The first part of a UUID, which is what tells a session's id from the others too. */
export function shortId(text: string): string {
  const [first = "", rest] = text.replace(/^svc_session_/, "").split(/(?<=^[0-9a-f]{8})-/);
  return rest === undefined ? text : `${first}…`;
}

/** What to do about an id that was copied from a narrow table. Undefined if the text does not look like one. */
export function shortIdHint(text: string, noun: "users" | "sessions"): string | undefined {
  if (!/^(?:svc_session_)?[0-9a-f]{8}(?:-[0-9a-f-]{0,26})?…?$/i.test(text)) return undefined;
  return `Narrow tables shorten ids. To see all of them: svc ${noun} list --output wide`;
}

/** What to do about a text for a user that is part of a name, or of an id. */
export function hintForName(text: string): string {
  const isName = /^[\p{L}\p{N} ._-]+$/u.test(text);
  const name = isName ? quoted(text) : "<name>";
  return shortIdHint(text, "users") ?? `Find the user with: svc users search --name ${name}`;
}

export function checkSessionId(text: string): void {
  if (isSessionId(text.toLowerCase())) return;
  const where = "svc sessions list --fields session_id,id,email";
  throw new UsageError(
    `"${text.slice(0, 100)}" is not a session id.`,
    isUuid(text.toLowerCase())
      ? `It is a UUID. If it is the id of a record: svc sessions search id:${text}. Of a user: svc sessions search --user ${text}`
      : (shortIdHint(text, "sessions") ?? `A session id begins with svc_session_. To see them: ${where}`),
  );
}

export function checkFlowId(text: string): void {
  if (/^[0-9a-f]{1,64}$/.test(text)) return;
  throw new UsageError(`"${text}" is not the id of a sign-in.`, "svc logs shows the id of each sign-in, as its flow.");
}

/** The flags of a list, as they are typed. */
export interface ListFlags {
  readonly limit?: string;
  readonly fields?: string;
  readonly count?: boolean;
}

/** The flag that chooses fields. Given several times, it chooses all of them. */
export function addFieldsFlag<Row>(command: Command, { columns }: Listed<Row>): Command {
  return command.option(
    "--fields <names>",
    `only these fields, such as ${columns[0]!.name},email`,
    (chosen: string, before?: string) => (before === undefined ? chosen : `${before},${chosen}`),
  );
}

export function addListFlags<Row>(command: Command, listed: Collection<Row>): Command {
  command.option("--limit <number>", `maximum results; default: all, and ${SCREEN} on a terminal`);
  return addFieldsFlag(command, listed).option("--count", `print only the number of ${listed.noun}`);
}

/** What a person is shown of a list without `--limit`. */
export const SCREEN = 50;

/** The columns that `--fields` names. */
export function chosenBy<Row>(fields: string | undefined, listed: Listed<Row>): readonly Column<Row>[] | undefined {
  return fields?.split(",").map((name) => named(name.trim(), listed));
}

function named<Row>(name: string, { columns, searched = {} }: Listed<Row>): Column<Row> {
  const column = columns.find((candidate) => candidate.name === name);
  if (column) return column;
  throw new UsageError(
    Object.hasOwn(searched, name)
      ? `--fields: "${name}" can be searched for, but the service does not return it.`
      : `--fields: unknown field "${name}".`,
    `Fields: ${columns.map((candidate) => candidate.name).join(", ")}.`,
  );
}
