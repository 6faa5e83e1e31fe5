import { ServeError } from "../../../errors.ts";
import { StorageUnavailable, StoreRefused } from "../../store.ts";

interface Failure {
  readonly code?: string;
  readonly message: string;
  readonly constraint?: string;
}

/** Tests an error's code, which is PostgreSQL's SQLSTATE if the server sent it. */
const saying =
  (...codes: readonly string[]) =>
  (error: unknown): boolean =>
    codes.includes(codeOf(error));

const isDenied = saying("42501");
/** Missing tables, functions or schemas: they were removed while the store was open. */
const isGone = saying("42P01", "42883", "42703");
const isForeign = saying("23503");
/** A name, a word or a feature that every PostgreSQL has. */
export const isUnsupported = saying("42P01", "42883", "42703", "42601", "0A000");
/** Whether the same statement or transaction may succeed on a retry. Nothing was written. */
export const isRepeatable = saying("40001", "40P01");
/** Whether another transaction has created the same schema or table meanwhile. Nothing was written. */
export const isCreated = saying("23505", "42P06", "42P07", "42710");
/** Whether another transaction held a lock for longer than this one may wait. Nothing was written. */
export const isLocked = saying("55P03");
/** Whether the server accepts no writes: a standby, or set to read only. Nothing was written. */
export const isReadOnly = saying("25006");
export const isTooSlow = saying("57014");
/** Whether the server has no free connection, or is starting. Nothing was sent. */
export const isBusy = saying("53300", "57P03");
/** Whether PostgreSQL can't store a text: it has U+0000 or half a surrogate pair, or is too long for an index. */
export const isUnstorable = saying("22P02", "22P05", "54000");
/** Whether the server's disk is full. Rows that fit into its existing pages can still be written. */
export const isFull = saying("53100");

/** Whether the time for an answer, or for a connection, has ended. */
export const isTimeUp = saying("NO_ANSWER", "CONNECT_TIMEOUT");

export class NoAnswer extends Error {
  readonly code = "NO_ANSWER";
}

/** There was no connection for it in time, so it was not sent. */
export class NoConnection extends NoAnswer {}

/** The connections were ended before a statement was sent. It can be repeated on others. */
export class NotSent extends Error {
  readonly code = "NOT_SENT";
}

export class NotWritable extends Error {
  readonly code = "25006";
}

export class HangingCommits extends Error {
  readonly code = "HANGING_COMMITS";

  constructor(count: number, seconds: number) {
    const commits = count === 1 ? "one commit waits" : `${count} commits wait`;
    super(`${commits} for the synchronous standby, which does not answer, since ${Math.round(seconds)} s`);
  }
}

export const isHanging = (error: unknown): boolean => error instanceof HangingCommits;

/** Whether the connection is lost, with the statements on it. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]+$|57P0[1-5])/.test(code) || code.startsWith("08");
}

/** An error of a connection, with a code: `pg` gives most of its own none. */
export function coded(error: unknown): unknown {
  if (!(error instanceof Error) || codeOf(error) !== "") return error;
  const { message } = error;
  const code = /time(d )?out/i.test(message) ? "CONNECT_TIMEOUT" : /SSL/.test(message) ? "NO_TLS" : "CONNECTION_LOST";
  return Object.assign(error, { code });
}

/** The server's own error, without what it means to a request. */
export function causeOf(error: unknown): unknown {
  return (error as Error).cause ?? error;
}

/** @throws {NoAnswer} after `ms`. Undefined means no limit */
export async function withinTime<T>(answer: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return answer;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer("no answer in time")), ms);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the server rejects the login or the database: then another host would, too. */
export function isLoginRefused(error: unknown): boolean {
  return codeOf(error).startsWith("28") || codeOf(error) === "3D000";
}

function isPoolersRefusal(error: unknown): boolean {
  return codeOf(error) === "08P01" && /startup parameter/i.test((error as Failure).message);
}

/** Whether a server refuses startup parameters that PostgreSQL accepts: it may be a pooler, or another engine. */
export function isParameterRefused(error: unknown): boolean {
  return isPoolersRefusal(error) || ["42704", "0A000"].includes(codeOf(error));
}

/** Whether another sign-in was faster, and this one must decide again. Nothing was written. */
export function isConflict(error: unknown): boolean {
  return codeOf(error) === "23505" || (isForeign(error) && !isInstanceGone(error));
}

