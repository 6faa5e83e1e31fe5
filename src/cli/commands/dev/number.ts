import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";

/** A whole number that was given to a flag. @throws {CliError} */
export function wholeNumber(flag: string, text: string): number {
  if (/^-?\d{1,12}$/.test(text)) return Number(text);
  throw new CliError(EXIT.usage, `${flag}: "${text}" is not a whole number.`);
}
