import { open, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../../../../disk/system-reason.ts";
import { fold } from "../../../../wire/text/fold.ts";
import { parsedJson } from "../../../../wire/text/json.ts";
import { instanceInWords } from "../../../connection/target.ts";
import type { Context, NamedInstance } from "../../../context.ts";
import { CliError, EXIT, type ExitCode } from "../../../errors.ts";
import type { OutputFlags } from "../../../output/flags.ts";
import { counted, printJson, printRecord } from "../../../output/text.ts";

/** The result for one user. `unknown`: the connection failed, and the user may be deleted. `gone`: not found, so most likely already deleted. */
export interface Outcome {
  readonly id: string;
  readonly outcome: "deleted" | "gone" | "failed" | "unknown" | "not_attempted";
  /** The reason, if it failed. */
  readonly code?: string;
  readonly error?: string;
}

/** Where a receipt's users were deleted. */
export interface Place {
  /** The address of the service. */
  readonly service: string;
  /** Undefined if the service did not name it. */
  readonly instance?: NamedInstance | undefined;
}

/** The first line of a run, with the number of users that it is to delete. */
export interface Start extends Place {
  readonly time: string;
  readonly users: number;
}

/** A line of a receipt, in JSON. `deleting` is written before the deletion, every other outcome after it. */
export interface Line extends Place, Omit<Outcome, "outcome"> {
  readonly time: string;
  readonly email?: string | undefined;
  readonly outcome: Outcome["outcome"] | "deleting";
}

/** A receipt that is there, or is to be created. */
export interface Recorded {
  readonly path: string;
  /** Undefined if there is none. */
  readonly entries?: readonly (Start | Line)[];
  /** Whether a run that was killed has cut its last line short. */
  readonly isCut: boolean;
}

/** A file that records each deletion before it starts, and its result. */
export type Receipt = Awaited<ReturnType<typeof openReceipt>>;

export async function readReceipt({ cwd }: Pick<Context, "cwd">, path: string): Promise<Recorded> {
  const text = await readFile(resolve(cwd, path), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new CliError(EXIT.precondition, `--receipt: "${path}" cannot be read: ${systemReason(error)}.`);
  });
  if (text === undefined) return { path, isCut: false };
  const lines = text.split("\n");
  const entries = lines.map((line) => parsedJson(line)).filter(isEntry);
  if (entries.length === 0 && text.trim() !== "")
    throw new CliError(
      EXIT.precondition,
      `--receipt: "${path}" exists and is not a receipt. No users were deleted.`,
      "Name another file.",
    );
  return { path, entries, isCut: text !== "" && !text.endsWith("\n") };
}

/** The results that a receipt has, the last one of each user. */
export function resultsIn({ entries = [] }: Recorded): Line[] {
  return [...new Map(entries.flatMap((entry) => ("id" in entry ? [[entry.id, entry]] : []))).values()];
}

/** Whose deletion a receipt records, by id and by address. */
export function doneIn(recorded: Recorded): ReadonlySet<string> {
  return new Set(
    resultsIn(recorded)
      .filter(({ outcome }) => outcome === "deleted" || outcome === "gone")
      .flatMap(({ id, email }) => [fold(id), ...(email === undefined ? [] : [fold(email)])]),
  );
}

export function checkPlace({ path, entries = [] }: Recorded, { service, instance }: Place): void {
  const other = entries.find((entry) => entry.service !== service || entry.instance?.id !== instance?.id);
  if (!other) return;
  const named = ({ service: at, instance: one }: Place): string =>
    one ? `${at}, instance ${one.subdomain} (${one.id})` : at;
  throw new CliError(
    EXIT.precondition,
    `--resume: "${path}" is a receipt of ${named(other)}, not of ${named({ service, instance })}. No users were deleted.`,
  );
}

/** Opened before anything is deleted; one that is there is continued. @throws {CliError} if it can't be written */
export async function openReceipt(
  { cwd, now }: Pick<Context, "cwd" | "now">,
  { path, entries, isCut }: Recorded,
  { service, instance }: Place,
  users: number,
) {
  const file = await open(resolve(cwd, path), entries ? "a" : "wx", 0o600).catch((error: unknown) => {
    throw new CliError(
      EXIT.precondition,
      `--receipt: "${path}" cannot be written: ${systemReason(error)}. No users were deleted.`,
    );
  });
  if (isCut) await file.appendFile("\n");
  const write = (rest: Omit<Start, keyof Line> | Omit<Line, keyof Start>): Promise<void> =>
    file.appendFile(`${JSON.stringify({ time: now().toISOString(), service, instance, ...rest })}\n`);
  await write({ users });
  return { write, close: () => file.close() };
}

function isEntry(value: unknown): value is Start | Line {
  const { service, id, outcome, users } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof service === "string" &&
    (typeof users === "number" || (typeof id === "string" && typeof outcome === "string"))
  );
}

/**
 * Prints what a receipt says of the last run. Sends nothing.
 * @returns exit code 6 if it has not deleted everyone that it was to delete
 * @throws {CliError} if there is none
 */
export async function printStatus(context: Context, flags: OutputFlags, path: string): Promise<ExitCode> {
  const recorded = await readReceipt(context, path);
  const { entries = [] } = recorded;
  const at = entries.findLastIndex((entry) => "users" in entry);
  const start = entries[at] as Start | undefined;
  if (!start) throw new CliError(EXIT.notFound, `--receipt: "${path}" records no deletion.`);
  const own = resultsIn({ ...recorded, entries: entries.slice(at) });
  const count = (...names: Line["outcome"][]): number => own.filter(({ outcome }) => names.includes(outcome)).length;
  const done = count("deleted", "gone");
  const status = {
    finished: done === start.users,
    service: start.service,
    instance: start.instance ?? null,
    began_at: start.time,
    last_at: entries.at(-1)!.time,
    users: start.users,
    deleted: count("deleted"),
    gone: count("gone"),
    failed: count("failed"),
    unknown: count("unknown", "deleting"),
    not_attempted: start.users - own.length + count("not_attempted"),
  };
  if (flags.json) printJson(context, status);
  else {
    const { finished, instance, ...numbers } = status;
    printRecord(context, {
      finished: finished ? "yes" : `no: ${counted(start.users - done, "user")} left. Continue it with --resume`,
      ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
      service: `${start.service}, ${instanceInWords(instance ?? undefined)}`,
    });
  }
  return status.finished ? EXIT.done : EXIT.someFailed;
}