/** Errors of the server itself, as opposed to those of a statement's text or data. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (isForeign(error)) return isInstanceGone(error);
  return (
    code !== "" && (!/^[0-9A-Z]{5}$/.test(code) || !/^(22|23|42|0A)/.test(code) || isGone(error) || isDenied(error))
  );
}

export function unavailable(location: string, error: unknown): StorageUnavailable {
  const code = isFull(error) ? "store_full" : isReadOnly(error) ? "store_read_only" : "store_unavailable";
  return new StorageUnavailable(`${location}: ${reasonOf(error)}`, { code, cause: error });
}

/** Why a statement failed, for the log and for people. Contains no secret. */
export function reasonOf(error: unknown): string {
  if (isInstanceGone(error)) return "its content was replaced. Restart svc.";
  const message = messageOf(error);
  if (isDenied(error)) return `${message}. ${GRANT}`;
  return isGone(error) ? `${message}. Was the schema changed? Run: svc store migrate` : message;
}

/** Why svc does not open or fill a store. @param message with the location, and with what to do */
export function unusable(message: string, options?: ErrorOptions): StoreRefused {
  return new StoreRefused("unusable", message, options);
}

/**
 * Why a store can't be opened, and what to do.
 * @param location without a password
 * @param whenDenied what to do about a missing privilege
 */
export function asRefusal(location: string, error: unknown, whenDenied = GRANT): StoreRefused {
  if (error instanceof StoreRefused) return error;
  const cause = causeOf(error);
  const message = messageOf(cause).replace(/\.?$/, ".");
  const advice = isDenied(cause) ? whenDenied : adviceOn(cause);
  return unusable(`${location} can't be used: ${message} ${advice}`.trim(), { cause });
}

/**
 * @param why must not contain any part of the address that could belong to a password
 * @param variable the one that may have given it instead
 */
export function badAddress(why: string, variable?: string): ServeError {
  return new ServeError(
    `The address of the PostgreSQL store${variable === undefined ? "" : `, or ${variable},`} ${why}`,
  );
}

const GRANT =
  "Have the owner grant svc's role CONNECT on the database, USAGE on the schema svc, and SELECT, INSERT, UPDATE and DELETE on its tables, and USAGE on its sequences.";
/** What to do, by the code of an error: the system's, PostgreSQL's, or that of TLS. */
const ADVICE: readonly (readonly [codes: RegExp, advice: string])[] = [
  [/^(ECONNREFUSED|ENOENT)$/, "Is PostgreSQL running there? Check host and port."],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "Check the host name in the address."],
  [/^(CONNECT_TIMEOUT|NO_ANSWER|ETIMEDOUT|EHOSTUNREACH)$/, "Check host and port, and firewalls in between."],
  [
    /^(NO_TLS|ECONNRESET)$/,
    "The server may have no TLS: on a trusted network, add sslmode=disable. Otherwise check that PostgreSQL listens there.",
  ],
  [
    /^28P01$/,
    "Check the user name, and the password in PGPASSWORD, SVC_STORE or ~/.pgpass, which is ignored if others can read it.",
  ],
  [/^28000$/, "Check the user name and pg_hba.conf, which may allow TLS only: sslmode=verify-full."],
  [/^3D000$/, "Create it with: createdb"],
  [/^HANGING_COMMITS$/, "Start the standby, or change synchronous_standby_names."],
  [
    /^53300$/,
    "Raise max_connections or the limit of the role or the database, or lower pool_size and list_connections in the address of each svc.",
  ],
  [/^57P03$/, "Try again when it has started."],
  [/^25006$/, "Name the primary, or all hosts: postgres://user@host1,host2/database."],
  [/ALTNAME/, "Connect by a name that the certificate contains, or accept any with sslmode=verify-ca."],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "Renew the server's certificate, and check the clocks of both machines."],
  [
    /CERT|VERIFY/,
    "The server's certificate is not trusted. Name its authority with sslrootcert=FILE. On a trusted network sslmode=require does without.",
  ],
];

/** What to do about an error; nothing if it says so itself. */
export function adviceOn(error: unknown): string {
  if (isPoolersRefusal(error)) return "Leave out the options of the address, or have the pooler ignore them.";
  return ADVICE.find(([codes]) => codes.test(codeOf(error)))?.[1] ?? "";
}

/** Node gives no message if it tried several addresses of a name. */
function messageOf(error: unknown): string {
  const { message } = error as Failure;
  if (codeOf(error) === "CONNECTION_LOST") return "the connection was closed";
  return message === "" ? codeOf(error) : message;
}

function isInstanceGone(error: unknown): boolean {
  return (error as Failure).constraint === "users_instance_id_fkey";
}

function codeOf(error: unknown): string {
  const { code } = error as Failure;
  return typeof code === "string" ? code : "";
}
