/** What failures are called in messages, and what to do about them. */
import { ServeError } from "../../../errors.ts";
import { StorageUnavailable, StoreRefused } from "../../store.ts";
import {
  rootCauseOf,
  failureCodeOf,
  isDenied,
  isFull,
  isGone,
  isInstanceGone,
  isPassing,
  isPoolersRefusal,
  isReadOnly,
  type Failure,
} from "./failures.ts";

export function databaseUnavailable(location: string, error: unknown): StorageUnavailable {
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
export function databaseUnusable(message: string, options?: ErrorOptions): StoreRefused {
  return new StoreRefused("unusable", message, options);
}

/**
 * Why a store can't be opened, and what to do.
 * @param location without a password
 * @param whenDenied what to do about a missing privilege
 */
export function asRefusal(location: string, error: unknown, whenDenied = GRANT): StoreRefused {
  if (error instanceof StoreRefused) return error;
  const cause = rootCauseOf(error);
  const message = messageOf(cause).replace(/\.?$/, ".");
  const advice = isDenied(cause) ? whenDenied : adviceOn(cause);
  const reason = isPassing(cause) && !isPoolersRefusal(cause) ? "unavailable" : "unusable";
  return new StoreRefused(reason, `${location} can't be used: ${message} ${advice}`.trim(), { cause });
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
  return ADVICE.find(([codes]) => codes.test(failureCodeOf(error)))?.[1] ?? "";
}

/** Node gives no message if it tried several addresses of a name. */
function messageOf(error: unknown): string {
  const { message } = error as Failure;
  if (failureCodeOf(error) === "CONNECTION_LOST") return "the connection was closed";
  return message === "" ? failureCodeOf(error) : message;
}
