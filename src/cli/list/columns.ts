import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/search/fields.ts";
import type { Session, User } from "../../wire/resources.ts";
import { isSessionId, isUuid } from "../../wire/ids.ts";
import { UsageError } from "../errors.ts";

type Value = string | boolean | null | readonly string[] | Readonly<Record<string, unknown>>;

/** One value of a resource: what `--fields` and `--sort` call it, and how a table shows it. */
export interface Column<Row> {
  /** The API's own name. */
  readonly name: string;
  /** The heading in a table. Without one the column is only shown if `--fields` names it. */
  readonly title?: string;
  /** Never cut: a person or the next command needs all of it. */
  readonly whole?: true;
  /** An id: shortened in a table that is too narrow for it, and nowhere else. */
  readonly isId?: true;
  /** Cut only if no other column is left to cut or to leave out. */
  readonly isCutLast?: true;
  /** May be left out of a table that is wider than the terminal; the last one first. */
  readonly isSpare?: boolean;
  /** Left out before the other spare columns. */
  readonly goesFirst?: true;
  /** A time, which a person is told as `3 days ago`. */
  readonly isTime?: true;
  /** What a person reads for true and for false. */
  readonly words?: readonly [yes: string, no: string];
  value(row: Row): Value;
}

/** A resource as lists show it. */
export interface Listed<Row> {
  /** The column that the next command takes. */
  readonly id: string;
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
  id: "id",
  searched: USER_FIELDS,
  columns: [
    { name: "id", title: "ID", whole: true, isId: true, value: ({ id }) => id },
    { name: "email", title: "EMAIL", isCutLast: true, value: ({ data }) => data.email },
    { name: "name", title: "NAME", value: ({ data }) => data.name },
    { name: "avatar_url", value: ({ data }) => data.avatar_url },
    { name: "providers", title: "PROVIDERS", isSpare: true, value: ({ data }) => data.providers },
    {
      name: "email_verified",
      title: "VERIFIED",
      isSpare: true,
      goesFirst: true,
      words: ["yes", "no"],
      value: ({ data }) => data.email_verified,
    },
    { name: "created_at", title: "CREATED", isSpare: true, isTime: true, value: ({ data }) => data.created_at },
  ],
};

export const SESSION_COLUMNS: Collection<Session> = {
  noun: "sessions",
  id: "session_id",
  searched: SESSION_FIELDS,
  columns: [
    { name: "session_id", title: "SESSION", whole: true, isId: true, value: ({ data }) => data.session_id },
    { name: "id", whole: true, isId: true, value: ({ id }) => id },
    { name: "user_id", whole: true, isId: true, value: ({ data }) => data.user_id },
    { name: "email", title: "EMAIL", isCutLast: true, value: ({ data }) => data.email },
    { name: "name", value: ({ data }) => data.name },
    { name: "provider", title: "PROVIDER", isSpare: true, value: ({ data }) => data.provider },
    { name: "ip_address", title: "IP", isSpare: true, goesFirst: true, value: ({ data }) => data.ip_address },
    { name: "geo_data", value: ({ data }) => data.geo_data },
    { name: "logged_in_at", isTime: true, value: ({ data }) => data.logged_in_at },
    {
      name: "last_signin_at",
      title: "LAST SIGN-IN",
      isSpare: true,
      isTime: true,
      value: ({ data }) => data.last_signin_at,
    },
    { name: "revoked_at", isTime: true, value: ({ data }) => data.revoked_at },
    { name: "active", title: "ACTIVE", isSpare: true, words: ["yes", "revoked"], value: ({ data }) => data.active },
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
