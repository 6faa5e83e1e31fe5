import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";

/** The whole number of a flag. Undefined if the flag is not given. @throws {CliError} */
export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,12}$/.test(text)) return Number(text);
  throw new CliError(EXIT.usage, `${flag}: "${text}" is not a whole number.`);
}
