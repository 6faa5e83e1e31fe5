import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Client } from "../../../../client/client.ts";
import { repeat, isUnavailable, type Fault } from "../../../../client/retry.ts";
import { systemReason } from "../../../../disk/system-reason.ts";
import { retriesOf, timeoutMs } from "../../../connection/client.ts";
import type { Context, NamedInstance } from "../../../context.ts";
import { CliError, EXIT } from "../../../errors.ts";
import { toFailure } from "../../../failure.ts";
import { createProgress } from "../../../output/progress.ts";
import { say } from "../../../output/text.ts";
import type { Targets } from "./targets.ts";

/** The result for one user. `unknown`: the connection failed, and the user may be deleted. `gone`: not found, so most likely already deleted. */
export interface Outcome {
  readonly id: string;
  readonly outcome: "deleted" | "gone" | "failed" | "unknown" | "not_attempted";
  /** The reason, if it failed. */
  readonly code?: string;
  readonly error?: string;
}

/** Where users are deleted. */
export interface Place {
  /** The address of the service. */
  readonly service: string;
  /** Undefined if the service did not name it. */
  readonly instance?: NamedInstance | undefined;
}

/** A line of a receipt. `deleting` is written before the deletion, every other outcome after it. */
interface Line extends Omit<Outcome, "outcome"> {
  readonly email?: string | undefined;
  readonly outcome: Outcome["outcome"] | "deleting";
}

/** A file that records each deletion before it starts, and its result, as lines of JSON. */
export type Receipt = Awaited<ReturnType<typeof openReceipt>>;

/**
 * Creates a receipt, before anything is deleted. Its first line has the number of users.
 * @throws {CliError} if it can't be written, or is there already
 */
export async function openReceipt({ cwd, now }: Context, path: string, place: Place, users: number) {
  const whole = resolve(cwd, path);
  const refuse = (error: NodeJS.ErrnoException): never => {
    const isThere = error.code === "EEXIST";
    throw new CliError(
      EXIT.precondition,
      `--receipt: "${path}" ${isThere ? "already exists" : `cannot be written: ${systemReason(error)}`}. No users were deleted.`,
      isThere ? "Name another file." : undefined,
    );
  };
  const file = await open(whole, "wx", 0o600).catch(refuse);
  const write = (rest: Line | { readonly users: number }): Promise<void> =>
    file.appendFile(`${JSON.stringify({ time: now().toISOString(), ...place, ...rest })}\n`);
  await write({ users }).catch(async (error: NodeJS.ErrnoException) => {
    await file.close();
    await rm(whole);
    return refuse(error);
  });
  return { write, close: () => file.close() };
}

export interface Deletion {
  /** One for each user, in the order in which they became known. */
  outcomes: Outcome[];
  /** What ended it early: a signal, an error that all the others would have met too, or a receipt that can't be written. */
  signal?: "SIGINT" | "SIGTERM";
  fatal?: unknown;
  fault?: string;
  /** The last error, as it was thrown. */
  error?: unknown;
}

const PARALLEL = 4;

/** Deletes until all is done, a signal comes, or going on makes no sense. What was begun by then is still waited for. */
export async function deleteAll(
  context: Context,
  client: Client,
  { ids, users }: Targets,
  receipt: Receipt | undefined,
): Promise<Deletion> {
  const ended: Deletion = { outcomes: [] };
  let isDone = false;
  const isHalted = (): boolean => Boolean(ended.signal ?? ended.fatal ?? ended.fault);
  const progress = createProgress(context, ids.length);

  const stopped = (async () => {
    ended.signal = await context.untilSignal();
    if (!context.stderr.isTTY || isDone) return;
    progress.end();
    say(context, "Finishing the deletions in progress. To end at once, press Ctrl-C again.");
  })();
  const fault = (error: unknown) => (ended.fault ??= `The receipt cannot be written: ${systemReason(error)}.`);
  const record: Receipt["write"] = async (line) => {
    await receipt?.write(line).catch(fault);
  };
  const note = async (outcome: Outcome, email?: string): Promise<void> => {
    progress.to(ended.outcomes.push(outcome));
    const { id, ...rest } = outcome;
    await record({ id, email, ...rest });
  };
  let deleted = 0;
  const attempt = async (id: string): Promise<Outcome> => {
    const before = deleted;
    const { outcome, error } = await deleteOne(context, client, id, users.has(id), isHalted, stopped);
    if (outcome.outcome === "deleted") deleted++;
    if (error === undefined) return outcome;
    ended.error = error;
    const { exitCode } = toFailure(error);
    const concernsAll = exitCode === EXIT.noKey || exitCode === EXIT.usage;
    // While others are deleted, the service is there.
    const isAway = outcome.outcome === "unknown" && deleted === before;
    if (concernsAll || isAway) ended.fatal ??= error;
    return outcome;
  };

  const waiting = [...ids];
  const work = async (): Promise<void> => {
    while (waiting.length > 0 && !isHalted()) {
      const id = waiting.shift()!;
      const email = users.get(id)?.data.email;
      await record({ id, email, outcome: "deleting" });
      // Nothing is deleted that is not on record.
      await note(ended.fault === undefined ? await attempt(id) : { id, outcome: "not_attempted" }, email);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  isDone = true;
  for (const id of waiting) await note({ id, outcome: "not_attempted" });
  progress.end();
  // Some file systems say only now that the disk is full.
  await receipt?.close().catch(fault);
  return ended;
}

/** More than for other requests: a list should not end at the first connection that breaks. */
const RETRIES = 4;

/**
 * Deletes a user, with retries if the connection breaks or the service is unavailable.
 * @param exists whether it is known to exist: one who is not found afterwards was deleted
 * @param stopped resolves when no further try is to be made
 * @returns also what the service threw at the last try
 */
async function deleteOne(
  context: Context,
  client: Client,
  id: string,
  exists: boolean,
  isStopped: () => boolean,
  stopped: Promise<unknown>,
): Promise<{ outcome: Outcome; error?: unknown }> {
  let tries = 0;
  let failed: Fault | undefined;
  const remove = async (number: number): Promise<void> => {
    if (failed && isStopped()) throw failed as Error;
    tries = number;
    await client.users.delete(id);
  };
  const faultOf = (tried: PromiseSettledResult<void>): Fault | undefined => {
    failed = tried.status === "rejected" ? (tried.reason as Fault) : undefined;
    return failed;
  };
  try {
    await repeat(remove, faultOf, {
      retries: retriesOf(context, RETRIES),
      mayRetry: ({ status }) =>
        exists && !isStopped() && (isUnknown(failed) || status === 429 || isUnavailable(status)),
      // A service that asks for a longer pause is not asked again.
      deadline: { leftMs: () => timeoutMs(context), sleep: (milliseconds) => pause(milliseconds, stopped) },
    });
    return { outcome: { id, outcome: "deleted" } };
  } catch (error) {
    const { code, message } = toFailure(error);
    // A try before it was handled after all.
    if (code === "user_not_found" && tries > 1) return { outcome: { id, outcome: "deleted" } };
    if (code === "user_not_found") return { outcome: { id, outcome: "gone" }, error };
    return { outcome: { id, outcome: isUnknown(error) ? "unknown" : "failed", code, error: message }, error };
  }
}

/** Whether the service may have handled the request. */
function isUnknown(error: unknown): boolean {
  return ["connection", "timeout"].includes(toFailure(error).code);
}

async function pause(milliseconds: number, stopped: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([new Promise((wake) => (timer = setTimeout(wake, milliseconds))), stopped]);
  clearTimeout(timer);
}
