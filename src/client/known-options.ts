import { unknownOption } from "../wire/closest.ts";
import { ConfigError } from "./errors.ts";

/** The names of all options. The compiler keeps it complete. */
export type Names<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Otherwise a misspelt option would be ignored, and with it what it protects from.
 * @param of what takes the options, such as `createClient`
 * @throws {ConfigError} that names the unknown option
 */
export function checkNames<Options extends object>(of: string, options: Options, known: Names<Options>): void {
  const unknown = unknownOption(of, options, Object.keys(known));
  if (unknown !== undefined) throw new ConfigError(unknown);
}
