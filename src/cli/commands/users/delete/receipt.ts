import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { CliError, EXIT } from "../../../errors.ts";
import type { Outcome } from "./remove.ts";

/** A file that says of each what became of it, as soon as it is known: a line of JSON each. */
export interface Receipt {
  add(outcome: Outcome): Promise<void>;
  close(): Promise<void>;
}

/** Made before anything is deleted. @throws {CliError} where there is such a file already, or it can't be made */
export async function openReceipt(cwd: string, path: string | undefined): Promise<Receipt | undefined> {
  if (path === undefined) return undefined;
  const file = await open(resolve(cwd, path), "wx", 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CliError(
      EXIT.precondition,
      code === "EEXIST"
        ? `--receipt: there is a file "${path}" already. Nobody was deleted.`
        : `--receipt: "${path}" can't be made (${code}). Nobody was deleted.`,
    );
  });
  return {
    add: (outcome) => file.appendFile(`${JSON.stringify(outcome)}\n`),
    close: () => file.close(),
  };
}
