import { CliError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";

/** The number of a flag. @throws {CliError} unless it is a whole one within the bounds */
export function numberFrom(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (number >= least && number <= most) return number;
  throw new CliError(EXIT.usage, `${flag}: "${text}" is not a number from ${least} to ${most}.`);
}
