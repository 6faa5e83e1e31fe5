import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";

/** @throws {CliError} unless a text has the form of a sign-in's id */
export function checkFlowId(text: string): void {
  if (/^[0-9a-f]{1,64}$/.test(text)) return;
  throw new CliError(
    EXIT.usage,
    `"${text}" is not the id of a sign-in.`,
    "svc logs shows the id of each sign-in, as its flow.",
  );
}
