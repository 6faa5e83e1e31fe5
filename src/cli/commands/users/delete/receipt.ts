import { open, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../../../../disk/system-reason.ts";
import { fold } from "../../../../wire/fold.ts";
import { parsedJson } from "../../../../wire/json.ts";
import type { Context } from "../../../context.ts";
import { CliError } from "../../../errors.ts";
import { EXIT } from "../../../exit-codes.ts";

/** The result for one user. `unknown`: the connection failed, and the user may be deleted. `gone`: not found, so most likely already deleted. */
export interface Outcome {
  readonly id: string;
  readonly outcome: "deleted" | "gone" | "failed" | "unknown" | "not_attempted";
  /** The reason, if it failed. */
  readonly code?: string;
  readonly error?: string;
}

/** A line of a receipt, in JSON. `deleting` is written before the deletion, every other outcome after it. */
interface Line {
  readonly time: string;
  /** The address of the service. */
  readonly service: string;
  readonly id: string;
  readonly email?: string | undefined;
  readonly outcome: Outcome["outcome"] | "deleting";
}

/** A file that records each deletion before it starts, and its result. */
export interface Receipt {
  /** Whose deletion an interrupted run has recorded already, by id and by address in lower case. */
  readonly done: ReadonlySet<string>;
  begin(id: string, email: string | undefined): Promise<void>;
  add(outcome: Outcome): Promise<void>;
  close(): Promise<void>;
}

export interface ReceiptOptions {
  readonly path: string;
  readonly service: string;
  /** Whether to continue a receipt that is there. */
  readonly resume: boolean;
}

/** Opened before anything is deleted. @throws {CliError} for a file that is in the way, or of another service */
export async function openReceipt(
  { cwd, now }: Pick<Context, "cwd" | "now">,
  { path, service, resume }: ReceiptOptions,
): Promise<Receipt> {
  const text = resume ? await readText(resolve(cwd, path), path) : "";
  const lines = linesOf(text);
  const other = lines.find((line) => line.service !== service);
  if (other)
    throw new CliError(
      EXIT.precondition,
      `--resume: "${path}" is a receipt of ${other.service}, not of ${service}. No users were deleted.`,
    );
  const file = await open(resolve(cwd, path), resume ? "a" : "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const { code } = error;
    throw new CliError(
      EXIT.precondition,
      code === "EEXIST"
        ? `--receipt: "${path}" already exists. No users were deleted.`
        : `--receipt: "${path}" cannot be created: ${systemReason(error)}. No users were deleted.`,
      code === "EEXIST" ? "Name another file, or continue this one with --resume." : undefined,
    );
  });
  // A run that was killed may have cut its last line short.
  if (text !== "" && !text.endsWith("\n")) await file.appendFile("\n");
  const emails = new Map<string, string>();
  const write = (line: Omit<Line, "time" | "service">): Promise<void> =>
    file.appendFile(`${JSON.stringify({ time: now().toISOString(), service, ...line } satisfies Line)}\n`);
  return {
    done: new Set(
      lines
        .filter(({ outcome }) => outcome === "deleted" || outcome === "gone")
        .flatMap(({ id, email }) => [id, ...(email === undefined ? [] : [fold(email)])]),
    ),
    begin(id, email) {
      if (email !== undefined) emails.set(id, email);
      return write({ id, email, outcome: "deleting" });
    },
    add: ({ id, outcome, ...why }) => write({ id, email: emails.get(id), outcome, ...why }),
    close: () => file.close(),
  };
}

async function readText(path: string, shown: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new CliError(EXIT.precondition, `--resume: "${shown}" cannot be read: ${systemReason(error)}.`);
  });
}

function linesOf(text: string): Line[] {
  return text.split("\n").flatMap((line) => (parsedJson(line) as Line | undefined) ?? []);
}
