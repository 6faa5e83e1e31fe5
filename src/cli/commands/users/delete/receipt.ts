import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../../../../disk/system-reason.ts";
import type { Context, NamedInstance } from "../../../context.ts";
import { CliError, EXIT } from "../../../errors.ts";

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
  const file = await open(resolve(cwd, path), "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const isThere = error.code === "EEXIST";
    throw new CliError(
      EXIT.precondition,
      `--receipt: "${path}" ${isThere ? "already exists" : `cannot be written: ${systemReason(error)}`}. No users were deleted.`,
      isThere ? "Name another file." : undefined,
    );
  });
  const write = (rest: Line | { readonly users: number }): Promise<void> =>
    file.appendFile(`${JSON.stringify({ time: now().toISOString(), ...place, ...rest })}\n`);
  await write({ users });
  return { write, close: () => file.close() };
}
