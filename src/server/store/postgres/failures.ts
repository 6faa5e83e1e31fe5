import { StorageUnavailable, StoreRefused } from "../store.ts";

/** What a database, or the way to it, says when something fails. */
interface Failure {
  readonly code?: string;
  readonly message: string;
  readonly constraint_name?: string;
}

/** Nothing came back in time. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly code = "NO_ANSWER";
}

/** Whether the connection is gone, and with it what was asked through it. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]+$|57P0[1-5])/.test(code) || code.startsWith("08");
}

/** Whether the server lets nobody in at the moment; nothing was asked then. */
export function isBusy(error: unknown): boolean {
  return ["53300", "57P03"].includes(codeOf(error));
}

/** Whether the same again may well succeed: somebody else was faster. Nothing was written. */
export function isConflict(error: unknown): boolean {
  const { constraint_name } = error as Failure;
  return ["40001", "40P01", "23505"].includes(codeOf(error)) || (isForeign(error) && !isInstanceGone(constraint_name));
}

/** The server's own faults and states, as against those of a statement: the data it was given, or its text. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (isForeign(error)) return isInstanceGone((error as Failure).constraint_name);
  return code !== "" && (!/^[0-9A-Z]{5}$/.test(code) || !/^(22|23|42|0A)/.test(code) || isGone(code));
}

/** @param location without a password */
export function unavailable(location: string, error: unknown): StorageUnavailable {
  return new StorageUnavailable(`${location}: ${reasonOf(error)}`, { cause: error });
}

export function reasonOf(error: unknown): string {
  const { message, constraint_name } = error as Failure;
  if (isInstanceGone(constraint_name)) return "its content was replaced. Restart svc.";
  const code = codeOf(error);
  if (isGone(code)) return `${message}. Was the schema changed? Run: svc store migrate`;
  return message;
}

/** Why a store can't be opened, and what to do. @param location without a password */
export function refusal(location: string, error: unknown): StoreRefused {
  const { message } = error as Failure;
  const advice = adviceOn(codeOf(error));
  return new StoreRefused("unusable", `${location} can't be used: ${message.replace(/\.?$/, ".")} ${advice}`.trim(), {
    cause: error,
  });
}

function adviceOn(code: string): string {
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return "Is PostgreSQL running there? Check host and port.";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "There is no such host. Check its name in the address.";
    case "CONNECT_TIMEOUT":
    case "NO_ANSWER":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
      return "Check host and port, and that no firewall lies between.";
    case "28P01":
      return "Check the user's name, and the password in PGPASSWORD or SVC_STORE.";
    case "28000":
      return "Check the user's name, and what pg_hba.conf lets in; it may want sslmode=require.";
    case "3D000":
      return "Create it with: createdb";
    case "42501":
      return "Let somebody who may do that run svc store migrate once.";
    case "53300":
      return "A svc process takes up to 15 connections. Raise max_connections, or put fewer on it.";
    case "57P03":
      return "Try again when it has started.";
    case "25006":
      return "It is a standby, or set to read only. Give the address of the primary.";
    case "ECONNRESET":
      return "Is that PostgreSQL? If it speaks no TLS, leave out sslmode.";
    default:
      return /CERT|SELF_SIGNED|ALTNAME/.test(code)
        ? "The server's certificate is not trusted. Name its authority with sslrootcert=FILE, or see what sslmode says."
        : "";
  }
}

/** Missing privileges, tables, functions or schemas: somebody took them away from a store that was open. */
function isGone(code: string): boolean {
  return ["42501", "42P01", "42883", "42703"].includes(code);
}

function isForeign(error: unknown): boolean {
  return codeOf(error) === "23503";
}

function isInstanceGone(constraint: string | undefined): boolean {
  return constraint === "users_instance_id_fkey";
}

function codeOf(error: unknown): string {
  const { code } = error as Failure;
  return typeof code === "string" ? code : "";
}
