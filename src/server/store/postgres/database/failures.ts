/** What went wrong, by its code. Where a repetition can help, nothing was written. */
export interface Failure {
  readonly code?: string;
  readonly message: string;
  readonly constraint?: string;
}

/** Tests an error's code, which is PostgreSQL's SQLSTATE if the server sent it. */
const saying =
  (...codes: readonly string[]) =>
  (error: unknown): boolean =>
    codes.includes(failureCodeOf(error));

export const isDenied = saying("42501");
/** Missing tables, functions or schemas: they were removed while the store was open. */
export const isGone = saying("42P01", "42883", "42703");
const isForeign = saying("23503");
/** A name, a word or a feature that every PostgreSQL has. */
export const isUnsupported = saying("42P01", "42883", "42703", "42601", "0A000");
export const isRepeatable = saying("40001", "40P01");
/** Another transaction has created the same schema or table meanwhile. */
export const isCreated = saying("23505", "42P06", "42P07", "42710");
export const isLocked = saying("55P03");
/** A standby, or set to read only. */
export const isReadOnly = saying("25006");
export const isTooSlow = saying("57014");
/** The server has no free connection, or is starting. */
export const isBusy = saying("53300", "57P03");
/** A text has U+0000 or half a surrogate pair, or is too long for an index. */
export const isUnstorable = saying("22P02", "22P05", "54000");
/** Rows that fit into the existing pages can still be written. */
export const isFull = saying("53100");

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

export function isLost(error: unknown): boolean {
  const code = failureCodeOf(error);
  return /^(CONNECTION_|CONNECT_TIMEOUT|E[A-Z]+$|57P0[1-5])/.test(code) || code.startsWith("08");
}

/** An error of a connection, with a code: `pg` gives most of its own none. */
export function coded(error: unknown): unknown {
  if (!(error instanceof Error) || failureCodeOf(error) !== "") return error;
  const { message } = error;
  const code = /time(d )?out/i.test(message) ? "CONNECT_TIMEOUT" : /SSL/.test(message) ? "NO_TLS" : "CONNECTION_LOST";
  return Object.assign(error, { code });
}

/** The server's own error, without what it means to a request. */
export function rootCauseOf(error: unknown): unknown {
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
  return failureCodeOf(error).startsWith("28") || failureCodeOf(error) === "3D000";
}

export function isPoolersRefusal(error: unknown): boolean {
  return failureCodeOf(error) === "08P01" && /startup parameter/i.test((error as Failure).message);
}

/** Whether a server refuses startup parameters that PostgreSQL accepts: it may be a pooler, or another engine. */
export function isParameterRefused(error: unknown): boolean {
  return isPoolersRefusal(error) || ["42704", "0A000"].includes(failureCodeOf(error));
}

/** Whether another sign-in was faster, and this one must decide again. */
export function isConflict(error: unknown): boolean {
  return failureCodeOf(error) === "23505" || (isForeign(error) && !isInstanceGone(error));
}

/** Errors of the server itself, as opposed to those of a statement's text or data. */
export function isDatabaseAway(error: unknown): boolean {
  const code = failureCodeOf(error);
  if (isForeign(error)) return isInstanceGone(error);
  return (
    code !== "" && (!/^[0-9A-Z]{5}$/.test(code) || !/^(22|23|42|0A)/.test(code) || isGone(error) || isDenied(error))
  );
}

export function isInstanceGone(error: unknown): boolean {
  return (error as Failure).constraint === "users_instance_id_fkey";
}

/**
 * Whether it may end by itself, or at another server: lost and refused connections, names that are not resolved, standbys,
 * and what PostgreSQL calls insufficient resources, objects not in the required state, and the intervention of an operator.
 */
export function isPassing(error: unknown): boolean {
  return (
    isLost(error) ||
    isTimeUp(error) ||
    isHanging(error) ||
    /^(EAI_AGAIN|25006|(40|53|55|57)...)$/.test(failureCodeOf(error))
  );
}

export function failureCodeOf(error: unknown): string {
  const { code } = error as Failure;
  return typeof code === "string" ? code : "";
}
